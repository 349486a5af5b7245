import Crypto
import MienAttestation
import MienKeys

/// Writes formats that the product only reads.
package enum Write {
    package static func cbor(_ value: CBORValue) -> [UInt8] {
        switch value {
        case .unsigned(let number): head(0, number)
        case .negative(let number): head(1, number)
        case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
        case .text(let text): head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let values): head(4, UInt64(values.count)) + values.flatMap(cbor)
        case .map(let entries):
            head(5, UInt64(entries.count)) + entries.flatMap { cbor($0.key) + cbor($0.value) }
        case .tagged(let tag, let value): head(6, tag) + cbor(value)
        case .simple(let number): number < 24 ? [0xe0 | number] : [0xf8, number]
        case .float(let number):
            [0xfb]
                + (0..<8).map {
                    UInt8(truncatingIfNeeded: number.bitPattern >> (56 - 8 * UInt64($0)))
                }
        }
    }

    private static func head(_ kind: UInt8, _ number: UInt64) -> [UInt8] {
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
        }
        switch number {
        case ..<24: return [kind << 5 | UInt8(number)]
        case ..<256: return [kind << 5 | 24] + bytes(1)
        case ..<65536: return [kind << 5 | 25] + bytes(2)
        case ..<4_294_967_296: return [kind << 5 | 26] + bytes(4)
        default: return [kind << 5 | 27] + bytes(8)
        }
    }

    /// Encodes a map in CTAP2's key order.
    package static func map(_ members: [String: CBORValue]) -> CBORValue {
        let sorted = members.sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
        return .map(sorted.map { CBOREntry(.text($0.key), $0.value) })
    }

    package static func cose(_ key: DevicePublicKey) -> CBORValue {
        func entry(_ label: Int64, _ value: CBORValue) -> CBOREntry {
            CBOREntry(CBORValue(integer: label), value)
        }
        func number(_ value: Int64) -> CBORValue { CBORValue(integer: value) }
        switch key.material {
        case .p256(let x, let y):
            return .map([
                entry(1, number(2)), entry(3, number(-7)), entry(-1, number(1)),
                entry(-2, .bytes(x)), entry(-3, .bytes(y)),
            ])
        case .rsa(let modulus, let exponent):
            return .map([
                entry(1, number(3)), entry(3, number(-257)), entry(-1, .bytes(modulus)),
                entry(-2, .bytes(exponent)),
            ])
        case .ed25519(let point):
            return .map([
                entry(1, number(1)), entry(3, number(-8)), entry(-1, number(6)),
                entry(-2, .bytes(point)),
            ])
        }
    }

    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    package static func big<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
        (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> T(T.bitWidth - 8 - 8 * $0)) }
    }

    /// Returns bytes preceded by their count, as in TPM structures.
    package static func counted(_ bytes: [UInt8]) -> [UInt8] { big(UInt16(bytes.count)) + bytes }

    package static func authenticatorData(
        rpID: String, flags: UInt8, counter: UInt32 = 0,
        credential: (aaguid: [UInt8], id: [UInt8], key: CBORValue)? = nil, more: [UInt8] = []
    ) -> [UInt8] {
        let head = sha256(Array(rpID.utf8)) + [flags] + big(counter)
        guard let credential else { return head + more }
        return head + credential.aaguid + counted(credential.id) + cbor(credential.key) + more
    }
}

/// Writes DER, as far as the tests need it.
package enum DERText {
    package static func value(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : count < 0x100
                ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
        return tag + length + content
    }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        value([0x30], parts.flatMap { $0 })
    }
    package static func set(_ parts: [[UInt8]]) -> [UInt8] {
        value([0x31], parts.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 })
    }
    package static func octets(_ bytes: [UInt8]) -> [UInt8] { value([0x04], bytes) }
    package static func boolean(_ value: Bool) -> [UInt8] { [1, 1, value ? 0xff : 0] }
    package static let null: [UInt8] = [5, 0]

    package static func integer(_ number: Int64, tag: UInt8 = 2) -> [UInt8] {
        var bytes = Write.big(number)
        while bytes.count > 1,
            (bytes[0] == 0 && bytes[1] < 0x80) || (bytes[0] == 0xff && bytes[1] >= 0x80)
        { bytes.removeFirst() }
        return value([tag], bytes)
    }

    package static func enumerated(_ number: Int64) -> [UInt8] { integer(number, tag: 10) }

    /// `[number] EXPLICIT`
    package static func explicit(_ number: UInt, _ content: [UInt8]) -> [UInt8] {
        guard number >= 31 else { return value([0xa0 | UInt8(number)], content) }
        var digits = [UInt8(number & 0x7f)], rest = number >> 7
        while rest > 0 {
            digits.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
            rest >>= 7
        }
        return value([0xbf] + digits, content)
    }
}

package enum Hex {
    package static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
