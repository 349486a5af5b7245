internal import Crypto

/// Conversions between the two encodings of an ECDSA signature over P-256: JOSE concatenates r and
/// s, X.509 and WebAuthn use ASN.1.
public enum ES256Signature {
    public enum Form: Sendable, Hashable {
        /// r ‖ s, 32 bytes each.
        case raw
        /// `SEQUENCE { r INTEGER, s INTEGER }` in DER.
        case der
    }

    /// - Returns: `nil` if `der` is not the DER of two numbers below 2²⁵⁶.
    public static func raw(der: [UInt8]) -> [UInt8]? {
        guard der.count <= 72,
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { return nil }
        // Reject other readable encodings: they would give a signature a second form.
        guard signature.derRepresentation.elementsEqual(der) else { return nil }
        return Array(signature.rawRepresentation)
    }

    /// - Returns: `nil` unless `raw` has 64 bytes.
    public static func der(raw: [UInt8]) -> [UInt8]? {
        (try? P256.Signing.ECDSASignature(rawRepresentation: raw)).map {
            Array($0.derRepresentation)
        }
    }
}
