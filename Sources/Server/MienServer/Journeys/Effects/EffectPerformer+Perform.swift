internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

extension EffectPerformer {
    /// - Throws: An error that keeps the effect from being performed, such as a store failure or a
    ///   full queue. The run then does not advance.
    func perform(_ effect: StepEffect, _ context: EffectContext) async throws -> EffectAnswer {
        let answer: EffectAnswer
        do {
            if let refusal = try await refusal(of: effect, context) {
                return .refused(refusal)
            }
            answer = try await self.answer(to: effect, context)
        } catch let error as OAuthError where error.code == .invalidToken {
            return .refused(.insufficientUserAuthentication)
        }
        if case .proof(let proof) = answer, case .verifies(let type) = effect.impact {
            try await migration.proved(proof, by: type, run: context.run)
        }
        return answer
    }

    /// Returns why the user's sign-in does not permit the effect, or `nil` if it does.
    private func refusal(of effect: StepEffect, _ context: EffectContext) async throws
        -> StepErrorCode?
    {
        let (change, user, reach): (AuthenticatorChange, UserID, AuthenticatorReach)
        switch effect.impact {
        case .none, .verifies: return nil
        case .adds(let owner) where effect.registersFace:
            (change, user, reach) = (.add, owner, .faces)
        case .adds(let owner): (change, user, reach) = (.add, owner, .app)
        case .addsToEveryApp(let owner): (change, user, reach) = (.add, owner, .account)
        case .removes(let owner): (change, user, reach) = (.remove, owner, .app)
        }
        guard
            let refusal = try await changes.refusal(
                of: change, of: user, reach: reach, in: context)
        else { return nil }
        try await note(
            "authenticator.change_refused", user, context, ["reason": .string(refusal.rawValue)])
        return refusal
    }

    private func answer(to effect: StepEffect, _ context: EffectContext) async throws
        -> EffectAnswer
    {
        switch effect {
        case .resolveUser(let identifier):
            return .user(try await account(.identifier(identifier), context)?.id)
        case .authenticatePassword(let effect):
            let pace = try await passwordCheck.pace.current()
            return try await EvenPace.keep(step: pace.step, where: \.isRefusal) {
                try await authenticate(
                    effect.user, password: effect.password, refusingAfter: pace.hold, context)
            }
        case .openCapture(let request): return try await openCapture(request, context)
        case .readCapture(let capture): return try await readCapture(capture, context)
        case .openVerification(let request): return try await openVerification(request, context)
        case .readVerification(let effect): return try await readVerification(effect, context)
        case .registerFace(let effect):
            return try await registerFace(
                effect.user, effect.capture, effect.consentTextVersion, context)
        case .authenticateFace(let effect):
            return try await EvenPace.keep(where: \.isRefusal) {
                try await authenticate(effect.user, capture: effect.capture, context)
            }
        case .challengeDeviceKey(let effect):
            return try await challenge(effect.purpose, for: effect.user, context)
        case .registerDeviceKey(let effect):
            return try await registerKey(effect.user, effect.key, context)
        case .verifyDeviceKey(let effect):
            return try await verify(effect.user, effect.proof, context)
        case .deleteDeviceKey(let effect):
            return try await deleteKey(effect.user, effect.keyID, context)
        case .sendEmailCode(let effect):
            return try await EvenPace.keep {
                try await sendCode(
                    effect.user, length: effect.length, seconds: effect.lifetimeSeconds, context)
            }
        case .checkEmailCode(let effect):
            return try await EvenPace.keep {
                try await check(effect.code, effect.user, effect.passcode, context)
            }
        case .offerOTP(let effect):
            return try await offerOTP(effect.user, effect.profile, context)
        case .confirmOTP(let effect):
            return try await confirmOTP(effect.user, effect.registration, effect.passcode, context)
        case .authenticateOTP(let effect):
            return try await EvenPace.keep {
                try await authenticateOTP(effect.user, effect.passcode, context)
            }
        case .challengeOTP(let data):
            return try await challenge(.transaction(approvalData: data), context)
        case .verifyOTPSignature(let effect):
            return try await EvenPace.keep {
                try await verify(effect.user, effect.signature, context)
            }
        case .requestApproval(let effect):
            return try await requestApproval(effect.user, effect.approvalData, context)
        case .readApproval(let effect):
            return try await readApproval(effect.user, effect.approval, context)
        case .authenticateRecoveryCode(let effect):
            return try await EvenPace.keep {
                try await authenticateRecoveryCode(effect.user, effect.code, context)
            }
        case .recoverAccount(let effect):
            return try await recoveries.request(effect.user, effect.methods, app: context.app)
        case .setPassword(let effect):
            return try await setPassword(effect.password, of: effect.user, context)
        case .recordConsent(let effect):
            return try await recordConsent(effect.user, effect.text, context)
        case .findConsent(let effect):
            return try await findConsent(effect.user, effect.textVersion, context)
        case .createUser(let user):
            return try await EvenPace.keep(step: EvenPace.signUpStep) {
                try await create(user, context)
            }
        case .setAuthenticatorLock(let effect):
            return try await setLock(effect.isLocked, effect.user, effect.authenticator, context)
        case .callWebhook(let call):
            return await webhooks.call(
                call, run: context.run, turn: context.turn, app: context.app.id,
                isTrial: context.isTrial)
        }
    }
}

extension StepEffect {
    /// Whether it adds a face, which the apps of a group may share.
    fileprivate var registersFace: Bool {
        if case .registerFace = self { true } else { false }
    }
}
