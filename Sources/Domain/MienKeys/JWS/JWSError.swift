public import MienCore

/// A signed message was not taken. Says why; repeats nothing of it.
public struct JWSError: CodedError {
    /// Stable words: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        case tooLong = "jws.too-long"
        /// Not three parts of base64url.
        case form = "jws.form"
        /// The header is not an object of strict JSON, or a member is of the wrong kind.
        case header = "jws.header"
        /// `alg` is none of those taken.
        case algorithm = "jws.algorithm"
        /// `crit` asks for something to be understood; nothing of that kind is.
        case critical = "jws.critical"
        /// `jwk` is not a key that is taken.
        case key = "jws.key"
        /// `alg` is not that of the key to verify with.
        case algorithmMismatch = "jws.algorithm-mismatch"
        case signature = "jws.signature"
        /// What a signer gave back is no signature of its own key.
        case signer = "jws.signer"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
