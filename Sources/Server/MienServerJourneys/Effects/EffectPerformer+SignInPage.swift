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
        let reply = try await reply(
            to: AuthenticatePasswordEffect(user: .identifier(name), password: password), context)
        guard case .answer(let proof) = reply, let use = proof.use else { return nil }
        return PasswordProof(
            account: proof.user, methods: proof.amr, authenticator: use.authenticator,
            epoch: use.epoch)
    }
}
