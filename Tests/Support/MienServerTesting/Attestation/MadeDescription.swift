import MienAttestation
import SwiftASN1

/// An Android key description like a device's, with one thing changed.
package struct MadeDescription: Sendable {
    package static let oid: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]

    package var attestationLevel: Int64 = 1, keyMintLevel: Int64 = 1
    package var challenge = Array("challenge".utf8)
    package var software: [UInt: [UInt8]] = [
        709: DERText.octets(
            application([("org.example.app", 7)], [[UInt8](repeating: 9, count: 32)]))
    ]
    /// A signing key on P-256 that requires biometrics for each use, generated on a device with
    /// verified boot.
    package var hardware: [UInt: [UInt8]] = [
        1: DERText.set([DERText.integer(2)]), 2: DERText.integer(3), 3: DERText.integer(256),
        10: DERText.integer(1), 504: DERText.integer(2),
        702: DERText.integer(0), 704: rootOfTrust(), 706: DERText.integer(202_601),
    ]

    package init() {}

    /// Extra bytes after the list.
    package var hardwareMore: [UInt8] = []

    package static func rootOfTrust(locked: Bool = true, state: Int64 = 0) -> [UInt8] {
        DERText.sequence(
            DERText.octets([1, 2]), DERText.boolean(locked), DERText.enumerated(state),
            DERText.octets([3, 4]))
    }

    package static func application(_ packages: [(String, Int64)], _ signatures: [[UInt8]])
        -> [UInt8]
    {
        DERText.sequence(
            DERText.set(
                packages.map {
                    DERText.sequence(DERText.octets(Array($0.0.utf8)), DERText.integer($0.1))
                }),
            DERText.set(signatures.map(DERText.octets)))
    }

    package static func list(_ fields: [UInt: [UInt8]], more: [UInt8] = []) -> [UInt8] {
        DERText.value(
            [0x30],
            fields.sorted { $0.key < $1.key }.flatMap { DERText.explicit($0.key, $0.value) } + more)
    }

    package var der: [UInt8] {
        DERText.sequence(
            DERText.integer(300), DERText.enumerated(attestationLevel), DERText.integer(300),
            DERText.enumerated(keyMintLevel),
            DERText.octets(challenge), DERText.octets([]), Self.list(software),
            Self.list(hardware, more: hardwareMore))
    }

    package func changed(_ change: (inout Self) -> Void) -> Self {
        var result = self
        change(&result)
        return result
    }
}
