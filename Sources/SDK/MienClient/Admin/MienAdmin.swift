public import MienAPI
public import MienCore

/// The admin API, typed: apps, users, authenticators, journeys, audit.
///
/// Requests that make something new are not sent again when nobody knows whether they arrived; all
/// others are.
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

    func act(_ method: HTTPTransportRequest.Method, _ path: String...) async throws {
        try await connection.send(.init(method: method, path: ["v1"] + path, bearer: credential))
    }
}

// MARK: Apps

extension MienAdmin {
    public func apps() async throws -> [AppAnswer] {
        try await (get("apps") as Page<AppAnswer>).items
    }
    public func app(_ id: AppID) async throws -> AppAnswer { try await get("apps", id.text) }
    /// With the secret of a confidential app, told once.
    public func createApp(_ app: AppRequest) async throws -> AppAnswer {
        try await send(.post, "apps", body: app, isRepeatable: false)
    }
    public func updateApp(_ id: AppID, _ app: AppRequest) async throws -> AppAnswer {
        try await send(.put, "apps", id.text, body: app)
    }
    /// A new secret for a confidential app; the old one works no more.
    public func renewSecret(_ id: AppID) async throws -> AppAnswer {
        try await send(.post, "apps", id.text, "secret", isRepeatable: false)
    }
    /// With all faces and devices registered for it.
    public func deleteApp(_ id: AppID) async throws { try await act(.delete, "apps", id.text) }
}

// MARK: Users

extension MienAdmin {
    /// A registration code for a user's device, told once; an earlier one for this user and app is
    /// no longer good.
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

    /// By user name, e-mail address or external id.
    public func findUser(_ identifier: String) async throws -> UserAnswer? {
        try await (get("users", query: [("identifier", identifier)]) as Page<UserAnswer>).items
            .first
    }

    public func user(_ id: UserID) async throws -> UserAnswer { try await get("users", id.text) }
    public func createUser(_ user: UserRequest) async throws -> UserAnswer {
        try await send(.post, "users", body: user, isRepeatable: false)
    }
    /// What is left out stays as it is.
    public func updateUser(_ id: UserID, _ change: UserRequest) async throws -> UserAnswer {
        try await send(.patch, "users", id.text, body: change)
    }
    /// Ends everything that was opened with the account's credentials, because somebody else knows
    /// them.
    public func markCompromised(_ id: UserID) async throws {
        try await act(.post, "users", id.text, "compromised")
    }
    /// Everything of theirs becomes unreadable.
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

    /// Until it is unlocked.
    public func lock(_ id: AuthenticatorID, of user: UserID) async throws {
        try await act(.post, "users", user.text, "authenticators", id.text, "lock")
    }

    public func consents(of user: UserID) async throws -> [ConsentAnswer] {
        try await (get("users", user.text, "consents") as Page<ConsentAnswer>).items
    }

    /// Erases the user's face for that app, too.
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

    /// Saves a draft, exactly as it is written; errors the linter finds are in the error's
    /// ``MienError/fields``.
    public func putJourney(_ id: JourneyID, version: Int, definition: [UInt8]) async throws
        -> JourneyVersionAnswer
    {
        try await connection.json(
            .init(
                method: .put, path: ["v1", "journeys", id.text, "versions", String(version)],
                bearer: credential, body: definition))
    }

    public func publishJourney(_ id: JourneyID, version: Int) async throws -> JourneyVersionAnswer {
        try await send(
            .post, "journeys", id.text, "versions", String(version), "publish", isRepeatable: false)
    }

    public func retireJourney(_ id: JourneyID, version: Int) async throws -> JourneyVersionAnswer {
        try await send(
            .post, "journeys", id.text, "versions", String(version), "retire", isRepeatable: false)
    }
}

// MARK: Audit

extension MienAdmin {
    /// - Parameter after: the number of an entry; 0 for the first page.
    public func audit(after: Int = 0, user: UserID? = nil) async throws -> Page<AuditEntryAnswer> {
        try await get(
            "audit", query: [("after", String(after))] + (user.map { [("user", $0.text)] } ?? []))
    }

    /// Part of the log, as it is stored, to be kept elsewhere.
    ///
    /// - Parameter after: the number of the entry before the first; `nil` for the start of the log.
    public func auditSegment(after: Int? = nil) async throws -> AuditSegmentAnswer {
        try await get("audit", "segment", query: after.map { [("after", String($0))] } ?? [])
    }

    /// Removes the log's entries up to one that was exported.
    public func pruneAudit(through place: AuditPlace) async throws -> AuditPruneAnswer {
        try await send(.post, "audit", "prune", body: place)
    }

    /// Whether the log is as it was written.
    public func verifyAudit() async throws -> AuditVerdictAnswer {
        try await get("audit", "verify")
    }
}
