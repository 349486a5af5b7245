internal import Crypto

/// The two ways to write an ECDSA signature over P-256: JOSE joins r and s, X.509 and WebAuthn wrap
/// them in ASN.1.
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
        // What reads as a signature but is written differently would give it a second form.
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
