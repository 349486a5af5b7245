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
    /// - Parameters:
    ///   - policy: Whether the passcode may ever release it; required again to release it.
    ///   - context: The purpose of the secret; required again to release it.
    func lock(
        _ secret: Sensitive<[UInt8]>, for constraint: BiometricAccessConstraint,
        policy: BiometricPolicy, context: String
    ) async throws -> LockedSecret

    /// Prompts the person, then returns the secret. The passcode is accepted if both `policy` and
    /// the prompt allow it: see ``BiometricPolicy/narrowed(to:_:)``.
    ///
    /// - Throws: ``DeviceError``: `.biometricPrivateKeyNotFound` if the key that opens it is gone,
    ///   without a prompt if that is known in advance.
    func release(
        _ locked: LockedSecret, for constraint: BiometricAccessConstraint, policy: BiometricPolicy,
        context: String, unlocking prompt: UnlockPrompt
    ) async throws -> ReleasedSecret
}

/// A secret, and how the person was verified before it was released.
public struct ReleasedSecret: Sendable {
    public let secret: Sensitive<[UInt8]>
    public let method: LocalVerdict.Method

    public init(_ secret: Sensitive<[UInt8]>, method: LocalVerdict.Method) {
        (self.secret, self.method) = (secret, method)
    }
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
