import MienAPI
import MienCore
import Synchronization
import Testing

@testable import MienClient

@Suite("Renewed tokens")
struct RenewalTests {
    private static let start = Instant(seconds: 1_800_000_000)

    /// Refuses a refresh once the user has signed in again meanwhile.
    private final class LateServer: HTTPTransport {
        let hasSignedIn = Mutex(false)
        let isRefreshing = Mutex(false)

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            guard String(decoding: request.body, as: UTF8.self).contains("refresh_token=") else {
                return HTTPTransportResponse(
                    status: 200, headers: [:],
                    body: Array(
                        #"{"access_token":"new","token_type":"Bearer","expires_in":1800,"refresh_token":"r-1","scope":"openid"}"#
                            .utf8))
            }
            isRefreshing.withLock { $0 = true }
            while !hasSignedIn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
            return HTTPTransportResponse(
                status: 400, headers: [:], body: Array(#"{"error":"invalid_grant"}"#.utf8))
        }
    }

    @Test("a refused refresh does not end the sign-in that has begun meanwhile")
    func lateRefusal() async throws {
        let server = LateServer(), storage = TransientTokenStorage()
        await storage.store(
            SessionTokens(
                accessToken: Sensitive("old"), expiresAt: Self.start,
                refreshToken: Sensitive("r-0"),
                idToken: nil, scope: "openid"),
            for: DeviceTokenKey(server: "https://login.example", application: "shop"))
        var options = options(server)
        options.usesDPoP = false
        let session = try MienSession(
            options, tokenStorage: storage, sleep: Naps().sleep, now: { Self.start })
        try await session.configure()
        let refresh = Task { try await session.accessToken() }
        while !server.isRefreshing.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
        try await session.signIn(journeyToken: Sensitive("journey"))
        server.hasSignedIn.withLock { $0 = true }
        await #expect(throws: MienError.self) { try await refresh.value }
        #expect(await session.state == .signedIn)
        #expect(try await session.accessToken().use { $0 } == "new")
    }

    @Test(
        "a token that no header can carry is refused, and not quoted",
        arguments: ["secret\n", "secret\r\nx: y", "secret secret", "secreté", ""])
    func unsendable(token: String) async throws {
        let transport = ScriptedTransport([])
        let session = try JourneyClient(options(transport), sleep: Naps().sleep)
            .documentSession(startToken: Sensitive(token))
        let error = await #expect(throws: MienError.self) { try await session.status() }
        #expect(error?.code == .invalidCredentials)
        #expect(error.map { !"\($0)".contains("secret") } == true)
        #expect(transport.requests.isEmpty)
    }
}
