internal import Crypto
internal import MienKeys

/// The public area of a TPM's key: `TPMT_PUBLIC` (TPM 2.0 part 2, §12.2.4).
struct TPMPublic: Hashable {
    private enum Algorithm {
        static let rsa: UInt16 = 0x0001, ecc: UInt16 = 0x0023, null: UInt16 = 0x0010
        static let sha256: UInt16 = 0x000b, sha384: UInt16 = 0x000c, sha512: UInt16 = 0x000d
        static let p256: UInt16 = 0x0003
    }

    /// More than WebAuthn requires: TPM2_Certify also certifies keys that were imported or can be
    /// exported.
    private enum Attribute {
        static let fixedTPM: UInt32 = 1 << 1, fixedParent: UInt32 = 1 << 4,
            sensitiveDataOrigin: UInt32 = 1 << 5, sign: UInt32 = 1 << 18
        static let all = fixedTPM | fixedParent | sensitiveDataOrigin | sign
    }

    let key: DevicePublicKey
    private let nameAlgorithm: UInt16

    init(_ bytes: [UInt8]) throws(AttestationError) {
        guard bytes.count <= 1024 else {
            throw AttestationError(.tpm, "“pubArea” has more than 1024 bytes")
        }
        var reader = BigEndianReader(bytes)
        guard let type = reader.integer(UInt16.self), let name = reader.integer(UInt16.self),
            let attributes = reader.integer(UInt32.self),
            reader.counted() != nil
        else { throw Self.truncated }
        guard attributes & Attribute.all == Attribute.all else {
            throw AttestationError(
                .tpm, "the key may leave its TPM, was created elsewhere, or is not for signing")
        }
        guard [Algorithm.sha256, Algorithm.sha384, Algorithm.sha512].contains(name) else {
            throw AttestationError(
                .tpm, "the hash that names the key must be SHA-256, SHA-384, or SHA-512")
        }
        // A signing key has no symmetric cipher, so no cipher parameters follow.
        guard reader.integer(UInt16.self) == Algorithm.null else {
            throw AttestationError(.tpm, "the TPM's key is not a signing key")
        }
        try Self.skipScheme(&reader)
        let material =
            type == Algorithm.rsa
            ? try Self.rsa(&reader) : type == Algorithm.ecc ? try Self.ecc(&reader) : nil
        guard let material else {
            throw AttestationError(.tpm, "the TPM's key must be RSA or on an elliptic curve")
        }
        guard reader.isAtEnd else {
            throw AttestationError(.tpm, "unexpected data after “pubArea”")
        }
        do { key = try DevicePublicKey(material) } catch {
            throw AttestationError(.key, error.reason)
        }
        nameAlgorithm = name
    }

    /// Returns the TPM's name of a key: the ID of a hash function, and the hash of the public area.
    func name(of area: [UInt8]) -> [UInt8] {
        let hash: [UInt8] =
            switch nameAlgorithm {
            case Algorithm.sha384: Array(SHA384.hash(data: area))
            case Algorithm.sha512: Array(SHA512.hash(data: area))
            default: Array(SHA256.hash(data: area))
            }
        return [UInt8(nameAlgorithm >> 8), UInt8(nameAlgorithm & 0xff)] + hash
    }

    private static let truncated = AttestationError(.tpm, "“pubArea” is cut off")

    /// Skips a signature scheme and its hash.
    private static func skipScheme(_ reader: inout BigEndianReader) throws(AttestationError) {
        guard let scheme = reader.integer(UInt16.self) else { throw truncated }
        // RSASSA, ECDSA.
        guard [Algorithm.null, 0x0014, 0x0018].contains(scheme) else {
            throw AttestationError(.tpm, "the key's scheme must be RSASSA or ECDSA")
        }
        guard scheme == Algorithm.null || reader.integer(UInt16.self) != nil else {
            throw truncated
        }
    }

    private static func rsa(_ reader: inout BigEndianReader) throws(AttestationError)
        -> DevicePublicKey.Material
    {
        guard let bits = reader.integer(UInt16.self), let exponent = reader.integer(UInt32.self),
            let modulus = reader.counted()
        else {
            throw truncated
        }
        guard modulus.count * 8 == Int(bits) else {
            throw AttestationError(.tpm, "the modulus does not have the declared size")
        }
        let value = exponent == 0 ? 65537 : exponent
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }.drop {
            $0 == 0
        }
        return .rsa(modulus: modulus, exponent: Array(bytes))
    }

    private static func ecc(_ reader: inout BigEndianReader) throws(AttestationError)
        -> DevicePublicKey.Material
    {
        guard let curve = reader.integer(UInt16.self), let derivation = reader.integer(UInt16.self)
        else { throw truncated }
        guard curve == Algorithm.p256 else {
            throw AttestationError(.tpm, "the curve must be P-256")
        }
        guard derivation == Algorithm.null || reader.integer(UInt16.self) != nil,
            let x = reader.counted(), let y = reader.counted()
        else {
            throw truncated
        }
        guard x.count <= 32, y.count <= 32 else {
            throw AttestationError(.tpm, "a coordinate must have at most 32 bytes")
        }
        func padded(_ bytes: [UInt8]) -> [UInt8] {
            [UInt8](repeating: 0, count: 32 - bytes.count) + bytes
        }
        return .p256(x: padded(x), y: padded(y))
    }
}
