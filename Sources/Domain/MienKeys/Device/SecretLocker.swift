public import MienCore

/// A local authenticator that releases secrets only after a check, for key providers without a
/// secure element that has a check of its own.
///
/// Locking needs no prompt, because it uses a public key; only the authenticator has the private
/// keys. The key of `biometryCurrentSet` is replaced with every change of enrollment, so secrets
/// locked before cannot be released again.
public protocol SecretLocker: LocalAuthenticator {
    /// Locks a secret.
    ///
    /// - Parameter context: the purpose of the secret; required again to release it.
    func lock(
        _ secret: Sensitive<[UInt8]>, for constraint: BiometricAccessConstraint, context: String
    ) async throws -> LockedSecret

    /// Prompts the person, then returns the secret. For the biometric constraints the passcode is
    /// not accepted, whatever the prompt allows.
    ///
    /// - Throws: ``DeviceError``: `.biometricPrivateKeyNotFound` if the key that opens it is gone,
    ///   without a prompt if that is known in advance.
    func release(
        _ locked: LockedSecret, for constraint: BiometricAccessConstraint, context: String,
        unlocking prompt: UnlockPrompt
    ) async throws
        -> Sensitive<[UInt8]>
}

/// A secret that is released after a check.
public struct LockedSecret: Sendable, Hashable, Codable {
    public let bytes: [UInt8]
    /// The state of enrollment when the secret was locked.
    public let generation: EnrollmentGeneration

    public init(bytes: [UInt8], generation: EnrollmentGeneration) {
        (self.bytes, self.generation) = (bytes, generation)
    }
}
