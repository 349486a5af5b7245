/// How a device's key signs. The key decides; a message can only agree or be refused.
public enum DeviceKeyAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
    /// ECDSA over P-256 with SHA-256; signatures are r and s, 32 bytes each (RFC 7518 §3.4).
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, 2048 to 4096 bits (RFC 7518 §3.3). For old devices.
    case rs256 = "RS256"
    /// Ed25519 (RFC 8037 §3.1).
    case edDSA = "EdDSA"

    /// By the `alg` of JOSE. RFC 9864 spells Ed25519 out; both names mean the same here.
    public init?(joseName: String) {
        if joseName == "Ed25519" { self = .edDSA } else { self.init(rawValue: joseName) }
    }
}
