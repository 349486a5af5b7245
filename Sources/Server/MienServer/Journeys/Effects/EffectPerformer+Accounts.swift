internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// Users, locks, and consents.
extension EffectPerformer {
    /// Returns an active account, or the pending account that this run is signing up. Returns `nil`
    /// for an unknown or suspended account and for another run's sign-up.
    func account(_ user: UserReference, _ context: EffectContext) async throws
        -> AccountRecord?
    {
        if let own = try await signUp(user, context) { return own }
        let found: AccountRecord? =
            switch user {
            case .id(let id): try await store.read { try $0.accounts.find(id) }
            case .identifier(let text):
                // An app may repeat the user's ID that a registration step told it.
                try await store.read { tables in
                    try text.use { try tables.accounts.find(named: $0) }
                }
            }
        guard let found, found.state == .active, found.isTest || !context.isTrial else {
            return nil
        }
        return found
    }

    /// Returns the run's own sign-up if `user` refers to it by ID, held name, or claimed address.
    /// Another account may have that address.
    private func signUp(_ user: UserReference, _ context: EffectContext) async throws
        -> AccountRecord?
    {
        guard let id = context.signUp,
            let account = try await store.read({ try $0.accounts.find(id) }),
            account.state == .pending
        else { return nil }
        switch user {
        case .id(let named): return named == id ? account : nil
        case .identifier(let text):
            let candidates = text.use { LoginName.candidates($0) }
            let own = account.profile.use { profile in
                ((try? profile.names()) ?? [])
                    + [profile.claimedEmail.flatMap { try? LoginName($0, kind: .email) }].compactMap
                { $0 }
            }
            return candidates.contains(where: own.contains) ? account : nil
        }
    }

    /// Takes one guess from a rate limit. Returns `false` if the limit is used up.
    ///
    /// There is one limit for each name that is typed, whether or not anybody has it, and one for
    /// each device and method that has succeeded on the device before. Strangers therefore cannot
    /// use up the owner's guesses, and a new device token gives nobody additional guesses.
    ///
    /// Limits are kept by name rather than by account. If an account's names shared a limit, a
    /// stranger could drain it under one name, find it empty under another, and learn that both
    /// names belong to the same person. The lock gate counts by account.
    func mayGuess(
        _ user: UserReference, _ account: AccountRecord?, _ method: AuthenticatorType,
        _ context: EffectContext
    ) async throws -> Bool {
        let key: String
        if let account, let device = context.device(of: account.id),
            try await gate.hasOwnCounter(device, account.id, method, in: context.app.id)
        {
            key = "\(account.id.text) \(device.text) \(method.rawValue)"
        } else {
            key = nameKey(user, context)
        }
        return try await guesses.take(key) == nil
    }

    /// Names a user in rate limits by what was typed, so that known and unknown names run dry alike.
    /// A trial has limits of its own.
    func nameKey(_ user: UserReference, _ context: EffectContext) -> String {
        let key =
            switch user {
            case .id(let id): id.text
            case .identifier(let text):
                text.use {
                    let name = LoginName.candidates($0).first?.identifier ?? ""
                    return Base64URL.encode(store.keys.hash(ofSecret: Array(name.utf8)))
                }
            }
        return context.isTrial ? "trial \(key)" : key
    }

    /// Returns the user whose face a capture expects. In a trial, nobody but a test account: an
    /// abandoned capture counts as a guess at that user's face.
    func expected(_ user: UserReference?, _ context: EffectContext) async throws -> UserReference? {
        guard let user, context.isTrial else { return user }
        return try await account(user, context) == nil ? nil : user
    }

    func create(_ user: NewUser, _ context: EffectContext) async throws -> EffectAnswer {
        let profile = AccountProfile(
            externalID: user.externalID?.use { $0 }, username: user.username?.use { $0 },
            claimedEmail: user.email?.use { $0 },
            attributes: user.attributes.use { $0 })
        guard let end = context.endsAt else { return .refused(.unavailable) }
        do {
            return .userCreated(
                try await signUps.begin(
                    profile, password: user.password, app: context.app, until: end,
                    isTest: context.isTrial))
        } catch is Problem {
            // A password or a name that no account can have, whether or not the name is taken.
            return .refused(.notAllowed)
        }
    }

    /// Locks or unlocks all authenticators of a type, because a user may have several device keys.
    /// Unlocking is refused while an administrator's lock is on one of them, because only an
    /// administrator can lift it.
    func setLock(
        _ isLocked: Bool, _ user: UserID, _ type: AuthenticatorType, _ context: EffectContext
    ) async throws -> EffectAnswer {
        guard context.app.isFirstParty else { return .refused(.notAllowed) }
        let now = clock.now, app = context.app.id
        return try await store.write { tables in
            guard let account = try tables.accounts.find(user) else {
                return .refused(.notRegistered)
            }
            let shared = try tables.faceGroups.shared(with: app, by: user)?.space
            let found = try tables.authenticators.all(of: account).filter {
                $0.type == type
                    && (!type.isPerApp || $0.app == app || ($0.app != nil && $0.app == shared))
            }
            guard !found.isEmpty else { return .refused(.notRegistered) }
            if !isLocked {
                for authenticator in found
                where try tables.locks.holders(of: authenticator.id).contains(.administrator) {
                    return .refused(.notAllowed)
                }
            }
            for authenticator in found {
                if isLocked {
                    try tables.locks.hold(authenticator.id, by: .journey)
                    _ = try tables.grants.revokeAll(by: authenticator.id, at: now)
                } else {
                    _ = try tables.locks.release(authenticator, by: .journey)
                }
                try tables.audit.append(
                    AuditEvent(
                        isLocked ? "authenticator.locked" : "authenticator.unlocked",
                        actor: "journey", account: user, app: app,
                        detail: [
                            "authenticator": .string(authenticator.id.text),
                            "type": .string(type.rawValue),
                        ]), at: now)
            }
            return .done
        }
    }

    func recordConsent(_ user: UserID, _ text: ConsentText, _ context: EffectContext) async throws
        -> EffectAnswer
    {
        let now = clock.now, app = context.app.id
        var generator = SystemRandomNumberGenerator()
        let record = ConsentRecord(
            id: "con_" + Base64URL.encode(generator.bytes(16)), account: user, app: app,
            purpose: FaceConsent.purpose, textVersion: text.version,
            givenAt: now)
        let search = text.namesSearch ? "con_" + Base64URL.encode(generator.bytes(16)) : nil
        let shared = "con_" + Base64URL.encode(generator.bytes(16)), sharing = text.sharing
        try await store.write { tables in
            try tables.consents.insert(record)
            if let sharing {
                try tables.recordSharingConsent(shared, of: user, sharing, at: now)
            }
            if let search {
                try tables.recordSearchConsent(search, of: user, app: app, at: now)
            }
            try tables.audit.append(
                AuditEvent(
                    "consent.given", actor: "journey", account: user, app: app,
                    detail: AuditEvent.consent(to: text.version, sharing)), at: now)
        }
        return .done
    }

    func findConsent(_ user: UserID, _ textVersion: String, _ context: EffectContext) async throws
        -> EffectAnswer
    {
        let app = context.app.id
        let consent = try await store.read {
            try $0.consents.current(of: user, app: app, purpose: FaceConsent.purpose)
        }
        return .consent(consent?.textVersion == textVersion)
    }
}

extension AuditEvent {
    /// Returns the details of a consent for the log.
    fileprivate static func consent(to version: String, _ sharing: FaceSharing?) -> [String:
        JSONValue]
    {
        var detail: [String: JSONValue] = ["text_version": .string(version)]
        if let sharing {
            detail["face_group"] = .string(sharing.group.text)
            detail["face_group_version"] = .number(Double(sharing.version))
        }
        return detail
    }
}
