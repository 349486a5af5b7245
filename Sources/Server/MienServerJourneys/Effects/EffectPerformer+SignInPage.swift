internal import MienCore
internal import MienJourney
internal import MienServerAccess
internal import MienStore

/// The sign-in page checks passwords as a journey does, as a run of its own.
extension EffectPerformer: PasswordSignIn {
    func signIn(
        name: Sensitive<String>, password: Sensitive<String>, app: AppRecord, device: ProvedDevice?
    ) async throws -> PasswordProof? {
        var generator = SystemRandomNumberGenerator()
        let context = EffectContext(
            run: .random(using: &generator), turn: 0, app: app, device: device, user: nil,
            begun: nil)
        let answer = try await perform(
            .authenticatePassword(user: .identifier(name), password: password), context)
        guard case .authenticated(let account, let methods, let use?) = answer else { return nil }
        return PasswordProof(
            account: account, methods: methods, authenticator: use.authenticator, epoch: use.epoch)
    }
}
