internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienStore

/// Tokens: codes that users' devices compute.
extension EffectPerformer {
    func offerOTP(_ user: UserID, _ profile: OTPProfile, _ context: EffectContext) async throws
        -> EffectResult.Answer
    {
        let kind: OTPToken.Kind =
            switch profile.kind {
            case .totp: .totp
            case .hotp: .hotp
            }
        do {
            let offer = try await tokens.offer(
                kind: kind, digits: profile.digits, to: user, app: context.app.id, actor: "journey",
                context.standing(of: user))
            guard let id = CodeID(offer.id) else { return .refused(.unavailable) }
            return .otpOffered(id, registrationCode: offer.code, expiresAt: offer.expiresAt)
        } catch is Problem { return .refused(.notAllowed) }
    }

    /// The user has signed in: whether the device has come is theirs to know.
    func confirmOTP(
        _ user: UserID, _ registration: CodeID, _ passcode: Sensitive<String>,
        _ context: EffectContext
    ) async throws
        -> EffectResult.Answer
    {
        guard let account = try await account(.id(user), context),
            try await tokens.isRegistered(registration.text, of: account, app: context.app.id)
        else {
            return .refused(.notRegistered)
        }
        guard try await mayGuess(.id(user), account, .otp, context) else {
            return .refused(.wrongCode)
        }
        let device = context.device(of: account.id)
        switch try await tokens.authenticate(
            passcode, of: account, app: context.app, device: device, isRegistration: true)
        {
        case .accepted: return .otpRegistered(user)
        case .refused(let locked, let isJudged):
            _ = try await refuse(
                .otp, account.id, context, isJudged: isJudged, locked: locked,
                reason: "registration")
            return .refused(locked ? .locked : .wrongCode)
        }
    }

    func authenticateOTP(
        _ user: UserReference, _ passcode: Sensitive<String>, _ context: EffectContext
    ) async throws -> EffectResult.Answer {
        let found = try await account(user, context),
            account = try await mayGuess(user, found, .otp, context) ? found : nil
        let judgement = try await tokens.authenticate(
            passcode, of: account, app: context.app,
            device: account.flatMap { context.device(of: $0.id) })
        return try await answer(judgement, account, context)
    }

    /// The challenge is used up before the response is looked at, and what was shown is part of it.
    func verify(_ user: UserReference, _ signature: OTPSignature, _ context: EffectContext)
        async throws -> EffectResult.Answer
    {
        let text = Self.challengeText(
            signature.challenge, .transaction(approvalData: signature.approvalData))
        let isFresh = try await challenges.take(
            signature.challenge.text, for: .journey, binding: context.run.text)
        let found = try await account(user, context),
            account = try await mayGuess(user, found, .otp, context) && isFresh ? found : nil
        let judgement = try await tokens.verifySignature(
            signature.passcode, over: text, of: account, app: context.app,
            device: account.flatMap { context.device(of: $0.id) })
        return try await answer(judgement, account, context)
    }

    private func answer(
        _ judgement: OTPService.Judgement, _ account: AccountRecord?, _ context: EffectContext
    ) async throws -> EffectResult.Answer {
        switch judgement {
        case .accepted(let authenticator):
            guard let account else { return .refused(.unavailable) }
            try await accept(.otp, account.id, context)
            return .authenticated(
                account.id, amr: [AuthenticatorType.otp.method],
                by: AuthenticatorUse(authenticator, epoch: account.epoch))
        case .refused(let locked, let isJudged):
            return try await refuse(.otp, account?.id, context, isJudged: isJudged, locked: locked)
        }
    }
}
