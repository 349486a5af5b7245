internal import Crypto
internal import MienCore

/// The bytes of a key file whose keys are wrapped. `docs/spec/key-ring.md` describes the format.
///
/// A random key encrypts the ring, and the wrapper wraps that key: a token need not take more than
/// 32 bytes, and every stored ring has a key of its own.
struct WrappedKeys {
    /// More than a ring of the largest size needs.
    static let maxFileBytes = 49_152
    private static let heading = "mien-wrapped-keys 1"
    private static let label = "mien/v1/wrapped-keys"

    /// The kind of the wrapper.
    let kind: String
    private let key: [UInt8]
    private let ring: [UInt8]

    /// Whether a file contains wrapped keys, damaged or not.
    static func isHeading(of bytes: [UInt8]) -> Bool { bytes.starts(with: Self.heading.utf8) }

    /// Wraps the keys.
    init(_ ring: KeyRing, with wrapper: any KeyWrapper, random: RandomSource)
        throws(KeyWrapperError)
    {
        kind = wrapper.kind
        let key = random.bytes(MasterKey.size), context = Self.context(of: kind)
        self.key = try wrapper.wrap(key, context: context, random: random)
        let nonce = try! AES.GCM.Nonce(data: random.bytes(12))
        let box = try! AES.GCM.seal(
            ring.fileBytes, using: SymmetricKey(data: key), nonce: nonce, authenticating: context)
        self.ring = Array(nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// - Returns: `nil` if any byte was changed.
    init?(fileBytes: [UInt8]) {
        guard let text = String(validUTF8: fileBytes), text.hasSuffix("\n") else {
            return nil
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        guard lines.count == 5, lines[0] == Self.heading,
            let kind = Self.value(of: "wrapper", in: lines[1]), Self.isKind(kind),
            let key = Self.value(of: "key", in: lines[2]).flatMap({ bytes(hexadecimal: $0) }),
            let ring = Self.value(of: "ring", in: lines[3]).flatMap({ bytes(hexadecimal: $0) })
        else { return nil }
        (self.kind, self.key, self.ring) = (String(kind), key, ring)
        guard self.fileBytes == fileBytes else { return nil }
    }

    var fileBytes: [UInt8] {
        let text =
            "\(Self.heading)\nwrapper \(kind)\nkey \(hexadecimal(key))\nring \(hexadecimal(ring))\n"
        return Array("\(text)end \(hexadecimal(SHA256.hash(data: Array(text.utf8))))\n".utf8)
    }

    /// - Throws: ``KeyWrapperError``; `key.damaged` if the wrapped key is right and the ring is not.
    func opened(with wrapper: any KeyWrapper) throws(KeyWrapperError) -> KeyRing {
        let context = Self.context(of: kind), key = try wrapper.unwrap(key, context: context)
        guard
            let content = try? AES.GCM.open(
                AES.GCM.SealedBox(combined: ring), using: SymmetricKey(data: key),
                authenticating: context),
            let ring = KeyRing(fileBytes: Array(content))
        else {
            throw KeyWrapperError(
                code: "key.damaged",
                reason: "the wrapped keys were changed. Restore the file from a backup.")
        }
        return ring
    }

    private static func context(of kind: String) -> [UInt8] { Array("\(label) \(kind)".utf8) }

    private static func isKind(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }

    private static func value(of name: String, in line: Substring) -> Substring? {
        line.hasPrefix("\(name) ") ? line.dropFirst(name.count + 1) : nil
    }
}
