internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// Passwords.
extension EffectPerformer {
    /// - Parameter hold: How long a refusal keeps its thread: ``PasswordPace``.
    func authenticate(
        _ user: UserReference, password: Sensitive<String>, refusingAfter hold: Duration?,
        _ context: EffectContext
    ) async throws -> EffectAnswer {
        let account = try await account(user, context)
        guard try await mayGuess(user, account, .password, context) else {
            return .refused(.invalidCredentials)
        }
        let judgment = try await passwordCheck.judge(
            password, of: account, device: account.flatMap { context.device(of: $0.id) },
            for: share(of: user, account, context), refusingAfter: hold)
        switch judgment {
        case .accepted(let authenticator):
            guard let account else { return .refused(.unavailable) }
            try await accept(.password, account.id, context)
            return .authenticated(
                account.id, amr: [AuthenticatorType.password.method],
                by: AuthenticatorUse(authenticator, epoch: account.epoch))
        case .refused(let hasPassword, let isLocked, let isJudged):
            return try await refuse(
                .password, hasPassword ? account?.id : nil, context, isJudged: isJudged,
                locked: isLocked)
        }
    }

    func setPassword(
        _ password: Sensitive<String>, of user: UserID, _ context: EffectContext
    ) async throws -> EffectAnswer {
        guard let account = try await account(.id(user), context), let known = context.user else {
            return .refused(.userMissing)
        }
        let proof = known.proof
        // The sign-in that the run began with may be stolen: replacing a password takes proof from
        // the run itself. A mailed code is not enough.
        var hasProof = proof?.isNewAccount == true
        if let proof, !hasProof {
            let counted = try await changes.counting(
                [SignInProof(methods: proof.methods, at: clock.now, isRecovery: false)],
                from: proof.authenticators, of: account)
            hasProof = counted.contains { !$0.methods.isEmpty }
        }
        let answer: AccountService.PasswordAnswer
        do {
            answer = try await accounts.setPassword(
                password, by: context.standing(of: user), device: context.device(of: user),
                mayReplace: hasProof || known.isRecovered, app: context.app.id, actor: "journey",
                for: share(of: .id(user), account, context))
        } catch let problem as Problem where problem.code == .invalidRequest {
            return .refused(.passwordRefused)
        } catch let problem as Problem where problem.code == .tooManyRequests {
            return .refused(.limitReached)
        }
        switch answer {
        case .set(let epoch): return .passwordSet(user, epoch: epoch)
        case .ended: return .refused(.userMissing)
        case .weak: return .refused(.insufficientUserAuthentication)
        case .locked: return .refused(.notAllowed)
        }
    }
}
