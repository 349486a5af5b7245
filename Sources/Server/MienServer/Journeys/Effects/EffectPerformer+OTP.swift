internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// OTP tokens: one-time codes that users' devices compute.
extension EffectPerformer {
    func offerOTP(_ user: UserID, _ profile: OTPProfile, _ context: EffectContext) async throws
        -> EffectAnswer
    {
        do {
            let offer = try await tokens.offer(
                kind: profile.kind, digits: profile.digits, to: user, app: context.app.id,
                actor: "journey",
                context.standing(of: user))
            guard let id = CodeID(offer.id) else { return .refused(.unavailable) }
            return .otpOffered(id, registrationCode: offer.code, expiresAt: offer.expiresAt)
        } catch is Problem { return .refused(.notAllowed) }
    }

    /// Confirms a registration with a code. The user has signed in and may therefore learn whether
    /// the device has registered.
    func confirmOTP(
        _ user: UserID, _ registration: CodeID, _ passcode: Sensitive<String>,
        _ context: EffectContext
    ) async throws
        -> EffectAnswer
    {
        guard let account = try await account(.id(user), context),
            let token = try await tokens.token(
                ofRegistration: registration.text, of: account, app: context.app.id)
        else {
            return .refused(.notRegistered)
        }
        guard try await mayGuess(.id(user), account, .otp, context) else {
            return .refused(.wrongCode)
        }
        let device = context.device(of: account.id)
        switch try await tokens.authenticate(
            passcode, of: account, app: context.app, device: device, registered: token)
        {
        case .accepted: return .otpRegistered(user)
        case .refused(let locked, let isJudged):
            try await noteRefusal(
                .otp, account.id, context, isJudged: isJudged, locked: locked,
                reason: "registration")
            return .refused(locked ? .locked : .wrongCode)
        }
    }

    func authenticateOTP(
        _ user: UserReference, _ passcode: Sensitive<String>, _ context: EffectContext
    ) async throws -> EffectAnswer {
        let found = try await account(user, context),
            account = try await mayGuess(user, found, .otp, context) ? found : nil
        let judgment = try await tokens.authenticate(
            passcode, of: account, app: context.app,
            device: account.flatMap { context.device(of: $0.id) })
        return try await answer(judgment, account, context)
    }

    /// Verifies a transaction signature. The challenge is used up before the signature is checked,
    /// and the signature covers the data that was shown.
    func verify(_ user: UserReference, _ signature: OTPSignature, _ context: EffectContext)
        async throws -> EffectAnswer
    {
        let text = Self.challengeText(
            signature.challenge, .transaction(approvalData: signature.approvalData))
        let isFresh = try await challenges.take(
            signature.challenge.text, for: .journey, binding: context.run.text)
        let found = try await account(user, context),
            account = try await mayGuess(user, found, .otp, context) && isFresh ? found : nil
        let judgment = try await tokens.verifySignature(
            signature.passcode, over: text, of: account, app: context.app,
            device: account.flatMap { context.device(of: $0.id) })
        return try await answer(judgment, account, context)
    }

    /// Stores a transaction for approval on another device.
    func requestApproval(
        _ user: UserID, _ data: [String: String], _ context: EffectContext
    ) async throws -> EffectAnswer {
        var generator = SystemRandomNumberGenerator()
        let id = ChallengeID.random(using: &generator)
        let transaction = OTPService.WaitingTransaction(
            challenge: Self.challengeText(id, .transaction(approvalData: data)), data: data,
            device: context.device(of: user))
        let (code, end) = try await tokens.requestApproval(
            id.text, of: transaction, by: user, app: context.app.id, run: context.run.text)
        return .approvalOpened(id, code: code, expiresAt: end)
    }

    /// Closes a run's request for approval, if the user has not decided.
    func closeApproval(_ approval: ChallengeID, run: InstanceID) async throws {
        try await tokens.closeApproval(approval.text, run: run.text)
    }

    /// The lock gate has counted the signature when the other device sent it.
    func readApproval(
        _ user: UserID, _ approval: ChallengeID, _ context: EffectContext
    ) async throws -> EffectAnswer {
        switch try await tokens.decision(on: approval.text, run: context.run.text) {
        case .pending: return .refused(.notYet)
        case .declined: return .refused(.declined)
        case .expired: return .refused(.expired)
        case .approved(let token, let owner, let epoch):
            guard user == owner else { return .refused(.unavailable) }
            try await accept(.otp, owner, context)
            return .authenticated(
                owner, amr: [AuthenticatorType.otp.method],
                by: AuthenticatorUse(token, epoch: epoch))
        }
    }

    private func answer(
        _ judgment: OTPService.Judgment, _ account: AccountRecord?, _ context: EffectContext
    ) async throws -> EffectAnswer {
        switch judgment {
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
