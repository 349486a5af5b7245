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

    /// Takes a guess from a bucket: the account's, or one for this device and method if the method has succeeded on the device before. So
    /// strangers cannot use up the owner's guesses, and a new device token brings nobody more. A name without an account has a bucket, too.
    func mayGuess(
        _ user: UserReference, _ account: AccountRecord?, _ method: AuthenticatorType, _ context: EffectContext
    ) async throws -> Bool {
        let key: String
        if let account {
            let subject = LockSubject(account.id, method, app: context.app.id)
            if let device = context.device(of: account.id), try await gate.hasOwnCounter(device, subject) {
                key = "\(account.id.text) \(device.text) \(method.rawValue)"
            } else {
                key = account.id.text
            }
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

    /// Locks or unlocks all authenticators of a type, as a user may have several device keys. Refused while an administrator's lock is on one of
    /// them: only an administrator lifts that.
    func setLock(_ isLocked: Bool, _ user: UserID, _ type: AuthenticatorType, _ context: EffectContext) async throws -> EffectResult.Answer {
        guard context.app.isFirstParty else { return .refused(.notAllowed) }
        let now = clock.now, app = context.app.id
        let grant = context.begun?.grant
        return try await store.write { tables in
            guard let account = try tables.accounts.find(user) else { return .refused(.notRegistered) }
            let found = try tables.authenticators.all(of: account).filter { $0.type == type && (!type.isPerApp || $0.app == app) }
            guard !found.isEmpty else { return .refused(.notRegistered) }
            if !isLocked {
                for authenticator in found where try tables.locks.holders(of: authenticator.id).contains(.administrator) {
                    return .refused(.notAllowed)
                }
            }
            for authenticator in found {
                if isLocked {
                    try tables.locks.hold(authenticator.id, by: .journey)
                    _ = try tables.grants.revokeAll(by: authenticator.id, except: grant, at: now)
                } else {
                    _ = try tables.locks.release(authenticator, by: .journey)
                }
                try tables.audit.append(
                    AuditEvent(
                        isLocked ? "authenticator.locked" : "authenticator.unlocked", actor: "journey", account: user, app: app,
                        detail: ["authenticator": .string(authenticator.id.text), "type": .string(type.rawValue)]), at: now)
            }
            return .done
        }
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
