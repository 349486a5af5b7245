import Foundation
import MienClient
import MienCore
import MienTesting
import Synchronization
import Testing

/// How sessions keep and refresh their tokens.
extension SessionTests {
    @Test(
        "access tokens are renewed early, by one refresh for all requests; an ended sign-in is reported"
    )
    func refreshing() async throws {
        try await withSession { server, session, device, make in
            await #expect(throws: MienError(.unauthenticatedUser, "")) {
                try await session.accessToken()
            }
            try await Self.signIn(session, server)
            let states = await session.states()
            let first = try await session.accessToken().use { $0 }
            #expect(try await session.accessToken().use { $0 } == first)
            server.time.advance(.seconds(1790))
            let renewed = try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<20 { tasks.addTask { try await session.accessToken().use { $0 } } }
                return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(
                renewed.count == 1 && !renewed.contains(first),
                "used twice, the refresh token would have ended the sign-in")
            let info = try await session.userInfo()
            let expected = try await server.userID("ada").text
            #expect(info.sub == expected)
            // A month of inactivity.
            server.time.advance(.seconds(2_592_000))
            await #expect(throws: MienError(.unauthenticatedUser, "")) {
                try await session.accessToken()
            }
            #expect(await session.state == .signedOut(.ended))
            try await Self.signIn(session, server)
            try await session.signOut()
            var seen: [MienSession.State] = []
            for await state in states {
                seen.append(state)
                if state == .signedOut(.byUser) { break }
            }
            #expect(seen == [.signedIn, .signedOut(.ended), .signedIn, .signedOut(.byUser)])
        }
    }

    /// Sends requests, and loses the given number of responses of the token endpoint.
    private final class LossyTransport: HTTPTransport {
        private let inner = AsyncHTTPTransport(), toLose = Mutex(0)
        func lose(_ count: Int) { toLose.withLock { $0 = count } }

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            let answer = try await inner.send(request)
            let isLost =
                request.url.hasSuffix("/oauth2/token")
                && toLose.withLock { count in
                    defer { count = max(0, count - 1) }
                    return count > 0
                }
            if isLost { throw HTTPTransportError(.interrupted, "lost on its way") }
            return answer
        }
    }

    @Test(
        "a sign-in survives lost refresh responses, even if the app was closed in between")
    func lostAnswers() async throws {
        try await withSession { [scratch] server, _, _, _ in
            let path = scratch("lost.json").path, transport = LossyTransport()
            let make: @Sendable (Int) throws -> MienSession = { attempts in
                try MienSession(
                    MienOptions(
                        serverPath: server.address, applicationId: "default_application",
                        retry: RetryPolicy(attempts: attempts), transport: transport
                    ),
                    tokenStorage: PersistentTokenStorage(path: path), sleep: { _ in },
                    now: { server.time.now })
            }
            let session = try make(3)
            try await session.configure()
            try await Self.signIn(session, server)
            transport.lose(2)
            server.time.advance(.seconds(3600))
            let token = try await session.accessToken().use { $0 }
            transport.lose(1)
            server.time.advance(.seconds(3600))
            let once = try make(1)
            try await once.configure()
            await #expect(throws: MienError(.networkError, "")) { try await once.accessToken() }
            #expect(await once.state == .signedIn)
            let relaunched = try make(1)
            try await relaunched.configure()
            #expect(try await relaunched.accessToken().use { $0 } != token)
            #expect(try await server.admin.audit().items.allSatisfy { $0.event != "tokens.reused" })
        }
    }

    @Test("tokens in a file survive the app, and no other user can read them")
    func persistence() async throws {
        try await withSession { [scratch] server, _, device, _ in
            let path = scratch("tokens.json").path
            let make: @Sendable () throws -> MienSession = {
                try MienSession(
                    MienOptions(
                        serverPath: server.address, applicationId: "default_application",
                        retry: RetryPolicy(attempts: 1)),
                    tokenStorage: PersistentTokenStorage(path: path), now: { server.time.now })
            }
            let session = try make()
            try await session.configure()
            try await Self.signIn(session, server)
            let token = try await session.accessToken().use { $0 }
            let mode =
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let relaunched = try make()
            try await relaunched.configure()
            #expect(try await relaunched.accessToken().use { $0 } == token)
            try await relaunched.signOut()
            let third = try make()
            try await third.configure()
            #expect(await third.state == .signedOut(.notYet))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            await #expect(throws: PrivateFileError.self) { try await make().configure() }
        }
    }
}
