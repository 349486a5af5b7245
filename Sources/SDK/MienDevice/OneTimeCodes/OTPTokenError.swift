public import MienCore

/// A token could not do what was asked. Branch on ``code``; ``reason`` says what is allowed. Holds
/// no PIN, code or secret.
///
/// A wrong PIN is none of these: it gives a wrong code.
public struct OTPTokenError: CodedError {
    /// Stable words: logged, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// The device has no token of this id.
        case unknown = "token.unknown"
        /// There is one of this id already.
        case exists = "token.exists"
        /// As many tokens as there may be.
        case full = "token.full"
        /// What the server gave cannot be kept: its secret has another length than 32 bytes.
        case secret = "token.secret"
        /// No PIN has this form.
        case pin = "token.pin"
        /// A counter's token from before a backup was restored: it would give codes that were given
        /// already.
        case restored = "token.restored"
        /// The last counter has been used.
        case exhausted = "token.exhausted"
        /// The token is in PIN mode only.
        case notMultiAuth = "token.not-multi-auth"
        /// No face, or not this one, opens the token.
        case faceInactive = "token.face-inactive"
        /// A face's input that was used, or is older than 60 s.
        case inputSpent = "token.input-spent"
        /// The server did not take the code: the PIN was wrong, or the token is not good any more.
        case notConfirmed = "token.not-confirmed"
        /// The data was made on another device, or this one's chip was cleared.
        case otherDevice = "token.other-device"
        /// What the data is bound to does not answer.
        case bindingUnavailable = "token.binding-unavailable"
        /// A file cannot be read, written or trusted.
        case storage = "token.storage"
    }

    public let code: Code
    /// What was wrong and what is allowed.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
