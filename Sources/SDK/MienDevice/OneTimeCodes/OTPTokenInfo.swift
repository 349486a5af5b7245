public import MienCore

/// The displayable properties of an OTP token of this device.
public struct OTPTokenInfo: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Time-based codes.
        case totp
        /// Counter-based codes.
        case hotp
        /// Counter-based codes of a card (EMV CAP).
        case cap
    }

    public let id: String
    public let app: String
    public let server: String?
    public let kind: Kind
    /// The length of a code, 6...10 digits.
    public let digits: Int
    /// The time step of a time-based token.
    public let stepSeconds: Int?
    /// The OCRA suite (RFC 6287) for signatures; `nil` for a CAP token.
    public let signatureSuite: String?
    /// Whether other modes than the PIN may be activated.
    public let isMultiAuthModeEnabled: Bool
    /// Whether a face unlocks it.
    public let isFaceModeActive: Bool
    /// Whether it is counter-based and was restored from a backup; it then creates no more codes.
    public let isRestored: Bool
    public let createdAt: Instant
}
