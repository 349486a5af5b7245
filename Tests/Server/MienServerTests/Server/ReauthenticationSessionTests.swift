import MienAPI
import MienClient
import MienCore
import MienTesting
import Synchronization
import Testing

/// The SDK's sessions against a real server that requires fresh sign-ins.
@Suite("Reauthentication", .enabled(if: Installed.isThere, Installed.reason))
struct ReauthenticationSessionTests {
    private let scratch: ScratchFolder
    private static let password = "a password nobody has"

    init() throws { scratch = try ScratchFolder() }

    /// Sends requests, and records each one with its status.
    private final class Recorder: HTTPTransport {
        private let inner = AsyncHTTPTransport(),
            seen = Mutex<[(request: HTTPTransportRequest, status: Int)]>([])

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            let response = try await inner.send(request)
            seen.withLock { $0.append((request, response.status)) }
            return response
        }

        func statuses(of path: String) -> [Int] {
            seen.withLock { $0.filter { $0.request.url.hasSuffix(path) }.map(\.status) }
        }
        var proofs: [String] { seen.withLock { $0.compactMap { $0.request.headers["dpop"] } } }
    }

    /// Records the reauthentication requests that the app received.
    private final class Asked: Sendable {
        private let seen = Mutex<[ReauthenticationRequest]>([])
        var all: [ReauthenticationRequest] { seen.withLock { $0 } }
        func note(_ request: ReauthenticationRequest) { seen.withLock { $0.append(request) } }
    }

    private static let registrations = ["v1", "me", "otp", "registrations"]

    private static func token(_ journey: Journey, _ name: String = "ada") async throws -> Sensitive<
        String
    > {
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": .string(name), "password": .string(password)])
        }
        guard case .success(let token) = await journey.outcome() else { throw CancellationError() }
        return token
    }

    private static func claims(_ session: MienSession) async throws -> JSONValue {
        try await TokenClient.claims(session.accessToken().use { $0 })
    }

    /// Runs `body` with a session whose sign-in is a second too old to change authenticators.
    private func withStaleSession(
        reauthenticator: @escaping @Sendable (TestServer) -> Reauthenticator?,
        _ body: @Sendable (TestServer, MienSession, Recorder) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let recorder = Recorder()
            let session = try MienSession(
                MienOptions(
                    serverPath: server.address, retry: RetryPolicy(attempts: 1), transport: recorder
                ), tokenStorage: TransientTokenStorage(),
                reauthenticator: reauthenticator(server), now: { server.time.now })
            try await session.configure()
            try await session.signIn(
                journeyToken: Self.token(server.client().start("password-login")))
            // With a fresh sign-in, the change is allowed.
            #expect(try await session.send(.post, Self.registrations)["registration_code"] != nil)
            server.time.advance(.seconds(301))
            try await body(server, session, recorder)
        }
    }

    @Test("a journey started with the session renews its sign-in, and the change is sent once more")
    func stepUp() async throws {
        let asked = Asked()
        try await withStaleSession { server in
            { request, session in
                asked.note(request)
                return .journeyToken(
                    try await Self.token(server.client().start("password-login", session: session)))
            }
        } _: { server, session, recorder in
            let before = try await Self.claims(session)
            #expect(try await session.send(.post, Self.registrations)["registration_code"] != nil)
            let after = try await Self.claims(session)
            #expect(after["sid"] == before["sid"] && after["cnf"] == before["cnf"])
            #expect(
                after["auth_time"]?.numberValue == Double(server.time.now.seconds)
                    && after["auth_time"] != before["auth_time"])
            let request = try #require(asked.all.first)
            #expect(asked.all.count == 1)
            #expect(
                request.maxAge == .seconds(300) && request.loginHint == after["sub"]?.stringValue)
            #expect(recorder.statuses(of: "/registrations") == [201, 401, 201])
            #expect(
                Set(recorder.proofs).count == recorder.proofs.count && recorder.proofs.count >= 5)
            // The sign-in is fresh now, so the app is not asked again.
            _ = try await session.send(.post, Self.registrations)
            #expect(asked.all.count == 1)
        }
    }

    @Test("a new sign-in of the same user replaces the old one, which ends")
    func newSignIn() async throws {
        try await withStaleSession { server in
            { _, _ in .journeyToken(try await Self.token(server.client().start("password-login"))) }
        } _: { server, session, recorder in
            let before = try await Self.claims(session),
                old = try await session.authorization(
                    for: .get, url: "\(server.address)/oauth2/userinfo")
            _ = try await session.send(.post, Self.registrations)
            let after = try await Self.claims(session)
            #expect(after["sid"] != before["sid"] && after["sub"] == before["sub"])
            #expect(
                try await TokenClient(server: server).send(.get, "/oauth2/userinfo", old).status
                    == 401)
            #expect(recorder.statuses(of: "/registrations") == [201, 401, 201])
        }
    }

    @Test("an ineffective reauthenticator is called once, and the change is sent twice")
    func onlyOnce() async throws {
        let asked = Asked()
        try await withStaleSession { _ in
            { request, _ in
                asked.note(request)
                return .steppedUp
            }
        } _: { server, session, recorder in
            let error = await #expect(throws: MienError.self) {
                try await session.performing { try await session.send(.post, Self.registrations) }
            }
            #expect(
                error?.code == .reauthenticationRequired
                    && error?.reauthentication?.maxAge == .seconds(300))
            #expect(asked.all.count == 1)
            #expect(recorder.statuses(of: "/registrations") == [201, 401, 401])
            _ = try await session.userInfo()
        }
    }

    @Test("without a reauthenticator, the app gets an error that names the requirement")
    func none() async throws {
        try await withStaleSession { _ in
            nil
        } _: { server, session, recorder in
            let error = await #expect(throws: MienError.self) {
                try await session.send(.post, Self.registrations)
            }
            let user = try await server.userID("ada").text
            #expect(
                error?.code == .reauthenticationRequired
                    && error?.reauthentication?.loginHint == user)
            #expect(recorder.statuses(of: "/registrations") == [201, 401])
        }
    }
}
