/// The signature algorithm of a device key. The key decides it; a message that names another is
/// refused.
public enum DeviceKeyAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
    /// ECDSA over P-256 with SHA-256; signatures are r and s, 32 bytes each (RFC 7518 §3.4).
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, 2048 to 4096 bits (RFC 7518 §3.3). For old devices.
    case rs256 = "RS256"
    /// Ed25519 (RFC 8037 §3.1).
    case edDSA = "EdDSA"

    /// Creates an algorithm from JOSE's `alg`. RFC 9864 names Ed25519 in full; both names mean the
    /// same here.
    public init?(joseName: String) {
        if joseName == "Ed25519" { self = .edDSA } else { self.init(rawValue: joseName) }
    }
}
