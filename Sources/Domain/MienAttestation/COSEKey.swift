public import MienKeys

/// COSE algorithm identifiers as WebAuthn uses them.
public enum COSEAlgorithm {
    /// Returns the algorithm: -7 ES256, -8 EdDSA, -257 RS256; and -9, -19, the fully specified
    /// identifiers of RFC 9864.
    public static func algorithm(_ number: Int64) -> DeviceKeyAlgorithm? {
        switch number {
        case -7, -9: .es256
        case -8, -19: .edDSA
        case -257: .rs256
        default: nil
        }
    }

    static let taken = "supported are ES256 (-7), EdDSA (-8), and RS256 (-257)"
}

extension DevicePublicKey {
    /// Parses a COSE key (RFC 9053 §7, RFC 8230 §4) with exactly the members that WebAuthn §6.5.1.1
    /// allows.
    ///
    /// - Throws: ``AttestationError`` with code `attestation.key`, or `webauthn.algorithm` for an
    ///   unsupported algorithm.
    public init(cose: CBORValue) throws(AttestationError) {
        guard let members = cose.entries else {
            throw AttestationError(.key, "a COSE key must be a map")
        }
        guard let number = cose[3]?.integerValue else {
            throw AttestationError(.key, "the COSE key names no algorithm")
        }
        guard let algorithm = COSEAlgorithm.algorithm(number) else {
            throw AttestationError(
                .algorithm, "the key's algorithm is \(number); \(COSEAlgorithm.taken)")
        }
        let material = try Self.material(cose, algorithm: algorithm)
        let expected = algorithm == .es256 ? 5 : 4
        guard members.count == expected else {
            throw AttestationError(
                .key, "the COSE key has \(members.count) members instead of \(expected)")
        }
        do { try self.init(material) } catch { throw AttestationError(.key, error.reason) }
    }

    private static func material(_ cose: CBORValue, algorithm: DeviceKeyAlgorithm)
        throws(AttestationError) -> Material
    {
        func bytes(_ label: Int64) throws(AttestationError) -> [UInt8] {
            guard let bytes = cose[label]?.bytesValue else {
                throw AttestationError(
                    .key, "member \(label) of the COSE key is missing or not a byte string")
            }
            return bytes
        }
        func expect(_ label: Int64, _ value: Int64, _ meaning: String) throws(AttestationError) {
            guard cose[label]?.integerValue == value else {
                throw AttestationError(
                    .key, "member \(label) of this COSE key is \(value), \(meaning)")
            }
        }
        switch algorithm {
        case .es256:
            try expect(1, 2, "two coordinates")
            try expect(-1, 1, "P-256")
            return .p256(x: try bytes(-2), y: try bytes(-3))
        case .rs256:
            try expect(1, 3, "RSA")
            return .rsa(modulus: try bytes(-1), exponent: try bytes(-2))
        case .edDSA:
            try expect(1, 1, "one coordinate")
            try expect(-1, 6, "Ed25519")
            return .ed25519(try bytes(-2))
        }
    }
}
