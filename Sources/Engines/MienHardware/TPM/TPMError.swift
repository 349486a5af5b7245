public import MienCore

/// A failure of a TPM operation. Branch on ``code``; show ``reason`` to an operator.
public struct TPMError: CodedError {
    /// Stable codes: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// No TPM answers at the address, or it stopped answering. The next call reopens it.
        case unreachable = "tpm.unreachable"
        /// The auth value does not match that of the key or sealed data. The TPM has counted the
        /// attempt.
        case wrongAuth = "tpm.wrong-auth"
        /// There were too many wrong auth values. The TPM currently rejects all, right or wrong.
        case lockedOut = "tpm.locked-out"
        /// The blob was changed, belongs to another TPM, or is of another kind.
        case blobRefused = "tpm.blob-refused"
        /// The sealed data is bound to registers (PCRs) that have changed.
        case policyNotMet = "tpm.policy-not-met"
        /// The owner hierarchy has a password, so no storage key can be made.
        case ownerAuth = "tpm.owner-auth"
        /// An argument is out of range.
        case badArgument = "tpm.bad-argument"
        /// The maximum number of calls is waiting. Try again later.
        case busy = "tpm.busy"
        /// Any other error from the TPM or its library.
        case failed = "tpm.failed"
    }

    public let code: Code
    /// The operation, the error, and what is allowed. Contains no secret.
    public let reason: String
    /// The library's response code, for logs; 0 when there is none.
    public let response: UInt32

    public init(_ code: Code, _ reason: String, response: UInt32 = 0) {
        (self.code, self.reason, self.response) = (code, reason, response)
    }
}
