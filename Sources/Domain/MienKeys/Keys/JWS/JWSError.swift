public import MienCore

/// The reason a signed message is refused. Repeats no part of it.
public struct JWSError: CodedError {
    /// Stable codes: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        case tooLong = "jws.too-long"
        /// Not three parts of base64url.
        case form = "jws.form"
        /// The header is not an object in strict JSON, or a member has the wrong type.
        case header = "jws.header"
        /// `alg` is not supported.
        case algorithm = "jws.algorithm"
        /// `crit` requires an extension; none is supported.
        case critical = "jws.critical"
        /// `jwk` is not an accepted key.
        case key = "jws.key"
        /// `alg` is not that of the verification key.
        case algorithmMismatch = "jws.algorithm-mismatch"
        case signature = "jws.signature"
        /// A signer returned a signature that is not valid for its own key.
        case signer = "jws.signer"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
