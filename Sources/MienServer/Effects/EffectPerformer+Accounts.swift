internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienStore

/// Users, locks, consents.
extension EffectPerformer {
    /// An active account; `nil` for none and for one that is suspended.
    func account(_ user: UserReference) async throws -> AccountRecord? {
        let found: AccountRecord? =
            switch user {
            case .id(let id): try await store.read { try $0.accounts.find(id) }
            case .identifier(let text): try await store.read { tables in try text.use { try tables.accounts.find(identifier: $0) } }
            }
        return found?.state == .active ? found : nil
    }

    /// One bucket an account, whatever it is called, and one for each device it is known on: strangers cannot use up the owner's. A name that is
    /// nobody's has one, too.
    func mayGuess(_ user: UserReference, _ account: AccountRecord?, _ context: EffectContext) -> Bool {
        let key: String
        if let account {
            key = "\(account.id.text) \(context.device(of: account.id)?.text ?? "")"
        } else {
            switch user {
            case .id(let id): key = id.text
            case .identifier(let text):
                key = text.use { Base64URL.encode(store.keys.hash(ofSecret: Array((LoginName.candidates($0).first?.normal ?? "").utf8))) }
            }
        }
        return guesses.take(key, at: clock.now) == nil
    }

    func create(_ user: NewUser, _ context: EffectContext) async throws -> EffectResult.Answer {
        let profile = AccountProfile(
            externalID: user.externalID?.use { $0 }, username: user.username?.use { $0 }, email: user.email?.use { $0 },
            attributes: user.attributes.use { $0 })
        do {
            let id = try await AccountService(store: store, passwords: passwords, notices: notices, clock: clock).create(
                profile, password: user.password, actor: "journey", app: context.app.id, for: .stranger())
            return .userCreated(id)
        } catch let problem as Problem {
            // A stranger must not learn here which names are taken; the journey's author decides what to say.
            return .refused(problem.code == .conflict ? .userExists : .notAllowed)
        }
    }

    /// All of that type: a user may have several device keys.
    func setLock(_ isLocked: Bool, _ user: UserID, _ type: AuthenticatorType, _ context: EffectContext) async throws -> EffectResult.Answer {
        guard context.app.isFirstParty else { return .refused(.notAllowed) }
        let now = clock.now, app = context.app.id
        let found = try await store.read { tables -> [AuthenticatorID] in
            guard let account = try tables.accounts.find(user) else { return [] }
            return try tables.authenticators.all(of: account).filter { $0.type == type && (!type.isPerApp || $0.app == app) }.map(\.id)
        }
        guard !found.isEmpty else { return .refused(.notRegistered) }
        let grant = context.begun?.grant
        for authenticator in found {
            if isLocked { try await gate.lock(authenticator) } else { try await store.write { try $0.locks.unlock(authenticator) } }
            try await store.write { tables in
                if isLocked { _ = try tables.grants.revokeAll(by: authenticator, except: grant, at: now) }
                try tables.audit.append(
                    AuditEvent(
                        isLocked ? "authenticator.locked" : "authenticator.unlocked", actor: "journey", account: user, app: app,
                        detail: ["authenticator": .string(authenticator.text), "type": .string(type.rawValue)]), at: now)
            }
        }
        return .done
    }

    func recordConsent(_ user: UserID, _ text: ConsentText, _ context: EffectContext) async throws -> EffectResult.Answer {
        let now = clock.now, app = context.app.id
        var generator = SystemRandomNumberGenerator()
        let record = ConsentRecord(
            id: "con_" + Base64URL.encode(generator.bytes(16)), account: user, app: app, purpose: Self.facePurpose, textVersion: text.version,
            givenAt: now)
        try await store.write { tables in
            try tables.consents.insert(record)
            try tables.audit.append(
                AuditEvent("consent.given", actor: "journey", account: user, app: app, detail: ["text_version": .string(text.version)]), at: now)
        }
        return .done
    }
}
