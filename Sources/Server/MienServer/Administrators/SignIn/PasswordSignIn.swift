internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// Signs administrators in with a password and a one-time code.
///
/// Both are always checked, and only together are they right: nobody learns whether a password is
/// right without the code. An unknown name, an administrator without a password, and a locked one
/// take as long as a wrong password.
struct PasswordSignIn: Sendable {
    let store: Store
    let gate: AdministratorGate
    let passwords: PasswordService
    let clock: ServerClock

    private struct Found: Sendable {
        let admin: AdminID
        let hash: Sensitive<String>
        let app: AdminMethodRecord
    }

    /// - Throws: ``Problem`` `.invalidCredentials`, the same for every refusal; the audit log
    ///   distinguishes them.
    func signIn(
        _ name: String, password: Sensitive<String>, code: Sensitive<String>,
        _ cookies: PortalCookies
    ) async throws -> BrowserSignIn {
        let share = WorkShare.stranger()
        // Before the gate writes, so that a client that fills this queue does not fill the
        // database's queue as well.
        try passwords.requireRoom(for: share)
        let typed = code.use { OneTimeCode(typed: $0) }
        guard let found = try await find(name) else {
            try await pretend(password, typed, share)
            throw try await refuse(nil, "unknown", isJudged: false)
        }
        let browsers = cookies.browserHashes(store.keys)
        guard let pass = try await gate.begin(found.admin, .password, browsers: browsers) else {
            try await pretend(password, typed, share)
            throw try await refuse(found.admin, "locked", isJudged: false)
        }
        let isRight: Bool
        do {
            isRight = try await passwords.verify(password, against: found.hash, for: share)
        } catch {
            try await gate.abandon(pass)
            throw error
        }
        let step = AuthenticatorApp.step(of: typed, found.app, at: clock.now)
        guard isRight, let step else {
            throw try await refuse(found.admin, isRight ? "code" : "password", isJudged: true)
        }
        let now = clock.now
        let signIn = BrowserSignIn(
            found.admin, .password, known: pass.browser, cookies, store.keys, at: now)
        let isBegun = try await store.write { tables in
            // Of two sign-ins with the same code, only one begins. The method may also be gone.
            guard try tables.adminMethods.advance(found.app.id, to: step, at: now) else {
                return false
            }
            try AdministratorGate.succeed(
                pass, browser: signIn.browserHash, in: tables, at: now)
            try signIn.store(in: tables, at: now)
            return true
        }
        guard isBegun else { throw try await refuse(found.admin, "code", isJudged: true) }
        return signIn
    }

    private func find(_ name: String) async throws -> Found? {
        guard let name = AdministratorName(name) else { return nil }
        return try await store.read { tables in
            guard let admin = try tables.admins.find(login: name),
                let password = try tables.adminMethods.find(.password, of: admin.id),
                let app = try tables.adminMethods.find(.totp, of: admin.id)
            else { return nil }
            let hash = password.content.use { Sensitive(String(decoding: $0, as: UTF8.self)) }
            return Found(admin: admin.id, hash: hash, app: app)
        }
    }

    private func pretend(
        _ password: Sensitive<String>, _ code: OneTimeCode?, _ share: WorkShare
    ) async throws {
        try await gate.pretend()
        _ = try await passwords.verify(password, against: nil, for: share)
        _ = AuthenticatorApp.step(of: code, nil, at: clock.now)
    }

    /// - Parameter isJudged: Whether the gate counted the guess. If not, anybody can cause any
    ///   number of these refusals, so the audit log only counts them.
    private func refuse(_ admin: AdminID?, _ reason: String, isJudged: Bool) async throws -> Problem
    {
        let now = clock.now
        let event = AuditEvent(
            "administrator.sign-in-refused", actor: admin?.text ?? "system",
            detail: ["method": "password", "reason": .string(reason)])
        try await store.write {
            try isJudged ? $0.audit.append(event, at: now) : $0.audit.count(event, at: now)
        }
        return .signInRefused
    }
}

extension Problem {
    static let signInRefused = Problem(
        .invalidCredentials,
        "The sign-in is refused. Check the name, the password, and that the code is new; after several failures, wait a minute."
    )
}
