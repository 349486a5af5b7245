public import MienAPI
public import MienCore

// MARK: The server

extension MienAdmin {
    /// Returns the settings of the server in effect. Secrets have no value.
    public func settings() async throws -> [ServerSettingAnswer] { try await all("settings") }

    /// Returns the settings that apps can have: their schema, this server's defaults, and what match
    /// scores mean.
    public func appSettings() async throws -> AppSettingsGuideAnswer {
        try await get("app-settings")
    }

    /// Returns how pages look where an app does not say: `brand`, `brand_dark`, `logo`, `language`,
    /// `texts`.
    public func pageSettings() async throws -> JSONValue { try await get("page-settings") }

    /// Replaces how pages look where an app does not say.
    ///
    /// - Throws: ``MienError`` whose ``MienError/fields`` name invalid settings, such as a color
    ///   with too little contrast.
    public func setPageSettings(_ settings: JSONValue) async throws -> JSONValue {
        try await send(.put, "page-settings", body: settings)
    }

    /// Returns the metrics that `/metrics` has.
    public func metrics() async throws -> [MetricAnswer] { try await all("metrics") }

    /// Returns the names of the events in the audit log, sorted.
    public func auditEvents() async throws -> [String] { try await all("audit", "events") }
}

// MARK: Sign-ins and erasure

extension MienAdmin {
    /// Returns a user's sign-ins that have not ended, the newest first, at most 100.
    ///
    /// - Parameter after: ``Page/next`` of the page before.
    public func signIns(of user: UserID, after: String? = nil) async throws
        -> Page<UserSignInAnswer>
    {
        try await page("users", user.text, "sign-ins", after: after)
    }

    /// Ends all sign-ins of a user.
    public func endSignIns(of user: UserID) async throws {
        try await act(.delete, "users", user.text, "sign-ins")
    }

    /// Ends one sign-in of a user.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`.
    public func endSignIn(_ id: String, of user: UserID) async throws {
        try await act(.delete, "users", user.text, "sign-ins", id)
    }

    /// Returns how many records of each kind ``deleteUser(_:)`` would erase.
    public func erasurePreview(of user: UserID) async throws -> ErasurePreviewAnswer {
        try await get("users", user.text, "erasure")
    }
}

// MARK: Tests of connections

extension MienAdmin {
    /// Returns the sources that identities are verified with.
    public func identitySources() async throws -> [IdentitySourceAnswer] {
        try await all("verifications", "sources")
    }

    /// Asks a source about a person who does not exist. The audit log records each test.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`, or `too_many_requests` after ten tests
    ///   in a minute.
    public func testIdentitySource(_ name: String) async throws -> ConnectionTestAnswer {
        try await send(.post, "verifications", "sources", name, "test", isRepeatable: false)
    }

    /// Sends a test to the webhook of an app, `settings.identity.webhook`.
    ///
    /// - Throws: ``MienError`` with the problem `conflict` if the app has none.
    public func testWebhook(of app: AppID) async throws -> ConnectionTestAnswer {
        try await send(.post, "apps", app.text, "webhook", "test", isRepeatable: false)
    }

    /// Sends a logout that ends nothing to `settings.backchannel_logout_uri` of an app.
    ///
    /// - Throws: ``MienError`` with the problem `conflict` if the app has none.
    public func testLogout(of app: AppID) async throws -> ConnectionTestAnswer {
        try await send(.post, "apps", app.text, "logout", "test", isRepeatable: false)
    }

    /// Sends a test to the URL of a step `call_webhook`.
    public func testWebhook(_ request: WebhookTestRequest) async throws -> ConnectionTestAnswer {
        try await send(.post, "journeys", "webhook", "test", body: request, isRepeatable: false)
    }

    /// Sends a test through the server's mail relay, and returns the conversation.
    ///
    /// - Throws: ``MienError`` with the problem `conflict` if the server has no relay.
    public func testMail(to address: String) async throws -> MailTestAnswer {
        try await send(
            .post, "mail", "test", body: MailTestRequest(address: address), isRepeatable: false)
    }
}
