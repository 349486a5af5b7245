import MienAPI
import MienCore
import Synchronization
import Testing

@testable import MienClient

@Suite("Lifetimes of access tokens, by clocks that people set")
struct TokenLifetimeTests {
    private static let start = Instant(seconds: 1_800_000_000)
    private static let hour = Duration.seconds(3600)

    /// A device whose clock can be set, and whose time since its start cannot.
    private final class Device: Sendable {
        private let time = Mutex((now: start, elapsed: Duration.seconds(50)))

        @Sendable func now() -> Instant { time.withLock { $0.now } }
        @Sendable func elapsed() -> Duration { time.withLock { $0.elapsed } }
        func pass(_ span: Duration) {
            time.withLock { ($0.now, $0.elapsed) = ($0.now + span, $0.elapsed + span) }
        }
        func setClock(by span: Duration) { time.withLock { $0.now = $0.now + span } }
        func reboot() { time.withLock { $0.elapsed = .zero } }
    }

    /// Gives tokens that are valid for 300 s by its own clock, and refuses those that no longer are.
    private final class Server: HTTPTransport {
        private let device: Device
        private let state = Mutex((issued: [String: Duration](), refreshes: 0, refused: 0))
        /// Whether it gives refresh tokens.
        private let refreshes: Bool
        /// Whether it accepts refresh tokens.
        let accepts = Mutex(true)

        init(_ device: Device, refreshes: Bool = true) {
            (self.device, self.refreshes) = (device, refreshes)
        }

        var refreshCount: Int { state.withLock { $0.refreshes } }
        var refusedCount: Int { state.withLock { $0.refused } }
        func revokeAll() { state.withLock { $0.issued = [:] } }

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            request.url.hasSuffix("/oauth2/token") ? give(request) : show(request)
        }

        private func give(_ request: HTTPTransportRequest) -> HTTPTransportResponse {
            let isRefresh = String(decoding: request.body, as: UTF8.self).contains("refresh_token=")
            if isRefresh, !accepts.withLock({ $0 }) {
                return Self.json(["error": "invalid_grant"], status: 400)
            }
            let name = state.withLock { state in
                if isRefresh { state.refreshes += 1 }
                let name = "a\(state.issued.count)-\(state.refreshes)"
                state.issued[name] = device.elapsed()
                return name
            }
            var body: [String: JSONValue] = [
                "access_token": .string(name), "token_type": "Bearer", "expires_in": 300,
                "scope": "openid",
            ]
            if refreshes { body["refresh_token"] = "r" }
            return Self.json(.object(body))
        }

        private func show(_ request: HTTPTransportRequest) -> HTTPTransportResponse {
            let token = String((request.headers["authorization"] ?? "").dropFirst("Bearer ".count))
            let isValid = state.withLock { state in
                let isValid =
                    state.issued[token].map { device.elapsed() < $0 + .seconds(300) } ?? false
                if !isValid { state.refused += 1 }
                return isValid
            }
            guard isValid else {
                return Self.json(
                    ["error": "invalid_token"], status: 401,
                    headers: ["www-authenticate": #"Bearer realm="mien", error="invalid_token""#])
            }
            return Self.json(["sub": "usr_1"])
        }

        private static func json(
            _ body: JSONValue, status: Int = 200, headers: [String: String] = [:]
        ) -> HTTPTransportResponse {
            HTTPTransportResponse(
                status: status, headers: headers, body: Array(JSONText.write(body).utf8))
        }
    }

    private static func session(
        _ device: Device, _ server: Server, _ storage: any TokenStorage = TransientTokenStorage()
    ) async throws -> MienSession {
        var options = options(server)
        options.usesDPoP = false
        let session = try MienSession(
            options, tokenStorage: storage, sleep: Naps().sleep, elapsed: device.elapsed,
            now: device.now)
        try await session.configure()
        return session
    }

    @Test(
        "a session that runs renews its token in time, whatever the clock is set to",
        arguments: [hour * -8760, hour * -1, .seconds(-40), .zero, .seconds(40), hour])
    func running(change: Duration) async throws {
        let device = Device(), server = Server(device)
        let session = try await Self.session(device, server)
        try await session.signIn(journeyToken: Sensitive("journey"))
        device.setClock(by: change)
        _ = try await session.userInfo()
        #expect(server.refreshCount == 0)
        device.pass(.seconds(280))
        _ = try await session.userInfo()
        #expect(server.refreshCount == 1 && server.refusedCount == 0)
    }

    @Test(
        "a stored token from the future is renewed before it is used, after a restart of the app or the device",
        arguments: [false, true])
    func stored(reboots: Bool) async throws {
        let device = Device(), server = Server(device), storage = TransientTokenStorage()
        let first = try await Self.session(device, server, storage)
        try await first.signIn(journeyToken: Sensitive("journey"))
        if reboots { device.reboot() }
        let next = try await Self.session(device, server, storage)
        #expect(try await next.accessToken().use { $0 } == "a0-0")
        device.setClock(by: Self.hour * -1)
        let late = try await Self.session(device, server, storage)
        _ = try await late.userInfo()
        #expect(server.refreshCount == 1 && server.refusedCount == 0)
        // The renewed one is of this process.
        _ = try await late.userInfo()
        #expect(server.refreshCount == 1)
        device.setClock(by: Self.hour * 2)
        let forward = try await Self.session(device, server, storage)
        _ = try await forward.userInfo()
        #expect(server.refreshCount == 2 && server.refusedCount == 0)
    }

    @Test(
        "a stored token that is older than the clock can tell is refused, renewed, and sent again")
    func refused() async throws {
        let device = Device(), server = Server(device), storage = TransientTokenStorage()
        try await Self.session(device, server, storage).signIn(journeyToken: Sensitive("journey"))
        device.pass(.seconds(400))
        device.setClock(by: .seconds(-350))
        let session = try await Self.session(device, server, storage)
        #expect(try await session.userInfo().sub == "usr_1")
        #expect(server.refusedCount == 1 && server.refreshCount == 1)
        // Requests whose method is not repeated otherwise, too.
        server.revokeAll()
        #expect(try await session.send(.post, ["v1", "me", "things"])["sub"] == "usr_1")
        #expect(server.refusedCount == 2 && server.refreshCount == 2)
    }

    @Test("a token that is refused twice is not renewed again")
    func refusedTwice() async throws {
        let device = Device(), server = Server(device)
        let session = try await Self.session(device, server)
        try await session.signIn(journeyToken: Sensitive("journey"))
        server.revokeAll()
        let transport = Refusing(server)
        var options = options(transport)
        options.usesDPoP = false
        let storage = TransientTokenStorage()
        await storage.store(
            SessionTokens(
                accessToken: Sensitive("old"), expiresAt: Self.start + Self.hour,
                refreshToken: Sensitive("r"), idToken: nil, scope: "openid"),
            for: DeviceTokenKey(server: "https://login.example", application: "shop"))
        let other = try MienSession(
            options, tokenStorage: storage, sleep: Naps().sleep, elapsed: device.elapsed,
            now: device.now)
        try await other.configure()
        let error = await #expect(throws: MienError.self) { try await other.userInfo() }
        #expect(error?.oauthError == "invalid_token")
        #expect(transport.sent.withLock { $0 } == ["userinfo", "token", "userinfo"])
        #expect(await other.state == .signedIn)
    }

    /// Gives tokens, and accepts none.
    private final class Refusing: HTTPTransport {
        private let server: Server
        let sent = Mutex<[String]>([])
        init(_ server: Server) { self.server = server }

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            sent.withLock { $0.append(String(request.url.split(separator: "/").last ?? "")) }
            let response = try await server.send(request)
            server.revokeAll()
            return response
        }
    }

    @Test("a refused token whose sign-in has ended ends the session")
    func ended() async throws {
        let device = Device(), server = Server(device)
        let session = try await Self.session(device, server)
        try await session.signIn(journeyToken: Sensitive("journey"))
        server.revokeAll()
        server.accepts.withLock { $0 = false }
        let error = await #expect(throws: MienError.self) { try await session.userInfo() }
        #expect(error?.code == .unauthenticatedUser && error?.oauthError == "invalid_grant")
        #expect(await session.state == .signedOut(.ended))
    }

    @Test("a refused token without a refresh token is an error, and the session goes on")
    func withoutRefresh() async throws {
        let device = Device(), server = Server(device, refreshes: false)
        let session = try await Self.session(device, server)
        try await session.signIn(journeyToken: Sensitive("journey"))
        server.revokeAll()
        let error = await #expect(throws: MienError.self) { try await session.userInfo() }
        #expect(error?.oauthError == "invalid_token")
        #expect(await session.state == .signedIn)
    }

    @Test("several callers whose token is refused share one renewal")
    func shared() async throws {
        let device = Device(), server = Server(device)
        let session = try await Self.session(device, server)
        try await session.signIn(journeyToken: Sensitive("journey"))
        server.revokeAll()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await session.userInfo().sub } }
            for try await user in group { #expect(user == "usr_1") }
        }
        #expect(server.refreshCount == 1)
    }

    @Test("the times of stored tokens survive storing; older ones have no time of issue")
    func storedForm() throws {
        let tokens = SessionTokens(
            accessToken: Sensitive("a"), issuedAt: Self.start, expiresAt: Self.start + Self.hour,
            refreshToken: nil, idToken: nil, scope: "")
        let text = try JSONText.parse(Array(Connection.encode(StoredTokens(tokens))))
        #expect(text["issuedAt"] == 1_800_000_000_000)
        #expect(StoredTokens(tokens).tokens.issuedAt == Self.start)
        let old = TokenLifetime.stored(issuedAt: nil, expiresAt: Self.start + Self.hour)
        #expect(old.exceeds(.zero, now: Self.start, elapsed: .zero))
    }
}
