public import MienCore

/// Bytes or members are no key that is taken here. Says what is wrong and what is allowed; repeats
/// nothing of the key.
public struct KeyError: CodedError {
    /// Stable words: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// A member is missing, of the wrong kind, or contradicts another.
        case member = "key.member"
        /// Not a key, or not in the one form it has.
        case encoding = "key.encoding"
        /// A kind of key that is not taken here.
        case unsupported = "key.unsupported"
        /// An RSA key that is too small or too large, or with an exponent that is not taken.
        case size = "key.size"
        /// Not a point of the curve, or one that makes any signature right.
        case point = "key.point"
        /// A private key where a public one belongs. Whoever sent it has to make a new one.
        case privateMember = "key.private"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
