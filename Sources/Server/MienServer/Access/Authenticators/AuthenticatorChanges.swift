package import MienAPI
package import MienCore
package import MienStore

/// Guards every change to a user's authenticators: the app must be first-party, and the sign-in
/// fresh and strong enough.
///
/// The rule itself is ``ChangeRule``; this type gathers its inputs.
package struct AuthenticatorChanges: Sendable {
    package let store: Store
    /// Returns the authenticators that the published journeys among these use; `nil` for all
    /// journeys.
    let requested: @Sendable (_ journeys: [JourneyID]?) async throws -> Set<AuthenticatorType>
    package let clock: ServerClock
    package let rule: ChangeRule
    /// The setting `authentication.identities`: whether the server accepts passkeys and device
    /// keys.
    let identities: [String]

    // MARK: Requests with an access token

    /// - Parameter reach: Where the new authenticator will sign the user in.
    /// - Returns: The sign-in. Check it again in the transaction that makes the change.
    /// - Throws: ``OAuthError`` `insufficient_user_authentication` that states what a new sign-in
    ///   must prove.
    @discardableResult
    package func require(
        _ change: AuthenticatorChange, by caller: Caller, reach: AuthenticatorReach = .app
    ) async throws -> SignInStanding {
        let reachable =
            change == .add
            ? try await reachable(caller.account, app: caller.app, reach: reach) : .none
        let proofs = try await counting(
            caller.grant.proofs, from: caller.grant.authenticators, of: caller.account)
        let shortfall = rule.shortfall(
            for: change, proofs: proofs, reachable: reachable, at: clock.now)
        guard let shortfall else { return SignInStanding(caller) }
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
        error.stepUp = .init(
            maxAge: rule.freshSeconds, acr: acr, level: reachable.rawValue)
        return error
    }

    /// Returns the proofs without emailed codes, which prove access to a mailbox only.
    ///
    /// `amr` calls both emailed codes and codes of an OTP token `otp`; the authenticators tell them
    /// apart.
    package func counting(
        _ proofs: [SignInProof], from used: [AuthenticatorID], of account: AccountRecord
    ) async throws -> [SignInProof] {
        let code = AuthenticatorType.otp.method
        guard proofs.contains(where: { $0.methods.contains(code) }) else { return proofs }
        let records = try await store.read { try $0.authenticators.all(of: account) }
        guard !records.contains(where: { $0.type == .otp && used.contains($0.id) }) else {
            return proofs
        }
        return proofs.map { proof in
            SignInProof(
                methods: proof.methods.filter { $0 != code }, at: proof.at,
                isRecovery: proof.isRecovery)
        }
    }

    // MARK: What is within reach

    /// Returns the highest assurance that the account's authenticators allow wherever a new
    /// authenticator will work.
    ///
    /// A passkey serves all apps. Someone with a password must not register one in an app that asks
    /// for no more and use it in an app that does.
    package func reachable(
        _ account: AccountRecord, app: AppID, reach: AuthenticatorReach
    ) async throws -> AssuranceLevel {
        var apps: [AppID]
        switch reach {
        case .app: return try await reachable(account, app: app)
        case .faces:
            apps =
                try await store.read { try $0.faceGroups.group(of: app) }?.apps.keys.sorted() ?? []
        case .account:
            apps = try await store.read { try $0.apps.all() }.filter(\.isFirstParty).map(\.id)
        }
        if !apps.contains(app) { apps.append(app) }
        var highest = AssuranceLevel.none
        for app in apps where highest < .multiFactor {
            highest = max(highest, try await reachable(account, app: app))
        }
        return highest
    }

    /// Returns the highest assurance that the account's authenticators allow in an app.
    ///
    /// Counts every authenticator that an administrator has not locked. Failures of strangers, and
    /// locks that a journey sets after them, do not lower the result. The type's
    /// ``AuthenticatorRules`` say what it adds.
    package func reachable(_ account: AccountRecord, app id: AppID) async throws -> AssuranceLevel {
        AuthenticationContext.assurance(
            of: try await ways(of: account, app: id).flatMap(\.methods))
    }

    /// Returns the ways in which a user could sign in to an app, one for each type of authenticator
    /// that counts in ``reachable(_:app:)`` or restores access.
    package func ways(of account: AccountRecord, app id: AppID) async throws -> [SignInWay] {
        let (app, usable) = try await store.read { tables -> (AppRecord?, [AuthenticatorRecord]) in
            let shared = try tables.faceGroups.shared(with: id, by: account.id)?.space
            let records = try tables.authenticators.all(of: account).filter { record in
                guard record.app == nil || record.app == id || record.app == shared else {
                    return false
                }
                return try !tables.locks.holders(of: record.id).contains(.administrator)
            }
            return (try tables.apps.find(id), records)
        }
        guard let app else { return [] }
        let means = SignInMeans(
            requested: try await requested(
                app.settings.journeys.map { $0 + [app.settings.pageJourney].compactMap { $0 } }),
            acceptsPasskeys: identities.contains("passkey"),
            acceptsDeviceKeys: identities.contains("biometric")
                && app.settings.biometric.isEnabled)
        return Dictionary(grouping: usable, by: \.type).map { type, records in
            SignInWay(
                type,
                methods: records.reduce(into: Set<String>()) {
                    $0.formUnion(type.rules.methods(of: $1.facts, through: means))
                })
        }.sorted { $0.type.rawValue < $1.type.rawValue }
    }

    /// Returns what a sign-in has proved, and whether that allows a change.
    ///
    /// - Parameter needed: The assurance that the change requires; `none` if any sign-in will do.
    /// - Returns: The methods of proofs that stay fresh for at least half of the rule's time, so
    ///   that a person has time left for the change; `nil` if the change is allowed now.
    package func missing(_ needed: AssuranceLevel, of caller: Caller) async throws -> Set<String>? {
        let now = clock.now
        let proofs = try await counting(
            caller.grant.proofs, from: caller.grant.authenticators, of: caller.account)
        guard
            rule.shortfall(
                for: needed == .none ? .remove : .add, proofs: proofs, reachable: needed, at: now)
                != nil
        else { return nil }
        let later = now + .seconds(Int64(rule.freshSeconds / 2))
        return proofs.filter { rule.isFresh($0, at: later) && rule.isFresh($0, at: now) }
            .reduce(into: Set<String>()) { $0.formUnion($1.methods) }
    }
}

/// Where an authenticator signs its user in.
package enum AuthenticatorReach: Sendable {
    /// In the app it is added in: device keys, OTP tokens.
    case app
    /// In the app it is added in, and in those that share faces with it.
    case faces
    /// In every app: passkeys, recovery codes, passwords.
    case account
}
