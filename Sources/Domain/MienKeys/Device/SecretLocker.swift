public import MienCore

/// A local authenticator that keeps secrets until a check is passed: what key providers need that
/// have no secure element with a check of its own.
///
/// Locking asks nobody, as it takes a public key; only the authenticator has the private ones. That
/// of `biometryCurrentSet` is replaced with every change of enrolment, so what was locked before
/// cannot be had by anybody any more.
public protocol SecretLocker: LocalAuthenticator {
    /// - Parameter context: what the secret is for; needed again to release it.
    func lock(
        _ secret: Sensitive<[UInt8]>, for constraint: BiometricAccessConstraint, context: String
    ) async throws -> LockedSecret

    /// Asks the person, then gives the secret. For the biometric constraints the passcode will not
    /// do, whatever the prompt says.
    ///
    /// - Throws: ``DeviceError``: `.biometricPrivateKeyNotFound` when what opens it is gone,
    ///   without asking where that is known before.
    func release(
        _ locked: LockedSecret, for constraint: BiometricAccessConstraint, context: String,
        unlocking prompt: UnlockPrompt
    ) async throws
        -> Sensitive<[UInt8]>
}

/// A secret that waits for a check.
public struct LockedSecret: Sendable, Hashable, Codable {
    public let bytes: [UInt8]
    /// What was enrolled when it was locked.
    public let generation: EnrolmentGeneration

    public init(bytes: [UInt8], generation: EnrolmentGeneration) {
        (self.bytes, self.generation) = (bytes, generation)
    }
}
