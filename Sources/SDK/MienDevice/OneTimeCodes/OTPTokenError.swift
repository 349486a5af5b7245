public import MienCore

/// An error of an OTP token operation. Branch on ``code``; ``reason`` says what is allowed. It
/// contains no PIN, code, or secret.
///
/// A wrong PIN produces a wrong code, not an error, so that stolen data cannot be used to test
/// PINs.
public struct OTPTokenError: CodedError {
    /// Stable codes: logged, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// The device has no token with this id.
        case unknown = "token.unknown"
        /// A token with this id already exists.
        case exists = "token.exists"
        /// The maximum number of tokens is reached.
        case full = "token.full"
        /// The token from the server cannot be stored: its secret is not 32 bytes long.
        case secret = "token.secret"
        /// The PIN is malformed.
        case pin = "token.pin"
        /// A counter-based token from before a backup was restored. It would repeat codes.
        case restored = "token.restored"
        /// The last counter has been used.
        case exhausted = "token.exhausted"
        /// The token is no CAP token: it answers no challenges and signs no numbers.
        case notCAP = "token.not-cap"
        /// The token is in PIN mode only.
        case notMultiAuth = "token.not-multi-auth"
        /// No face, or not this one, unlocks the token.
        case faceInactive = "token.face-inactive"
        /// The face verification was already used or is older than 60 s.
        case inputSpent = "token.input-spent"
        /// The server did not accept the code: the PIN was wrong, or the token is no longer valid.
        case notConfirmed = "token.not-confirmed"
        /// The data was created on another device, or this device's chip was cleared.
        case otherDevice = "token.other-device"
        /// The process is being debugged or manipulated, and the policy refuses that.
        case tampered = "token.tampered"
        /// The TPM or machine id that the data is bound to cannot be read.
        case bindingUnavailable = "token.binding-unavailable"
        /// A file cannot be read, written, or trusted.
        case storage = "token.storage"
    }

    public let code: Code
    /// The problem, and what is allowed.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
