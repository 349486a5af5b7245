#if canImport(MienTPM)
public import MienCore

/// A token of this device, as it may be shown.
public struct OTPTokenInfo: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Codes by the clock.
        case totp
        /// Codes by count.
        case hotp
    }

    public let id: String
    public let app: String
    public let server: String?
    public let kind: Kind
    /// Of a code, 6...10.
    public let digits: Int
    /// Of a code that goes by the clock.
    public let stepSeconds: Int?
    /// RFC 6287, for signatures.
    public let signatureSuite: String
    /// Whether other modes than the PIN may be activated.
    public let isMultiAuthModeEnabled: Bool
    /// Whether somebody's face opens it.
    public let isFaceModeActive: Bool
    /// Whether it counts, and came back from a backup: it gives no codes any more.
    public let isRestored: Bool
    public let createdAt: Instant
}
#endif
