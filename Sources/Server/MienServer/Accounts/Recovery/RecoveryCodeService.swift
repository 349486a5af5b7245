internal import MienAPI
package import MienCore
package import MienStore

/// Manages recovery codes: ten per set, shown once, each valid once. A code signs its user in and
/// restores access immediately.
///
/// A set is one authenticator of the account, for all apps. New codes are a new authenticator: the
/// sign-ins made with earlier codes end, except the one that makes the new codes. The lock gate's
/// counts stay.
package struct RecoveryCodeService: Sendable {
    let store: Store
    let gate: LockGate
    let notices: AuthenticatorNotices
    let mail: MailService
    let clock: ServerClock

    // MARK: Creating

    /// Creates ten new codes and invalidates earlier ones.
    ///
    /// - Throws: ``Problem`` if an administrator or a journey has locked the user's recovery codes.
    func make(for account: AccountRecord, app: AppID, _ standing: SignInStanding)
        async throws
        -> RecoveryCodesAnswer
    {
        var generator = SystemRandomNumberGenerator()
        let codes = (0..<RecoveryCode.countInSet).map { _ in RecoveryCode.random(using: &generator)
        }
        let newID = AuthenticatorID.random(using: &generator), keys = store.keys, now = clock.now,
            notice = notices.draft(), user = account.id
        try await store.write { tables in
            guard let account = try tables.accounts.find(user), account.state == .active else {
                throw Problem.userIsGone
            }
            try standing.require(in: tables)
            let set = AuthenticatorRecord(
                id: newID, account: user, type: .recoveryCode, app: nil, content: [],
                info: Self.info(at: now), createdAt: now)
            if let old = try tables.authenticators.find(.recoveryCode, of: account, app: nil) {
                guard try !Self.isLocked(old, tables) else { throw Self.locked }
                try tables.replaceAuthenticator(
                    old, with: set, of: account, keeping: standing.grant, at: now)
            } else {
                try tables.authenticators.insert(set, of: account)
            }
            try tables.recoveryCodes.replace(
                set.id, with: codes.map { Self.hash($0, set.id, keys) })
            try tables.audit.append(
                AuditEvent(
                    "recovery_code.registered", actor: "user", account: user, app: app,
                    detail: ["authenticator": .string(set.id.text)]),
                at: now)
            try notice.store(about: set, of: account, app: app, in: tables, at: now)
        }
        return RecoveryCodesAnswer(
            codes: codes.map { $0.text.use { $0 } }, createdAt: now.milliseconds)
    }

    private static func info(at now: Instant) -> [String: JSONValue] {
        ["made_at": .number(Double(now.milliseconds))]
    }

    private static func isLocked(_ set: AuthenticatorRecord, _ tables: Tables) throws -> Bool {
        try tables.locks.isHeld(set.id)
    }

    private static let locked = Problem(
        .conflict, "Your recovery codes are locked. Ask an administrator to unlock them.")

    /// Hashes a code together with its set, so that a hash copied to another account's set is
    /// useless.
    private static func hash(_ code: RecoveryCode, _ set: AuthenticatorID, _ keys: StoreKeys)
        -> [UInt8]
    {
        code.bytes.use { keys.hash(ofSecret: Array("recovery-code \(set.text) ".utf8) + $0) }
    }

    // MARK: Managing codes

    func status(of account: AccountRecord) async throws -> RecoveryCodesStatus {
        try await store.read { tables in
            guard let set = try tables.authenticators.find(.recoveryCode, of: account, app: nil)
            else { return RecoveryCodesStatus(remaining: 0) }
            return RecoveryCodesStatus(
                remaining: try tables.recoveryCodes.count(of: set.id),
                createdAt: set.info["made_at"]?.numberValue.map { Int64($0) })
        }
    }

    /// - Returns: Whether the user had any recovery codes.
    func delete(of account: AccountRecord) async throws -> Bool {
        let now = clock.now
        return try await store.write { tables in
            guard let set = try tables.authenticators.find(.recoveryCode, of: account, app: nil)
            else { return false }
            guard try !Self.isLocked(set, tables) else { throw Self.locked }
            return try tables.removeAuthenticator(set.id, of: account, actor: "user", at: now)
        }
    }

    // MARK: Verifying

    package enum Judgment: Sendable {
        case accepted(AuthenticatorID)
        /// - Parameter isJudged: Whether the lock gate counted the code.
        case refused(locked: Bool, isJudged: Bool)
    }

    /// The step of a run that verifies a code: see ``EffectPerformer/stepUse(of:_:)``; and the end
    /// of the run.
    package struct Step: Sendable {
        let use: @Sendable ([UInt8]) -> [UInt8]
        let endsAt: Instant
    }

    /// Verifies a code through the lock gate. Does the same work if there is no such user.
    package func authenticate(
        _ typed: Sensitive<String>, of account: AccountRecord?, app: AppRecord, device: DeviceID?,
        step: Step
    ) async throws -> Judgment {
        let set = try await account.asyncMap { account in
            try await store.read {
                try $0.authenticators.find(.recoveryCode, of: account, app: nil)
            }
        }
        // Text that is not a code cannot be a guess, so strangers cannot lock the codes with it.
        guard let account, let set = set ?? nil, let code = typed.use({ RecoveryCode(typed: $0) })
        else {
            try await gate.pretend()
            return .refused(locked: false, isJudged: false)
        }
        guard let pass = try await gate.begin(set, device: device) else {
            try await gate.pretend()
            return .refused(locked: true, isJudged: false)
        }
        let hash = Self.hash(code, set.id, store.keys)
        let use = step.use(hash), now = clock.now
        let accepted = AuditEvent(
            "recovery_code.accepted", actor: "journey", account: account.id, app: app.id)
        let isRight = try await store.write { [mail] tables -> Bool in
            if try tables.recoveryCodes.take(hash, of: set.id) {
                _ = try tables.spent.spend(.step, use, until: step.endsAt)
                try tables.audit.append(accepted, at: now)
                if let notice = try Self.notice(
                    account, tables.recoveryCodes.count(of: set.id), app, at: now)
                {
                    try mail.post(
                        notice, through: .notices, about: account.id, in: tables, at: now)
                }
                return true
            }
            return try tables.spent.contains(.step, use)
        }
        guard isRight else { return .refused(locked: false, isJudged: true) }
        try await gate.succeed(pass)
        return .accepted(set.id)
    }

    private static func notice(
        _ account: AccountRecord, _ left: Int, _ app: AppRecord, at now: Instant
    ) -> Mail? {
        guard let address = account.noticeAddress else { return nil }
        let rest =
            left == 0
            ? "No codes are left." : "\(left) \(left == 1 ? "code is" : "codes are") left."
        return Mail(
            to: address, subject: "A recovery code was used",
            body: Sensitive(
                """
                A recovery code was used to sign in to your account in \(app.name.isolated) on \(now.noticeText). \(rest)

                If that was you, make new codes when few are left. If it was not, sign in, remove your recovery codes, and check your other \
                sign-in methods.
                """))
    }
}
