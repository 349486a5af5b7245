internal import MienAPI
internal import MienCore
internal import MienStore

/// Setup codes and invitations of administrators, from the link to the first sign-in.
struct AdministratorOffers: Sendable {
    let store: Store
    let passkeys: AdministratorPasskeys
    let methods: NewMethods
    let portal: @Sendable () -> String
    let clock: ServerClock

    // MARK: Making

    /// Invites a new administrator.
    ///
    /// - Parameter owner: The owner who invites.
    func invite(_ name: String, as role: AdminRole, by owner: AdminID) async throws
        -> AdministratorInvitationAnswer
    {
        let login = try Self.login(name), now = clock.now
        let new = NewAdministratorOffer(
            inviting: name, as: role, by: owner, store.keys, at: now)
        try await store.write { tables in
            try tables.requireOwner(owner)
            guard try tables.admins.find(login: login) == nil,
                try !tables.isPromised(login, at: now)
            else { throw Self.nameIsTaken }
            try new.store(in: tables)
            try tables.audit.append(
                AuditEvent(
                    "administrator.invited", actor: owner.text,
                    detail: [
                        "admin": .string(new.offer.subject.text),
                        "invitation": .string(new.offer.id.text),
                        "role": .string(role.rawValue),
                    ]), at: now)
        }
        return Self.answer(new.offer, link: new.link(at: portal()).use { $0 })
    }

    func invitations() async throws -> [AdministratorInvitationAnswer] {
        let now = clock.now
        return try await store.read { try $0.adminOffers.open(.invitation, at: now) }
            .map { Self.answer($0) }
    }

    /// - Throws: ``Problem`` `.notFound`.
    func revoke(_ id: AdministratorOfferID, by owner: AdminID) async throws {
        let now = clock.now
        try await store.write { tables in
            try tables.requireOwner(owner)
            guard try tables.adminOffers.removeInvitation(id) else {
                throw Problem(.notFound, "There is no such invitation, or it was accepted.")
            }
            try tables.audit.append(
                AuditEvent(
                    "administrator.invitation-revoked", actor: owner.text,
                    detail: ["invitation": .string(id.text)]), at: now)
        }
    }

    /// Makes a setup code, which replaces all sign-in methods of an administrator once it is used.
    ///
    /// Nobody who has sign-in methods renews their own: a stolen credential must not become a
    /// sign-in, and a stolen session must not outlive the methods that began it.
    ///
    /// - Parameter keepsCredential: Whether the administrator's credential goes on working. An
    ///   owner's own does, because without sign-in methods it is the only way in.
    /// - Throws: ``Problem`` `.notFound`, or `.conflict` for an owner who has sign-in methods.
    func makeSetupCode(for id: AdminID, keepsCredential: Bool, by owner: AdminID) async throws
        -> AdministratorSetupCodeAnswer
    {
        let now = clock.now, keys = store.keys
        let new = try await store.write { tables in
            try tables.requireOwner(owner)
            guard let admin = try tables.admins.find(id) else {
                throw Problem(.notFound, "There is no such administrator.")
            }
            guard try id != owner || tables.adminMethods.kinds(of: id).isEmpty else {
                throw Self.ownSetupCode
            }
            let made = NewAdministratorOffer(
                settingUp: admin, by: owner, endsCredential: id != owner && !keepsCredential,
                keys, at: now)
            try made.store(in: tables)
            try tables.audit.append(
                AuditEvent(
                    "administrator.setup-code-made", actor: owner.text,
                    detail: [
                        "admin": .string(id.text),
                        "ends_credential": .bool(made.offer.endsCredential),
                    ]), at: now)
            return made
        }
        return AdministratorSetupCodeAnswer(
            link: new.link(at: portal()).use { $0 },
            expiresAt: new.offer.expiresAt.milliseconds)
    }

    /// Returns the setup codes that may still be used, without the codes.
    func setupCodes() async throws -> [OpenSetupCodeAnswer] {
        let now = clock.now
        return try await store.read { try $0.adminOffers.open(.setup, at: now) }.map {
            OpenSetupCodeAnswer(
                administrator: $0.subject.text, name: $0.name, madeBy: $0.author?.text,
                createdAt: $0.createdAt.milliseconds, expiresAt: $0.expiresAt.milliseconds,
                endsCredential: $0.endsCredential)
        }
    }

    /// - Throws: ``Problem`` `.notFound`.
    func revokeSetupCode(of id: AdminID, by owner: AdminID) async throws {
        let now = clock.now
        try await store.write { tables in
            try tables.requireOwner(owner)
            // Setup codes belong to administrators. The subject of an invitation is not one yet.
            guard try tables.admins.find(id) != nil, try tables.adminOffers.removeAll(of: id) > 0
            else {
                throw Problem(
                    .notFound, "This administrator has no setup code, or it was already used.")
            }
            try tables.audit.append(
                AuditEvent(
                    "administrator.setup-code-revoked", actor: owner.text,
                    detail: ["admin": .string(id.text)]), at: now)
        }
    }

    // MARK: Using

    /// Returns what the page needs. The code stays valid.
    ///
    /// Each call draws a new secret for the authenticator app, so that one that somebody saw who
    /// opened the link earlier is worthless.
    func options(_ kind: AdministratorOffer.Kind, code: Sensitive<String>) async throws
        -> AdministratorSetupOptions
    {
        let offer = try await open(kind, code), secret = AuthenticatorApp.newSecret()
        let isOpen = try await store.write { try $0.adminOffers.setSecret(secret, of: offer.id) }
        guard isOpen else {
            throw Self.unknownCode
        }
        let passkey =
            passkeys.areOffered
            ? try await passkeys.registrationOptions(
                for: offer.subject, named: offer.name, besides: [], binding: offer.id.text) : nil
        return AdministratorSetupOptions(
            name: offer.name, role: .known(offer.role),
            expiresAt: offer.expiresAt.milliseconds, passkey: passkey,
            authenticatorApp: try AuthenticatorApp.answer(
                secret, portal: RelyingPartySettings.origin(portal())?.host ?? "",
                name: offer.name))
    }

    /// Uses up a code: sets the administrator up with the chosen methods and signs in.
    func accept(
        _ kind: AdministratorOffer.Kind, _ wanted: AdministratorSetupRequest,
        _ cookies: PortalCookies
    ) async throws -> BrowserSignIn {
        let offer = try await open(kind, Sensitive(wanted.code))
        let name = try Self.name(wanted, offer), login = try Self.login(name)
        let records = try await records(wanted, offer, named: name)
        let method =
            records.contains { $0.kind == .passkey }
            ? AdministratorSession.Method.passkey : .password
        let now = clock.now
        let signIn = BrowserSignIn(
            offer.subject, method, cookies, store.keys, at: now)
        let hash = Self.hash(Sensitive(wanted.code), store.keys)
        try await store.write { tables in
            // If a code is used twice, the second use does not find it.
            guard let hash, try tables.adminOffers.open(codeHash: hash, at: now)?.id == offer.id,
                try tables.adminOffers.remove(offer.id)
            else { throw Self.unknownCode }
            try Self.prepare(offer, in: tables)
            if let other = try tables.admins.find(login: login), other.id != offer.subject {
                throw Self.nameIsTaken
            }
            // This offer was removed above, so it does not count as a promise of its own name.
            guard try !tables.isPromised(login, at: now) else { throw Self.nameIsTaken }
            try tables.admins.rename(offer.subject, to: name, login: login)
            for record in records { try tables.adminMethods.insert(record) }
            try tables.audit.append(
                AuditEvent(
                    "administrator.set-up", actor: offer.subject.text,
                    detail: [
                        "by": .string(kind.rawValue), "method": .string(method.rawValue),
                        "author": .string(offer.author?.text ?? "system"),
                        "ends_credential": .bool(offer.endsCredential),
                    ]), at: now)
            try signIn.store(in: tables, at: now)
        }
        return signIn
    }

    /// Inserts the new administrator, or removes what the old methods opened.
    private static func prepare(_ offer: AdministratorOffer, in tables: Tables) throws {
        switch offer.kind {
        case .invitation:
            try tables.admins.insert(
                AdminRecord(
                    id: offer.subject, name: offer.name, role: offer.role,
                    createdAt: offer.createdAt),
                tokenHash: nil)
        case .setup:
            guard try tables.admins.find(offer.subject) != nil else { throw unknownCode }
            try tables.adminMethods.remove(
                Set(AdminMethodRecord.Kind.allCases), of: offer.subject)
            try tables.adminSessions.removeAll(of: offer.subject)
            try tables.adminLocks.removeAll(of: offer.subject)
            if offer.endsCredential {
                try tables.admins.endCredential(of: offer.subject)
                // Somebody else may have made them with the credential or the methods.
                try tables.adminOffers.removeAll(by: offer.subject)
            }
        }
    }

    private func records(
        _ wanted: AdministratorSetupRequest, _ offer: AdministratorOffer, named name: String
    ) async throws -> [AdminMethodRecord] {
        let now = clock.now
        switch (wanted.credential, wanted.password, wanted.oneTimeCode) {
        case (let credential?, nil, nil):
            let passkey = try await passkeys.verify(credential, for: offer.id.text)
            return [
                try methods.passkey(
                    passkey, named: wanted.passkeyName, of: offer.subject, at: now)
            ]
        case (nil, let password?, let code?):
            guard let secret = try await store.read({ try $0.adminOffers.secret(of: offer.id) })
            else {
                // If another request has used up the code meanwhile, the secret was deleted with
                // it.
                _ = try await open(offer.kind, Sensitive(wanted.code))
                throw Problem(.invalidRequest, "Request the options first.")
            }
            let app = try methods.app(
                secret, confirmedBy: Sensitive(code), of: offer.subject, at: now)
            return [
                try await methods.password(
                    Sensitive(password), of: offer.subject, named: name, for: .stranger(),
                    at: now), app,
            ]
        default:
            throw Problem(
                .invalidRequest,
                "Send credential for a passkey, or password and one_time_code; one of both.")
        }
    }

    private func open(_ kind: AdministratorOffer.Kind, _ code: Sensitive<String>) async throws
        -> AdministratorOffer
    {
        let now = clock.now
        guard let hash = Self.hash(code, store.keys),
            let offer = try await store.read({
                try $0.adminOffers.open(codeHash: hash, at: now)
            }), offer.kind == kind
        else { throw Self.unknownCode }
        return offer
    }

    private static func hash(_ code: Sensitive<String>, _ keys: StoreKeys) -> [UInt8]? {
        code.use { Base64URL.decode($0) }.flatMap { $0.count == 32 ? keys.hash(ofSecret: $0) : nil }
    }

    private static func name(
        _ wanted: AdministratorSetupRequest, _ offer: AdministratorOffer
    ) throws -> String {
        guard let name = wanted.name else { return offer.name }
        guard offer.kind == .setup || name == offer.name else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(field: "name", message: "is decided by the owner who invites; omit it")
                ])
        }
        return name
    }

    private static func login(_ name: String) throws -> AdministratorName {
        try Problem.requireLine(name, "name", max: AdministratorName.maxLength)
        guard let login = AdministratorName(name) else {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: "name", message: "must contain letters or digits")])
        }
        return login
    }

    private static func answer(_ offer: AdministratorOffer, link: String? = nil)
        -> AdministratorInvitationAnswer
    {
        AdministratorInvitationAnswer(
            id: offer.id.text, name: offer.name, role: .known(offer.role),
            invitedBy: offer.author?.text, createdAt: offer.createdAt.milliseconds,
            expiresAt: offer.expiresAt.milliseconds, link: link)
    }

    private static let unknownCode = Problem(
        .notFound,
        "The link is unknown, has expired, was revoked, or was already used. Ask an owner for a new one; on the server's machine, mien serve --renew-admin-credential prints one."
    )
    private static let ownSetupCode = Problem(
        .conflict,
        "You have sign-in methods, so another owner makes your setup code. Change your methods at /admin/account; if all are lost and there is no other owner, use mien serve --renew-admin-credential on the server's machine."
    )
    private static let nameIsTaken = Problem(
        .conflict,
        "Another administrator signs in with this name, or is invited to. Choose another."
    )
}

extension Tables {
    /// Whether somebody is invited to sign in with a name.
    fileprivate func isPromised(_ login: AdministratorName, at now: Instant) throws -> Bool {
        try adminOffers.open(.invitation, at: now).contains { AdministratorName($0.name) == login }
    }

    /// Requires that the caller still may manage administrators: another owner may have removed or
    /// demoted the caller since the request began.
    func requireOwner(_ caller: AdminID) throws {
        guard
            try admins.find(caller)?.role.permissions.contains(.changeAdministrators) == true
        else {
            throw Problem(
                .invalidCredentials, "Another owner has removed you or changed your role.")
        }
    }
}
