import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// The buttons that test connections: they show a status, never the answer's body.
@Suite("Tests of connections", .enabled(if: Installed.isThere, Installed.reason))
struct ConnectionTestsTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// An unused port.
    private static func closedPort() throws -> Int { try StubService().port }

    private func run(
        private isPrivate: Bool = true,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_WEBHOOK_HOSTS": "localhost", "MIEN_WEBHOOK_ALLOW_PRIVATE": "\(isPrivate)",
                "MIEN_WEBHOOK_SECRET": "a secret of the receiver's as well",
            ], body)
    }

    private static func app(_ server: TestServer, _ settings: JSONValue) async throws -> AppID {
        let id = AppID("tested")!
        let request = AppRequest(id: id.text, name: "Tested", settings: settings)
        if (try? await server.admin.app(id)) == nil {
            _ = try await server.admin.createApp(request)
        } else {
            _ = try await server.admin.updateApp(id, request)
        }
        return id
    }

    @Test("a service that answers shows its status, whatever it is, and never its body")
    func statuses() async throws {
        let inner = try StubService()
        let service = try StubService(redirect: inner.url("ok"))
        try await run { server in
            for (path, status) in [
                ("ok", 200), ("status/204", 204), ("status/404", 404), ("status/500", 500),
                ("redirect", 302),
            ] {
                let answer = try await server.admin.testWebhook(
                    WebhookTestRequest(url: service.url(path)))
                #expect(answer.status == status, "\(path)")
                #expect(answer.isWorking == (200..<300).contains(status), "\(path)")
                #expect((answer.reason == nil) == answer.isWorking, "\(path)")
                #expect(!"\(answer)".contains(StubService.secret))
            }
            #expect(inner.requests.isEmpty, "redirects are not followed")
            #expect(service.requests.allSatisfy { $0.contains(#""event":"test""#) })
            #expect(service.requests.allSatisfy { $0.lowercased().contains("mien-signature: t=") })
        }
    }

    @Test("a service that refuses, hangs, or may not be called is told apart")
    func failures() async throws {
        let service = try StubService(), closed = try Self.closedPort()
        try await run { server in
            let refused = try await server.admin.testWebhook(
                WebhookTestRequest(url: "http://localhost:\(closed)/"))
            #expect(!refused.isWorking && refused.status == nil)
            #expect(refused.reason?.contains("no connection") == true)
            let slow = try await server.admin.testWebhook(
                WebhookTestRequest(url: service.url("hang"), timeoutSeconds: 1))
            #expect(!slow.isWorking && slow.status == nil)
            #expect(slow.reason?.contains("within 1 seconds") == true)
            let foreign = try await server.admin.testWebhook(
                WebhookTestRequest(url: "https://hooks.example.org/"))
            #expect(foreign.reason?.contains("webhook.hosts") == true)
            for wrong in [0, 31] {
                let bad = await #expect(throws: MienError.self) {
                    _ = try await server.admin.testWebhook(
                        WebhookTestRequest(url: service.url("ok"), timeoutSeconds: wrong))
                }
                #expect(bad?.problem?.errors?.first?.field == "timeout_seconds")
            }
        }
    }

    @Test("a service at a private address is not called unless the setting allows it")
    func privateAddress() async throws {
        let service = try StubService()
        try await run(private: false) { server in
            for url in [service.url("ok"), "https://localhost:\(service.port)/ok"] {
                let answer = try await server.admin.testWebhook(WebhookTestRequest(url: url))
                #expect(!answer.isWorking && answer.status == nil, "\(url)")
                #expect(answer.reason?.contains("not public") == true, "\(url)")
            }
            #expect(service.requests.isEmpty)
        }
    }

    @Test("an app's webhook gets a signed test, and its logout address a token that ends nothing")
    func appAddresses() async throws {
        let service = try StubService()
        try await run { server in
            let app = try await Self.app(server, [:])
            for test in [server.admin.testWebhook(of:), server.admin.testLogout(of:)] {
                let unset = await #expect(throws: MienError.self) { _ = try await test(app) }
                #expect(unset?.problem?.code == .conflict)
            }
            _ = try await Self.app(
                server,
                [
                    "identity": ["webhook": .string(service.url("status/202"))],
                    "backchannel_logout_uri": .string(service.url("status/400")),
                ])
            let hook = try await server.admin.testWebhook(of: app)
            #expect(hook.isWorking && hook.status == 202)
            #expect(service.requests.last?.contains(#""app":"tested""#) == true)
            let logout = try await server.admin.testLogout(of: app)
            #expect(!logout.isWorking && logout.status == 400)
            let sent = try #require(service.requests.last)
            let token = try #require(sent.split(separator: "logout_token=").last)
            let claims = try JSONText.parse(
                try #require(Base64URL.decode(String(token.split(separator: ".")[1]))))
            #expect(claims["aud"] == "tested" && claims["sub"] == nil && claims["sid"] != nil)
        }
    }

    @Test("a source that the server no longer asks is refused with what to do")
    func unknownSource() async throws {
        try await run { server in
            let gone = await #expect(throws: MienError.self) {
                _ = try await server.admin.testIdentitySource("registry")
            }
            #expect(gone?.problem?.code == .notFound)
            let text = gone?.problem?.detail ?? ""
            #expect(text.contains("identity.sources") && !text.contains("/v1/"), "\(text)")
        }
    }

    @Test("tests are limited for each administrator, and the audit log has them")
    func limit() async throws {
        let service = try StubService()
        try await run { server in
            var refused = 0
            for _ in 0..<12 {
                do {
                    _ = try await server.admin.testWebhook(
                        WebhookTestRequest(url: service.url("ok")))
                } catch let error as MienError {
                    #expect(error.problem?.code == .tooManyRequests && error.retryAfter != nil)
                    refused += 1
                }
            }
            #expect(refused == 2 && service.requests.count == 10)
            let (_, other) = try await server.admin(as: .operator)
            #expect(
                try await other.testWebhook(WebhookTestRequest(url: service.url("ok"))).isWorking)
            let entries = try await server.admin.audit(event: "connection.tested").items
            #expect(entries.count == 11)
            #expect(entries.allSatisfy { $0.detail == ["kind": "journey_webhook"] })
            #expect(Set(entries.map(\.actor)).count == 2)
            let (_, auditor) = try await server.admin(as: .auditor)
            let notPermitted = await #expect(throws: MienError.self) {
                _ = try await auditor.testWebhook(WebhookTestRequest(url: service.url("ok")))
            }
            #expect(notPermitted?.problem?.code == .notPermitted)
        }
    }
}
