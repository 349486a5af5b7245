import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// How long users stay signed in under the finance settings of the biometric-login guide: at most
/// an hour, and at most half an hour without activity.
@Suite("Activity", .enabled(if: Installed.isThere, Installed.reason))
struct ActivityTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// An app, and which of its requests the server sees.
    enum App: String, CaseIterable, Sendable {
        /// An OAuth library whose requests go to this server. It refreshes when a token has
        /// expired.
        case library
        /// An OAuth library whose requests go to a service that verifies tokens by itself.
        case libraryElsewhere
        /// An OAuth library whose requests go to a service that asks this server about tokens.
        case libraryIntrospected
        /// The SDK, with requests to this server.
        case session
        /// The SDK, with requests elsewhere.
        case sessionElsewhere

        var isSeen: Bool { self != .libraryElsewhere && self != .sessionElsewhere }
    }

    /// A signed-in user's app, at a time since the sign-in.
    private final class Phone {
        private let server: TestServer, app: App, backend: TokenClient
        private var tokens: TokenClient.Answer?
        private var session: MienSession?
        private let start: Instant
        /// When the library's access token expires.
        private var expires: Instant

        init(_ app: App, _ server: TestServer, _ backend: TokenClient) async throws {
            (self.app, self.server, self.backend) = (app, server, backend)
            (start, expires) = (server.now, server.now)
            switch app {
            case .library, .libraryElsewhere, .libraryIntrospected:
                try keep(
                    await TokenClient(server: server).signIn(
                        "ada", password: "a password nobody has", resources))
            case .session, .sessionElsewhere:
                let session = try MienSession(
                    MienOptions(
                        serverPath: server.address, applicationId: "default_application",
                        retry: RetryPolicy(attempts: 1)),
                    tokenStorage: TransientTokenStorage(), now: { server.time.now })
                try await session.configure()
                let journey = try await server.client().start("password-login")
                for try await step in journey.steps {
                    try await step.respond(
                        "password", ["username": "ada", "password": "a password nobody has"])
                }
                guard case .success(let token) = await journey.outcome() else {
                    throw CancellationError()
                }
                try await session.signIn(journeyToken: token)
                self.session = session
            }
        }

        private var resources: [(String, String)] {
            app == .libraryIntrospected ? [("resource", ActivityTests.service)] : []
        }

        private func keep(_ answer: TokenClient.Answer) throws {
            #expect(answer.status == 200, "\(answer.body)")
            let seconds = try #require(answer.body["expires_in"]?.numberValue)
            (tokens, expires) = (answer, server.now + .seconds(seconds))
        }

        func wait(until seconds: Int) {
            let next = start + .seconds(seconds)
            precondition(next >= server.now)
            server.time.advance(next - server.now)
        }

        /// Makes a request as the signed-in user.
        ///
        /// - Returns: `false` if the user has to sign in again.
        func request() async throws -> Bool {
            if let session {
                do {
                    if app.isSeen {
                        _ = try await session.userInfo()
                    } else {
                        _ = try await session.accessToken()
                    }
                    return true
                } catch let error as MienError where error.code == .unauthenticatedUser {
                    return false
                }
            }
            let client = TokenClient(server: server)
            if server.now >= expires {
                let answer = try await client.refresh(tokens?["refresh_token"])
                if answer.error == "invalid_grant" { return false }
                try keep(answer)
            }
            switch app {
            case .library:
                return try await client.userInfo(tokens?["access_token"]).status == 200
            case .libraryIntrospected:
                let answer = try await backend.post(
                    "/oauth2/introspect",
                    [
                        ("token", tokens?["access_token"] ?? ""), ("client_id", backend.app),
                        ("client_secret", backend.secret ?? ""),
                    ])
                return answer.body["active"] == true
            case .libraryElsewhere, .session, .sessionElsewhere: return true
            }
        }
    }

    private static let service = "https://api.example.org"

    private func withPhones(
        idleSeconds: Int = 1800, refreshSeconds: Int = 3600,
        _ body: @Sendable (TestServer, TokenClient) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            _ = try await server.admin.updateApp(
                AppID("default_application")!,
                AppRequest(
                    name: "App",
                    settings: [
                        "resources": [.string(Self.service)],
                        "tokens": [
                            "refresh_token_seconds": .number(Double(refreshSeconds)),
                            "expire_after_idling": true,
                            "idle_seconds": .number(Double(idleSeconds)),
                        ],
                    ]))
            let made = try await server.admin.createApp(
                AppRequest(
                    id: "backend", name: "Backend", type: .confidential,
                    settings: ["resources": [.string(Self.service)]]))
            try await body(
                server, TokenClient(server: server, app: made.id, secret: made.clientSecret))
        }
    }

    @Test(
        "a request every 1 to 25 minutes keeps a user signed in for the whole hour, and no longer",
        arguments: App.allCases)
    func rhythms(_ app: App) async throws {
        try await withPhones { server, backend in
            for minutes in 1...25 {
                let phone = try await Phone(app, server, backend)
                for second in stride(from: 60 * minutes, to: 3600, by: 60 * minutes) {
                    phone.wait(until: second)
                    #expect(
                        try await phone.request(), "every \(minutes) minutes, after \(second) s")
                }
                phone.wait(until: 3600)
                #expect(try await !phone.request(), "every \(minutes) minutes, after the hour")
            }
        }
    }

    @Test(
        "after any requests, 1801 seconds without one sign a user out", arguments: App.allCases)
    func silence(_ app: App) async throws {
        try await withPhones { server, backend in
            for minutes in 1...25 {
                let phone = try await Phone(app, server, backend)
                phone.wait(until: 60 * minutes)
                #expect(try await phone.request())
                phone.wait(until: 60 * minutes + 1801)
                #expect(try await !phone.request(), "after a request at minute \(minutes)")
            }
            let quiet = try await Phone(app, server, backend)
            quiet.wait(until: 1801)
            #expect(try await !quiet.request(), "without any request")
        }
    }

    @Test(
        "requests at random times, never more than 25 minutes apart, keep a user signed in",
        arguments: App.allCases)
    func irregular(_ app: App) async throws {
        try await withPhones { server, backend in
            for stream in 0..<20 as Range<UInt64> {
                var generator = TestSeed.generator(stream), second = 0
                let phone = try await Phone(app, server, backend)
                while true {
                    // Short and long waits alternate at random, so that some requests come just
                    // before a token expires.
                    let longest = Bool.random(using: &generator) ? 300 : 1500
                    second += Int.random(in: 1...longest, using: &generator)
                    if second >= 3600 { break }
                    phone.wait(until: second)
                    #expect(try await phone.request(), "after \(second) s, stream \(stream)")
                }
                phone.wait(until: 3600)
                #expect(try await !phone.request())
            }
        }
    }

    @Test(
        "requests that the server sees count to within three seconds",
        arguments: App.allCases.filter(\.isSeen))
    func seen(_ app: App) async throws {
        try await withPhones(refreshSeconds: 86_400) { server, backend in
            let phone = try await Phone(app, server, backend)
            var second = 0
            for _ in 1...5 {
                // The second request of each pair is 29 minutes and 55 seconds later.
                second += 200
                phone.wait(until: second)
                #expect(try await phone.request())
                second += 1795
                phone.wait(until: second)
                #expect(try await phone.request(), "after \(second) s")
            }
        }
    }

    @Test("refused requests are not activity, and neither is a refused token")
    func refusals() async throws {
        try await withPhones { server, backend in
            let client = TokenClient(server: server)
            let tokens = try await client.signIn()
            server.time.advance(.seconds(200))
            var foreign = TokenClient(server: server)
            foreign.app = "nobody"
            #expect(try await foreign.refresh(tokens["refresh_token"]).status != 200)
            #expect(
                try await backend.post(
                    "/oauth2/introspect",
                    [
                        ("token", tokens["access_token"] ?? ""), ("client_id", backend.app),
                        ("client_secret", backend.secret ?? ""),
                    ]
                ).body["active"] == false, "the token is not for that service")
            server.time.advance(.seconds(200))
            #expect(try await client.userInfo(tokens["access_token"]).status == 401, "expired")
            server.time.advance(.seconds(1400))
            #expect(try await client.refresh(tokens["refresh_token"]).error == "invalid_grant")
        }
    }

    @Test("an access token lasts a sixth of the idle time, and the response says so")
    func lifetime() async throws {
        try await withPhones { server, backend in
            let tokens = try await TokenClient(server: server).signIn()
            #expect(tokens.body["expires_in"]?.numberValue == 300)
            let online = try await TokenClient(server: server).signIn(
                "ada", password: "a password nobody has", [("scope", "openid")])
            #expect(online["refresh_token"] == nil)
            #expect(
                online.body["expires_in"]?.numberValue == 1800,
                "nothing renews it, so it lasts as long as an idle sign-in")
        }
    }

    @Test("the SDK renews tokens that are too short for its margin with each request")
    func shortTokens() async throws {
        try await withPhones(idleSeconds: 60) { server, backend in
            let phone = try await Phone(.sessionElsewhere, server, backend)
            for second in stride(from: 45, through: 450, by: 45) {
                phone.wait(until: second)
                #expect(try await phone.request())
            }
            phone.wait(until: 450 + 61)
            #expect(try await !phone.request())
        }
    }
}
