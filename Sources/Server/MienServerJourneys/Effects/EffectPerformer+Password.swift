internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienServerAccess
internal import MienServerAccounts
internal import MienServerCore
internal import MienStore

/// Passwords.
extension EffectPerformer {
    func authenticate(
        _ user: UserReference, password: Sensitive<String>, _ context: EffectContext
    ) async throws -> EffectReply<Authentication> {
        let account = try await account(user, context)
        guard try await mayGuess(user, account, .password, context) else {
            return .refused(.invalidCredentials)
        }
        let share = share(of: user, account, context)
        // Check for room before the gate writes, so that a client that fills this queue does not
        // fill the database's queue as well.
        try passwords.requireRoom(for: share)
        let authenticator = try await account.asyncMap { account in
            try await store.read { try $0.authenticators.find(.password, of: account, app: nil) }
        }
        guard let account, let authenticator = authenticator ?? nil else {
            try await gate.pretend()
            _ = try await passwords.verify(password, against: nil, for: share)
            return try await refuse(.password, nil, context)
        }
        let hash = authenticator.content.use { Sensitive(String(decoding: $0, as: UTF8.self)) }
        guard let pass = try await gate.begin(authenticator, device: context.device(of: account.id))
        else {
            // Take as long as a checked guess, but do not check the password.
            try await gate.pretend()
            _ = try await passwords.verify(password, against: nil, for: share)
            return try await refuse(.password, account.id, context, locked: true)
        }
        let isRight: Bool
        do { isRight = try await passwords.verify(password, against: hash, for: share) } catch {
            try await gate.abandon(pass)
            throw error
        }
        guard isRight else {
            return try await refuse(.password, account.id, context, isJudged: true)
        }
        try await gate.succeed(pass)
        if passwords.isOutdated(hash) {
            let new = try await passwords.hash(password, for: share), now = clock.now
            do {
                try await store.write { tables in
                    var changed = authenticator
                    changed.content = Sensitive(Array(new.utf8))
                    try tables.authenticators.update(changed, of: account, at: now)
                }
            } catch let error as StoreError where error.code == .stale {
                // The password was changed in the meantime. Keep the newer one.
            }
        }
        try await accept(.password, account.id, context)
        return .authenticated(
            account.id, amr: [AuthenticatorType.password.method],
            by: AuthenticatorUse(authenticator.id, epoch: account.epoch))
    }
}

extension AuthenticatePasswordEffect: PerformedEffect {
    func performed(by performer: EffectPerformer, _ context: EffectContext) async throws -> Reply {
        try await EvenPace.keep(where: \.isRefusal) {
            try await performer.authenticate(user, password: password, context)
        }
    }
}
