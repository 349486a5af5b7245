internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienStore

/// Guards every change to a user's authenticators: the app must be first-party, and the sign-in
/// fresh and strong enough.
///
/// The rule itself is ``ChangeRule``; this type gathers its inputs.
struct AuthenticatorChanges: Sendable {
    let store: Store
    let catalog: JourneyCatalog
    let clock: ServerClock
    let rule: ChangeRule
    /// The setting `authentication.identities`: whether the server accepts passkeys and device
    /// keys.
    let identities: [String]

    // MARK: Requests with an access token

    /// - Throws: ``OAuthError`` `insufficient_user_authentication` that states what a new sign-in
    ///   must prove.
    func require(_ change: AuthenticatorChange, by caller: Caller) async throws {
        let reachable =
            change == .add ? try await reachable(caller.account, app: caller.app) : .none
        let shortfall = rule.shortfall(
            for: change, proofs: caller.grant.proofs, reachable: reachable, at: clock.now)
        guard let shortfall else { return }
        throw error(
            shortfall, scheme: caller.grant.keyThumbprint == nil ? "Bearer" : "DPoP",
            reachable: reachable)
    }

    private func error(_ shortfall: ChangeRule.Shortfall, scheme: String, reachable: AssuranceLevel)
        -> OAuthError
    {
        let acr = reachable == .multiFactor ? "2" : nil
        let description =
            switch shortfall {
            case .stale:
                "The sign-in is too old for this change. Sign in again; it may be at most \(rule.freshSeconds) seconds old."
            case .weak:
                "The sign-in is too weak for this change. Sign in again with two factors, or with a passkey."
            }
        var error = OAuthError(.insufficientUserAuthentication, description, scheme: scheme)
        error.stepUp = .init(maxAge: rule.freshSeconds, acr: acr)
        return error
    }

    // MARK: Journey steps

    /// Returns why a step may not change the authenticators of `user`, or `nil` if it may.
    ///
    /// A run that authenticated or established the user counts as fresh. A run that only began with
    /// a sign-in is as old as that sign-in.
    func refusal(of change: AuthenticatorChange, of user: UserID, in context: EffectContext)
        async throws -> StepErrorCode?
    {
        guard context.app.isFirstParty else { return .notAllowed }
        guard let known = context.user, known.id == user else { return .userMissing }
        if known.proof?.isNewAccount == true { return nil }
        let now = clock.now
        var proofs = context.begun?.proofs ?? []
        if let proof = known.proof {
            var methods = proof.methods
            // Earlier sign-ins count as well while they are fresh.
            for earlier in proofs where rule.isFresh(earlier, at: now) {
                methods += earlier.methods
            }
            proofs = [SignInProof(methods: methods, at: now, isRecovery: known.isRecovered)]
        }
        guard let account = try await store.read({ try $0.accounts.find(user) }) else {
            return .userMissing
        }
        let reachable = change == .add ? try await reachable(account, app: context.app.id) : .none
        return rule.shortfall(for: change, proofs: proofs, reachable: reachable, at: now) == nil
            ? nil : .insufficientUserAuthentication
    }

    // MARK: Reachable assurance

    /// Returns the highest assurance that the account's authenticators allow in an app.
    ///
    /// Counts every authenticator that an administrator or a journey has not locked. Failures of
    /// strangers do not lower the result. Email codes prove a mailbox, recovery codes restore
    /// access, and device keys without attestation prove nothing about the device, so none of them
    /// raises it. Faces and one-time codes count if a journey of the app requests them.
    func reachable(_ account: AccountRecord, app id: AppID) async throws -> AssuranceLevel {
        let (app, usable) = try await store.read { tables -> (AppRecord?, [AuthenticatorRecord]) in
            let records = try tables.authenticators.all(of: account).filter { record in
                guard record.app == nil || record.app == id else { return false }
                return try !tables.locks.isHeld(record.id)
            }
            return (try tables.apps.find(id), records)
        }
        guard let app else { return .none }
        let requested = try await catalog.authenticators(askedBy: app.settings.journeys)
        var methods: Set<String> = []
        for record in usable {
            switch record.type {
            case .password: methods.insert(record.type.method)
            case .face, .otp:
                if requested.contains(record.type) { methods.insert(record.type.method) }
            case .passkey:
                if identities.contains("passkey") {
                    methods.formUnion([record.type.method, "mfa"])
                }
            case .nativeBiometrics:
                guard identities.contains("biometric"), app.settings.biometric.isEnabled,
                    DeviceKeyService.isAttested(record)
                else { continue }
                methods.formUnion(DeviceKeyService.methods(of: record))
            case .emailCode, .recoveryCode: continue
            }
        }
        return AuthenticationContext.assurance(of: methods)
    }
}
