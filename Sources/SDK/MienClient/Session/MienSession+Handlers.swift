public import MienKeys

/// The session's calls with a handler, for code that cannot await. Handlers are called on the main
/// actor.
extension MienSession {
    public nonisolated func configure(
        _ handler: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void
    ) { tell(handler) { try await $0.configure() } }

    public nonisolated func enableBiometric(
        localizedReason: String, constraint: BiometricAccessConstraint,
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics,
        _ handler: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void
    ) {
        tell(handler) {
            try await $0.enableBiometric(
                localizedReason: localizedReason, constraint: constraint, policy: policy)
        }
    }

    public nonisolated func authenticateBiometric(
        _ handler: @escaping @MainActor @Sendable (Result<UserInfo, any Error>) -> Void
    ) { tell(handler) { try await $0.authenticateBiometric() } }

    private nonisolated func tell<Value: Sendable>(
        _ handler: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void,
        _ call: @escaping @Sendable (MienSession) async throws -> Value
    ) {
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await call(self)) } catch { result = .failure(error) }
            await handler(result)
        }
    }
}
