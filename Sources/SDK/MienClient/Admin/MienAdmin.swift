public import MienAPI
public import MienCore

/// A typed client of the admin API: apps, users, authenticators, journeys, and the audit log.
///
/// Requests that create something are not repeated when it is unknown whether they arrived; all
/// other requests are.
public struct MienAdmin: Sendable {
    let connection: Connection
    let credential: Sensitive<String>

    /// The address of the admin API that a server uses by default (`admin.listen`), on the same
    /// machine.
    public static let defaultServerPath = "http://127.0.0.1:8081"

    /// Connects to a server's admin API.
    ///
    /// - Parameters:
    ///   - options: `serverPath` is the address the server prints as “Admin API on”, which differs
    ///     from the public one.
    ///   - credential: The admin credential, as the server's first start printed it.
    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(
        _ options: MienOptions = MienOptions(serverPath: defaultServerPath),
        credential: Sensitive<String>
    ) throws(MienError) {
        try self.init(options, credential: credential) { try await Task.sleep(for: $0) }
    }

    init(
        _ options: MienOptions, credential: Sensitive<String>,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) throws(MienError) {
        (connection, self.credential) = (try options.connection(sleep: sleep), credential)
    }

    func get<Answer: Decodable>(_ path: String..., query: [(String, String)] = []) async throws
        -> Answer
    {
        try await connection.json(
            .init(method: .get, path: ["v1"] + path, query: query, bearer: credential))
    }

    func send<Answer: Decodable>(
        _ method: HTTPTransportRequest.Method, _ path: String...,
        body: (any Encodable & Sendable)? = nil, isRepeatable: Bool = true
    ) async throws -> Answer {
        try await connection.json(
            .init(
                method: method, path: ["v1"] + path, bearer: credential,
                body: body.map { Connection.encode($0) } ?? [], isRepeatable: isRepeatable))
    }

    /// Returns one page of a list.
    func page<Item>(_ path: String..., after: String?) async throws -> Page<Item> {
        try await page(path, after: after)
    }

    /// Returns a whole list, page by page.
    func all<Item: Sendable & Hashable & Codable>(_ path: String...) async throws -> [Item] {
        var items: [Item] = [], after: String?
        repeat {
            let next: Page<Item> = try await page(path, after: after)
            items += next.items
            after = next.next
        } while after != nil
        return items
    }

    private func page<Item>(_ path: [String], after: String?) async throws -> Page<Item> {
        try await connection.json(
            .init(
                method: .get, path: ["v1"] + path, query: after.map { [("after", $0)] } ?? [],
                bearer: credential))
    }

    func act(_ method: HTTPTransportRequest.Method, _ path: String...) async throws {
        try await connection.send(.init(method: method, path: ["v1"] + path, bearer: credential))
    }
}

// MARK: Administrators

extension MienAdmin {
    /// Returns all administrators, the oldest first.
    public func administrators() async throws -> [AdministratorAnswer] {
        try await all("administrators")
    }
    /// Returns the administrator whose credential this is.
    public func administrator() async throws -> AdministratorAnswer {
        try await get("administrator")
    }
    /// Creates an administrator. Only this answer contains the credential, which opens what the role
    /// permits.
    ///
    /// - Parameter name: One line of 1 to 100 characters, which tells administrators apart.
    public func createAdministrator(_ name: String, as role: AdminRole) async throws
        -> AdministratorAnswer
    {
        try await send(
            .post, "administrators", body: AdministratorRequest(name: name, role: role),
            isRepeatable: false)
    }
    /// Changes the role of another administrator, from the next request on.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`, or `conflict` for the caller.
    public func changeAdministrator(_ id: String, to role: AdminRole) async throws
        -> AdministratorAnswer
    {
        try await send(
            .put, "administrators", id, "role", body: AdministratorRoleRequest(role: role))
    }
    /// Removes another administrator, whose credential then stops working.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`, or `conflict` for the caller.
    public func removeAdministrator(_ id: String) async throws {
        try await act(.delete, "administrators", id)
    }
    /// Invites an administrator to the portal. Only this answer contains the link, which works once
    /// within 72 hours.
    ///
    /// - Parameter name: One line of 1 to 100 characters, with which the person signs in.
    /// - Throws: ``MienError`` with the problem `conflict` if another administrator has this name.
    public func inviteAdministrator(_ name: String, as role: AdminRole) async throws
        -> AdministratorInvitationAnswer
    {
        try await send(
            .post, "administrators", "invitations",
            body: AdministratorRequest(name: name, role: role), isRepeatable: false)
    }
    /// Returns the invitations that nobody has accepted, the oldest first.
    public func administratorInvitations() async throws -> [AdministratorInvitationAnswer] {
        try await (get("administrators", "invitations") as Page<AdministratorInvitationAnswer>)
            .items
    }
    /// Revokes an invitation.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`.
    public func revokeAdministratorInvitation(_ id: String) async throws {
        try await act(.delete, "administrators", "invitations", id)
    }
    /// Makes a setup code for an administrator's sign-in to the portal. Using it replaces all of the
    /// administrator's sign-in methods. Only this answer contains the link, which works once within
    /// 24 hours.
    ///
    /// - Parameter keepsCredential: Whether the administrator's credential goes on working once the
    ///   code is used. The caller's own does.
    /// - Throws: ``MienError`` with the problem `not_found`, or `conflict` for the caller, if the
    ///   caller already has sign-in methods.
    public func makeSetupCode(forAdministrator id: String, keepsCredential: Bool = false)
        async throws -> AdministratorSetupCodeAnswer
    {
        try await connection.json(
            .init(
                method: .post, path: ["v1", "administrators", id, "setup-code"],
                query: keepsCredential ? [("keep_credential", "true")] : [], bearer: credential,
                isRepeatable: false))
    }
    /// Returns the setup codes that nobody has used, the oldest first.
    public func setupCodes() async throws -> [OpenSetupCodeAnswer] {
        try await (get("administrators", "setup-codes") as Page<OpenSetupCodeAnswer>).items
    }
    /// Revokes the setup code of an administrator.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`.
    public func revokeSetupCode(ofAdministrator id: String) async throws {
        try await act(.delete, "administrators", id, "setup-code")
    }
}

// MARK: Apps

extension MienAdmin {
    public func apps() async throws -> [AppAnswer] {
        try await all("apps")
    }
    public func app(_ id: AppID) async throws -> AppAnswer { try await get("apps", id.text) }
    /// Returns the initial access tokens with which programs register apps, the oldest first.
    public func registrationTokens() async throws -> [RegistrationTokenAnswer] {
        try await all("registration-tokens")
    }
    /// Makes an initial access token. The answer holds it, and is the only one that does.
    public func makeRegistrationToken(_ token: RegistrationTokenRequest) async throws
        -> RegistrationTokenAnswer
    {
        try await send(.post, "registration-tokens", body: token, isRepeatable: false)
    }
    /// Revokes an initial access token. The apps that were registered with it stay.
    public func revokeRegistrationToken(_ id: String) async throws {
        try await act(.delete, "registration-tokens", id)
    }
    /// Returns why requests of an app were refused: at most 30 reasons, the latest first.
    public func refusals(of app: AppID) async throws -> [AppRefusalsAnswer.Refusal] {
        try await (get("apps", app.text, "refusals") as AppRefusalsAnswer).refusals
    }
    /// Creates an app. The answer holds the secret of a confidential app, which is returned only
    /// once.
    public func createApp(_ app: AppRequest) async throws -> AppAnswer {
        try await send(.post, "apps", body: app, isRepeatable: false)
    }
    public func updateApp(_ id: AppID, _ app: AppRequest) async throws -> AppAnswer {
        try await send(.put, "apps", id.text, body: app)
    }
    /// Creates a new secret for a confidential app; the old one stops working.
    public func renewSecret(_ id: AppID) async throws -> AppAnswer {
        try await send(.post, "apps", id.text, "secret", isRepeatable: false)
    }
    /// Deletes the app with all faces and devices registered for it.
    public func deleteApp(_ id: AppID) async throws { try await act(.delete, "apps", id.text) }
}

// MARK: Users

extension MienAdmin {
    /// Creates a registration code for a user's device and returns it, only this once. It replaces
    /// an earlier code for the same user and app.
    public func offerToken(
        to user: UserID, app: AppID, _ wanted: OTPRegistrationRequest = OTPRegistrationRequest()
    ) async throws
        -> OTPRegistrationAnswer
    {
        try await send(
            .post, "users", user.text, "otp", app.text, "registrations", body: wanted,
            isRepeatable: false)
    }

    public func users(after: UserID? = nil) async throws -> Page<UserAnswer> {
        try await get("users", query: after.map { [("after", $0.text)] } ?? [])
    }

    /// Finds a user by user name, email address, or external id.
    public func findUser(_ identifier: String) async throws -> UserAnswer? {
        try await (get("users", query: [("identifier", identifier)]) as Page<UserAnswer>).items
            .first
    }

    public func user(_ id: UserID) async throws -> UserAnswer { try await get("users", id.text) }
    public func createUser(_ user: UserRequest) async throws -> UserAnswer {
        try await send(.post, "users", body: user, isRepeatable: false)
    }
    /// Changes the given members; members that are left out stay as they are.
    public func updateUser(_ id: UserID, _ change: UserRequest) async throws -> UserAnswer {
        try await send(.patch, "users", id.text, body: change)
    }
    /// Ends everything that was opened with the account's credentials. Use it when somebody else
    /// knows them.
    public func markCompromised(_ id: UserID) async throws {
        try await act(.post, "users", id.text, "compromised")
    }
    /// Deletes the user; everything stored about them becomes unreadable.
    public func deleteUser(_ id: UserID) async throws { try await act(.delete, "users", id.text) }
}

// MARK: Authenticators and consents

extension MienAdmin {
    public func authenticators(of user: UserID) async throws -> [AuthenticatorAnswer] {
        try await (get("users", user.text, "authenticators") as Page<AuthenticatorAnswer>).items
    }

    public func removeAuthenticator(_ id: AuthenticatorID, of user: UserID) async throws {
        try await act(.delete, "users", user.text, "authenticators", id.text)
    }

    public func unlock(_ id: AuthenticatorID, of user: UserID) async throws {
        try await act(.post, "users", user.text, "authenticators", id.text, "unlock")
    }

    /// Locks the authenticator until it is unlocked.
    public func lock(_ id: AuthenticatorID, of user: UserID) async throws {
        try await act(.post, "users", user.text, "authenticators", id.text, "lock")
    }

    public func consents(of user: UserID) async throws -> [ConsentAnswer] {
        try await (get("users", user.text, "consents") as Page<ConsentAnswer>).items
    }

    /// Returns how many people have yet to be migrated to the model pack in use.
    public func faceMigration() async throws -> FaceMigrationAnswer {
        try await get("faces", "migration")
    }

    /// Withdraws the user's consent and also erases their face for that app.
    public func withdrawConsent(of user: UserID, to app: AppID) async throws {
        try await act(.delete, "users", user.text, "consents", app.text)
    }
}

// MARK: Journeys

extension MienAdmin {
    public func journeys() async throws -> [JourneyVersionAnswer] {
        try await (get("journeys") as Page<JourneyVersionAnswer>).items
    }
    public func journey(_ id: JourneyID, version: Int) async throws -> JSONValue {
        try await get("journeys", id.text, "versions", String(version))
    }

    /// Saves a draft exactly as written. Errors that the linter finds are in the error's
    /// ``MienError/fields``.
    public func putJourney(_ id: JourneyID, version: Int, definition: [UInt8]) async throws
        -> JourneyVersionAnswer
    {
        try await connection.json(
            .init(
                method: .put, path: ["v1", "journeys", id.text, "versions", String(version)],
                bearer: credential, body: definition))
    }

    /// Publishes a draft, or an older version again. The version that was published is retired.
    public func publishJourney(_ id: JourneyID, version: Int) async throws -> JourneyVersionAnswer {
        try await send(
            .post, "journeys", id.text, "versions", String(version), "publish", isRepeatable: false)
    }

    /// Retires the published version, so that apps can no longer start the journey.
    ///
    /// - Parameter force: confirms that no version remains published.
    /// - Throws: ``MienError`` with the problem `conflict` without `force`.
    public func retireJourney(_ id: JourneyID, version: Int, force: Bool = false) async throws
        -> JourneyVersionAnswer
    {
        try await connection.json(
            .init(
                method: .post,
                path: ["v1", "journeys", id.text, "versions", String(version), "retire"],
                query: force ? [("force", "true")] : [], bearer: credential, isRepeatable: false))
    }
}

// MARK: Audit

extension MienAdmin {
    /// Returns entries of the audit log that have every given part.
    ///
    /// - Parameters:
    ///   - after: the number of an entry; 0 for the first page.
    ///   - event: the event's whole name.
    ///   - administrator: who acted.
    public func audit(
        after: Int = 0, user: UserID? = nil, event: String? = nil,
        administrator: AdminID? = nil, isNewestFirst: Bool = false
    ) async throws -> Page<AuditEntryAnswer> {
        var query: [(String, String)] = []
        // Nothing is before the first entry.
        if after > 0 || !isNewestFirst { query.append(("after", String(after))) }
        if let user { query.append(("user", user.text)) }
        if let event { query.append(("event", event)) }
        if let administrator { query.append(("administrator", administrator.text)) }
        if isNewestFirst { query.append(("order", "newest")) }
        return try await get("audit", query: query)
    }

    /// Returns part of the log as stored, to be kept elsewhere.
    ///
    /// - Parameter after: the number of the entry before the first; `nil` for the start of the log.
    public func auditSegment(after: Int? = nil) async throws -> AuditSegmentAnswer {
        try await get("audit", "segment", query: after.map { [("after", String($0))] } ?? [])
    }

    /// Removes the log's entries up to one that was exported.
    public func pruneAudit(through entry: AuditPosition) async throws -> AuditPruneAnswer {
        try await send(.post, "audit", "prune", body: entry)
    }

    /// Checks that the log was not changed after it was written.
    public func verifyAudit() async throws -> AuditVerdictAnswer {
        try await get("audit", "verify")
    }
}
