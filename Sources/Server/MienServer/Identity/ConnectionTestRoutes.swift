package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity
package import MienStore

/// The routes of the admin API that try whether the server reaches a service: sources of identities,
/// webhooks of apps and of journeys, addresses for logouts, and the mail relay. An answer has a status
/// at most, because the body of an inner service is none of an administrator's business; that of a
/// relay has the conversation.
package struct ConnectionTestRoutes {
    let store: Store
    let identities: IdentityService
    let caller: WebhookCaller
    let mail: MailService
    let records: AdminRecords
    /// Makes a logout token that ends nothing.
    let logoutToken: @Sendable (AppRecord) async throws -> String
    let clock: ServerClock
    let body: JSONBody
    /// Limits the tests of one administrator: a test makes the server call somebody.
    let tests: RateLimit

    package init(
        store: Store, identities: IdentityService, caller: WebhookCaller, mail: MailService,
        records: AdminRecords,
        logoutToken: @escaping @Sendable (AppRecord) async throws -> String,
        clock: ServerClock, body: JSONBody
    ) {
        (self.store, self.identities, self.caller, self.mail, self.records) = (
            store, identities, caller, mail, records
        )
        (self.logoutToken, self.clock, self.body) = (logoutToken, clock, body)
        tests = RateLimit(
            "connection-tests", .init(burst: 10, perMinute: 10), store: store, clock: clock)
    }

    private static let patience = Duration.seconds(10)

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("verifications/sources") { _, _ in
            JSONBody.response(
                Page(
                    items: identities.sources.map {
                        IdentitySourceAnswer(name: $0.name, isSimulated: $0.isSimulated)
                    }))
        }
        router.post("verifications/sources/:source/test") { _, context in
            let name = try context.parameters.require("source")
            guard let source = identities.sources.first(where: { $0.name == name }) else {
                throw Problem(
                    .notFound,
                    "The server asks no source of this name. Reload the list of sources, or add the source to the setting identity.sources and restart the server."
                )
            }
            return try await test("source", ["source": .string(name)], by: context) {
                await Self.test(source)
            }
        }
        router.post("apps/:app/webhook/test") { _, context in
            let app = try await records.app(context)
            guard let url = app.settings.identity.webhook else {
                throw Problem(
                    .conflict, "The app has no webhook. Set settings.identity.webhook first.")
            }
            return try await test("identity_webhook", app: app.id, by: context) {
                await probe(signed(["app": .string(app.id.text)], app: app.id), at: url)
            }
        }
        router.post("apps/:app/logout/test") { _, context in
            let app = try await records.app(context)
            guard let url = app.settings.backChannelLogoutURI else {
                throw Problem(
                    .conflict,
                    "The app hears of no logouts. Set settings.backchannel_logout_uri first.")
            }
            let token = try await logoutToken(app)
            return try await test("logout", app: app.id, by: context) {
                await probe(.form([("logout_token", token)]), at: url)
            }
        }
        router.post("journeys/webhook/test") { request, context in
            let wanted = try await body.read(
                WebhookTestRequest.self, WebhookTestRequest.CodingKeys.self, from: request)
            let seconds = wanted.timeoutSeconds ?? WebhookTestRequest.standardSeconds
            guard WebhookTestRequest.seconds.contains(seconds) else {
                throw Problem(
                    .invalidRequest,
                    errors: [.init(field: "timeout_seconds", message: "must be 1 to 30")])
            }
            guard (1...WebhookTestRequest.maxURLBytes).contains(wanted.url.utf8.count) else {
                throw Problem(
                    .invalidRequest,
                    errors: [.init(field: "url", message: "must have 1 to 2000 bytes")])
            }
            return try await test("journey_webhook", by: context) {
                await probe(signed([:], app: nil), at: wanted.url, within: .seconds(seconds))
            }
        }
        router.post("mail/test") { request, context in
            let wanted = try await body.read(
                MailTestRequest.self, MailTestRequest.CodingKeys.self, from: request)
            guard mail.hasRelay else {
                throw Problem(
                    .conflict,
                    "The server has no mail relay. Set mail.host and mail.from in its settings file, or MIEN_MAIL_HOST and MIEN_MAIL_FROM in its environment, and restart the server."
                )
            }
            guard MailAddress(wanted.address) != nil else {
                throw Problem(
                    .invalidRequest,
                    errors: [.init(field: "address", message: "must be an address for email")])
            }
            return try await test("mail", by: context) {
                let (fault, dialog) = await mail.test(to: wanted.address)
                return MailTestAnswer(isWorking: fault == nil, reason: fault, dialog: dialog)
            }
        }
    }

    /// Tests a connection for an administrator. The audit log says so before, so that hanging up
    /// hides nothing.
    private func test<Answer: Encodable & Sendable>(
        _ kind: String, _ detail: [String: JSONValue] = [:], app: AppID? = nil,
        by context: MienRequestContext, _ body: () async -> Answer
    ) async throws -> Response {
        let now = clock.now
        if let wait = try await tests.take(context.actor) {
            return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
        }
        let event = AuditEvent(
            "connection.tested", actor: context.actor, app: app,
            detail: detail.merging(["kind": .string(kind)]) { $1 })
        try await store.write { try $0.audit.append(event, at: now) }
        return JSONBody.response(await body())
    }

    private func signed(_ members: [String: JSONValue], app: AppID?) -> WebhookCaller.Probe {
        var generator = SystemRandomNumberGenerator()
        let body: [String: JSONValue] = [
            "event": "test", "time": .number(Double(clock.now.milliseconds)),
        ]
        return .json(
            JSONText.write(.object(body.merging(members) { $1 })),
            id: "dlv_" + Base64URL.encode(generator.bytes(16)), app: app)
    }

    private func probe(
        _ probe: WebhookCaller.Probe, at url: String, within limit: Duration = Self.patience
    ) async -> ConnectionTestAnswer {
        switch await caller.probe(probe, at: url, within: limit) {
        case .answered(let status):
            return ConnectionTestAnswer(
                isWorking: (200..<300).contains(status), status: status,
                reason: Self.reason(status))
        case .notAllowed:
            return ConnectionTestAnswer(
                isWorking: false,
                reason:
                    "the URL is not https, its host is not in webhook.hosts, or its address is not public"
            )
        case .tooLarge:
            return ConnectionTestAnswer(isWorking: false, reason: "the answer is too large")
        case .timedOut:
            return ConnectionTestAnswer(
                isWorking: false,
                reason: "no complete answer within \(limit.milliseconds / 1000) seconds")
        case .failed:
            return ConnectionTestAnswer(isWorking: false, reason: "no connection, or it broke")
        }
    }

    private static func reason(_ status: Int) -> String? {
        switch status {
        case 200..<300: nil
        case 300..<400: "redirects are not followed; set the URL that they lead to"
        default: "a status from 200 to 299 is expected"
        }
    }

    /// Asks about a person who does not exist.
    private static func test(_ source: any IdentityDataSource) async -> ConnectionTestAnswer {
        let input = PersonalDataInput(
            firstName: "Connection", lastName: "Test", address: "1 Example Street",
            city: "New York", state: "NY", postalCode: "10001", country: "US",
            dateOfBirth: "1970-01-01")
        var generator = SystemRandomNumberGenerator()
        guard let person = try? PersonalData(input) else {
            return ConnectionTestAnswer(isWorking: false, reason: "the test cannot be made")
        }
        do throws(IdentitySourceError) {
            _ = try await source.compare(
                SourceQuery(
                    attempt: .random(using: &generator), person: person, input: input))
            return ConnectionTestAnswer(isWorking: true)
        } catch .status(let status) {
            return ConnectionTestAnswer(
                isWorking: false, status: status,
                reason: IdentitySourceError.status(status).description)
        } catch {
            return ConnectionTestAnswer(isWorking: false, reason: error.description)
        }
    }
}
