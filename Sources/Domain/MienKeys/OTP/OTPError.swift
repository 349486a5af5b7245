public import MienCore

/// The reason a computation failed, and what is allowed. Repeats no part of a secret, a PIN, or a
/// code.
///
/// A wrong code does not throw: verifiers return a verdict.
public struct OTPError: CodedError {
    /// Stable codes: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes or text are not a shared secret, or too short for one.
        case secret = "otp.secret"
        case digits = "otp.digits"
        /// The time step or the epoch is invalid, or the time is before the epoch.
        case time = "otp.time"
        /// The verifier's window is out of range.
        case window = "otp.window"
        case suite = "ocra.suite"
        case question = "ocra.question"
        /// A counter, PIN, session, or time that the suite requires is missing, or one is present
        /// that it does not use.
        case input = "ocra.input"
        case mask = "cap.mask"
        case tokenData = "cap.data"
        /// A number to sign is invalid, or there are too many.
        case transaction = "cap.transaction"
        case challenge = "signature.challenge"
        /// A field of a transaction is missing, unknown, or malformed.
        case field = "signature.field"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
