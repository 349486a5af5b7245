public import MienCore

/// The reason a key is refused, and what is allowed. Repeats no part of the key.
public struct KeyError: CodedError {
    /// Stable codes: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// A member is missing, has the wrong type, or contradicts another.
        case member = "key.member"
        /// The encoding is not a key, or not canonical.
        case encoding = "key.encoding"
        /// The type of key is not supported.
        case unsupported = "key.unsupported"
        /// An RSA key is too small or too large, or its exponent is not accepted.
        case size = "key.size"
        /// The point is not on the curve, or makes any signature valid.
        case point = "key.point"
        /// A private key was sent where a public one belongs. The sender must create a new one.
        case privateMember = "key.private"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
