public import MienCore

/// Something cannot be computed as asked. Says what is wrong and what is allowed; repeats nothing
/// of a secret, a PIN or a code.
///
/// A wrong code is no error: verifiers return a verdict.
public struct OTPError: CodedError {
    /// Stable words: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// Bytes or text that are no shared secret, or too short a one.
        case secret = "otp.secret"
        case digits = "otp.digits"
        /// A time step, a start of time, or a time before it.
        case time = "otp.time"
        /// How far a verifier looks.
        case window = "otp.window"
        case suite = "ocra.suite"
        case question = "ocra.question"
        /// A counter, PIN, session or time that the suite asks for and is missing, or that it has
        /// no place for.
        case input = "ocra.input"
        case mask = "cap.mask"
        case tokenData = "cap.data"
        /// A number to be signed that is none, or too many of them.
        case transaction = "cap.transaction"
        case challenge = "signature.challenge"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
