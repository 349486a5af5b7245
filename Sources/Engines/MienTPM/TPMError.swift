public import MienCore

/// The TPM could not do what was asked. Branch on ``code``; show ``reason`` to an operator.
public struct TPMError: CodedError {
    /// Stable words: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// No TPM answers at the address, or it stopped answering. The next call opens it anew.
        case unreachable = "tpm.unreachable"
        /// The auth value of a key or of sealed data is not the one it was made with. The TPM has
        /// counted the try.
        case wrongAuth = "tpm.wrong-auth"
        /// Too many wrong auth values: the TPM judges none at the moment, right or wrong.
        case lockedOut = "tpm.locked-out"
        /// The blob was changed, belongs to another TPM, or is of another kind.
        case blobRefused = "tpm.blob-refused"
        /// Sealed data is bound to registers (PCRs) that now hold something else.
        case policyNotMet = "tpm.policy-not-met"
        /// The owner hierarchy has a password, so that no storage key can be made.
        case ownerAuth = "tpm.owner-auth"
        /// An argument is out of range.
        case badArgument = "tpm.bad-argument"
        /// As many calls wait as may wait. Try again later.
        case busy = "tpm.busy"
        /// Anything else the TPM or its library said.
        case failed = "tpm.failed"
    }

    public let code: Code
    /// What was being done, what was wrong, what is allowed. Holds no secret.
    public let reason: String
    /// The library's number for it, 0 when it has none: for a log.
    public let response: UInt32

    public init(_ code: Code, _ reason: String, response: UInt32 = 0) {
        (self.code, self.reason, self.response) = (code, reason, response)
    }
}
