internal import MienAPI
internal import MienCore
internal import MienStore

/// The sign-in methods of the administrator who asks, and the changes of them.
///
/// Every change needs a session that has just begun, still exists when the change is written, and
/// was begun with a method that may make the change.
struct OwnMethods: Sendable {
    /// How long a new secret of an authenticator app waits for its first code.
    private static let appPatience = Duration.seconds(15 * 60)

    let store: Store
    let passkeys: AdministratorPasskeys
    let methods: NewMethods
    let portal: @Sendable () -> String
    let clock: ServerClock

    /// The session that makes a change.
    struct Caller: Sendable {
        let session: AdministratorSession
        let hash: [UInt8]

        var admin: AdminID { session.admin }
    }

    func list(of admin: AdminID, _ session: AdministratorSession?) async throws
        -> AdministratorMethodsAnswer
    {
        let now = clock.now
        let (records, count) = try await store.read {
            (
                try $0.adminMethods.all(of: admin),
                try $0.adminSessions.count(of: admin, at: now)
            )
        }
        return AdministratorMethodsAnswer(
            passkeys: records.filter { $0.kind == .passkey }.map(Self.answer),
            hasPassword: records.contains { $0.kind == .password },
            authenticatorAppAt: records.first { $0.kind == .totp }?.createdAt.milliseconds,
            sessions: count,
            session: session.map {
                AdministratorSessionAnswer(
                    method: $0.method.rawValue, signedInAt: $0.signedInAt.milliseconds,
                    freshUntil: ($0.signedInAt + AdministratorSession.freshness).milliseconds)
            })
    }

    // MARK: Passkeys

    func passkeyOptions(_ caller: Caller) async throws -> JSONValue {
        let admin = caller.admin
        let (record, known) = try await store.read { tables in
            try caller.require(.addPasskey, in: tables)
            return (
                try tables.admins.find(admin),
                try tables.adminMethods.all(of: admin).filter { $0.kind == .passkey }
                    .compactMap { $0.content.use { Passkey($0) } }
            )
        }
        return try await passkeys.registrationOptions(
            for: admin, named: record?.name ?? "", besides: known, binding: admin.text)
    }

    func addPasskey(_ credential: JSONValue, named name: String?, _ caller: Caller) async throws
        -> AdministratorPasskeyAnswer
    {
        let passkey = try await passkeys.verify(credential, for: caller.admin.text)
        let now = clock.now
        let record = try methods.passkey(passkey, named: name, of: caller.admin, at: now)
        try await change(caller, .addPasskey, "administrator.passkey-added", record.id) { tables in
            if let hash = record.credentialHash,
                try tables.adminMethods.find(credentialHash: hash) != nil
            {
                throw Problem(.conflict, "This passkey is already registered.")
            }
            try tables.adminMethods.insert(record)
        }
        return Self.answer(record)
    }

    func removePasskey(_ id: AuthenticatorID, _ caller: Caller) async throws {
        let now = clock.now
        try await store.write { tables in
            // Report an unknown passkey before checking whether it may be removed.
            guard
                try tables.adminMethods.all(of: caller.admin).contains(where: {
                    $0.id == id && $0.kind == .passkey
                })
            else { throw Problem(.notFound, "You have no such passkey.") }
            try caller.require(.removePasskey, in: tables)
            _ = try tables.adminMethods.remove(id, of: caller.admin)
            try Self.note(caller, "administrator.passkey-removed", id, tables, now)
        }
    }

    // MARK: Password and authenticator app

    func setPassword(_ password: Sensitive<String>, _ caller: Caller) async throws {
        let record = try await newPassword(password, caller)
        try await change(caller, .addPassword, "administrator.password-changed") { tables in
            guard try tables.adminMethods.find(.password, of: caller.admin) != nil else {
                throw Self.noPassword
            }
            try tables.adminMethods.remove([.password], of: caller.admin)
            try tables.adminMethods.insert(record)
        }
    }

    func removePassword(_ caller: Caller) async throws {
        try await change(caller, .removePassword, "administrator.password-removed") { tables in
            try tables.adminMethods.remove([.password, .totp, .newTOTP], of: caller.admin)
        }
    }

    func appOptions(_ caller: Caller) async throws -> AuthenticatorAppAnswer {
        let secret = AuthenticatorApp.newSecret(), now = clock.now, admin = caller.admin
        let record = methods.unconfirmedApp(secret, of: admin, at: now)
        let name = try await store.write { tables in
            try caller.require(.addPassword, in: tables)
            try tables.adminMethods.remove([.newTOTP], of: admin)
            try tables.adminMethods.insert(record)
            return try tables.admins.find(admin)?.name ?? ""
        }
        return try AuthenticatorApp.answer(
            secret, portal: RelyingPartySettings.origin(portal())?.host ?? "", name: name)
    }

    /// Replaces the authenticator app, or sets up a password with the first one.
    func setApp(_ wanted: AuthenticatorAppRequest, _ caller: Caller) async throws {
        let admin = caller.admin, now = clock.now
        let (new, hasPassword) = try await store.read { tables in
            (
                try tables.adminMethods.find(.newTOTP, of: admin),
                try tables.adminMethods.find(.password, of: admin) != nil
            )
        }
        guard hasPassword == (wanted.password == nil) else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "password",
                        message: hasPassword
                            ? "is set already; change it separately"
                            : "is missing: codes are valid only together with a password")
                ])
        }
        guard let new, now < new.createdAt + Self.appPatience else {
            throw Problem(.conflict, "Request a new QR code first; one is valid for 15 minutes.")
        }
        let app = try methods.app(
            new.content, confirmedBy: Sensitive(wanted.oneTimeCode), of: admin, at: now)
        let password = try await wanted.password.asyncMap {
            try await newPassword(Sensitive($0), caller)
        }
        try await change(caller, .addPassword, "administrator.authenticator-app-changed") {
            tables in
            guard try tables.adminMethods.remove(new.id, of: admin),
                try (tables.adminMethods.find(.password, of: admin) != nil) == hasPassword
            else { throw Problem(.conflict, "The sign-in methods changed meanwhile. Try again.") }
            try tables.adminMethods.remove([.totp], of: admin)
            try tables.adminMethods.insert(app)
            if let password { try tables.adminMethods.insert(password) }
        }
    }

    private func newPassword(_ password: Sensitive<String>, _ caller: Caller) async throws
        -> AdminMethodRecord
    {
        let admin = caller.admin
        let name = try await store.read { tables in
            try caller.require(.addPassword, in: tables)
            return try tables.admins.find(admin)?.name ?? ""
        }
        return try await methods.password(
            password, of: admin, named: name,
            for: .stranger(naming: admin.text), at: clock.now)
    }

    // MARK: Changing

    private func change(
        _ caller: Caller, _ change: AdministratorMethods.Change, _ event: String,
        _ method: AuthenticatorID? = nil, _ body: @escaping @Sendable (Tables) throws -> Void
    ) async throws {
        let now = clock.now
        try await store.write { tables in
            try caller.require(change, in: tables)
            try body(tables)
            try Self.note(caller, event, method, tables, now)
        }
    }

    /// Records a change and ends all other sessions: a person who used the old methods is out.
    private static func note(
        _ caller: Caller, _ event: String, _ method: AuthenticatorID?, _ tables: Tables,
        _ now: Instant
    ) throws {
        let ended = try tables.adminSessions.removeAll(of: caller.admin, except: caller.hash)
        var detail: [String: JSONValue] = ["ended_sessions": .number(Double(ended))]
        detail["passkey"] = method.map { .string($0.text) }
        try tables.audit.append(
            AuditEvent(event, actor: caller.admin.text, detail: detail), at: now)
    }

    private static func answer(_ record: AdminMethodRecord) -> AdministratorPasskeyAnswer {
        AdministratorPasskeyAnswer(
            id: record.id.text, name: record.name, createdAt: record.createdAt.milliseconds,
            usedAt: record.usedAt?.milliseconds)
    }

    private static let noPassword = Problem(
        .conflict, "There is no password to change. Set one up together with an authenticator app.")
}

extension OwnMethods.Caller {
    /// Requires that the session still exists and may make a change, in its transaction.
    func require(_ change: AdministratorMethods.Change, in tables: Tables) throws {
        guard try tables.adminSessions.find(hash)?.admin == admin else {
            throw Problem(.invalidCredentials, "The session has ended. Sign in again.")
        }
        let records = try tables.adminMethods.all(of: admin)
        let methods = AdministratorMethods(
            passkeys: records.count { $0.kind == .passkey },
            hasPassword: records.contains { $0.kind == .password })
        switch methods.refusal(of: change, signedInWith: session.method) {
        case nil: return
        case .tooManyPasskeys:
            throw Problem(
                .conflict,
                "You have \(AdministratorMethods.maxPasskeys) passkeys, the most. Remove one first."
            )
        case .missing: throw Problem(.notFound, "There is no such sign-in method.")
        case .last:
            throw Problem(
                .conflict, "This is the only way in. Add another sign-in method first.")
        case .needsPasskey:
            throw Problem(
                .insufficientUserAuthentication, "Sign in with a passkey for this change.",
                maxAge: 600)
        }
    }
}
