internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// Recovery codes.
extension EffectPerformer {
    func authenticateRecoveryCode(
        _ user: UserReference, _ code: Sensitive<String>, _ context: EffectContext
    ) async throws -> EffectAnswer {
        let found = try await account(user, context),
            account = try await mayGuess(user, found, .recoveryCode, context) ? found : nil
        let judgment = try await recoveryCodes.authenticate(
            code, of: account, app: context.app,
            device: account.flatMap { context.device(of: $0.id) },
            step: .init(
                use: { [self] in stepUse(of: $0, context) }, endsAt: context.endsAt ?? clock.now))
        switch judgment {
        case .accepted(let authenticator):
            guard let account else { return .refused(.unavailable) }
            countAccepted(.recoveryCode)
            return .authenticated(
                account.id, amr: [AuthenticatorType.recoveryCode.method],
                by: AuthenticatorUse(authenticator, epoch: account.epoch))
        case .refused(let locked, let isJudged):
            return try await refuse(
                .recoveryCode, account?.id, context, isJudged: isJudged, locked: locked)
        }
    }
}
