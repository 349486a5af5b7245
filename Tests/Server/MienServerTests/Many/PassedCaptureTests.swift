import Foundation
import MienAPI
import MienCore
import MienStorePostgresTesting
import MienTesting
import Testing

@testable import MienServer
@testable import MienServerCore
@testable import MienServerFaces

/// Live captures whose frames arrive at a server that did not begin them: two whole servers on one
/// PostgreSQL, with mutual TLS between them.
@Suite(
    "Live captures passed on between servers", .timeLimit(.minutes(10)),
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason),
    .enabled(if: OpenSSL.isThere, OpenSSL.reason))
struct PassedCaptureTests {
    private let scratch: ScratchFolder, other: ScratchFolder

    init() throws { (scratch, other) = (try ScratchFolder(), try ScratchFolder()) }

    /// One server, and what runs while it does.
    private func server(
        _ number: Int, port: Int, _ settings: [String: String], _ time: HandClock,
        credential: Sensitive<String>? = nil,
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let own = settings.merging([
            "MIEN_CLUSTER_LISTEN": "127.0.0.1:\(port)", "MIEN_CLUSTER_ADDRESS": "localhost:\(port)",
        ]) { $1 }
        try await TestServer.run(
            in: number == 0 ? scratch : other, settings: own, time: time, credential: credential,
            reader: WordReader(), body)
    }

    private func run(
        _ body: @escaping @Sendable (_ first: TestServer, _ second: TestServer) async throws -> Void
    ) async throws {
        let cluster = try PostgresCluster.shared(), time = HandClock()
        let certificate = scratch("servers.pem"), key = scratch("servers.key")
        // A certificate that signed itself is also its authority.
        try await OpenSSL.certificate(certificate, key)
        let settings = LiveCaptureTests.live.merging([
            "MIEN_STORE_URL": cluster.url(try cluster.database(for: scratch)),
            "MIEN_KEY_PATH": scratch("keys/master.key").path,
            "MIEN_CLUSTER_CERTIFICATE": certificate.path, "MIEN_CLUSTER_KEY": key.path,
            "MIEN_CLUSTER_CA": certificate.path,
        ]) { $1 }
        let ports = [try #require(LoopbackPort.free()), try #require(LoopbackPort.free())]
        try await server(0, port: ports[0], settings, time) { first in
            try await first.makeUser()
            try await server(
                1, port: ports[1], settings, time, credential: first.credential
            ) { second in
                try await Self.meet([first, second])
                try await body(first, second)
            }
        }
    }

    /// Makes the servers known to each other at the time of the test's clock, which may run ahead of
    /// their heartbeats.
    private static func meet(_ servers: [TestServer]) async throws {
        for server in servers {
            let parts = server.server.parts, now = server.time.now
            let name = try #require((parts.presence as? any CapturePeers)?.name)
            let address = try #require(server.server.configuration.cluster?.address)
            try await parts.store.write { try $0.servers.announce(name, at: address, seen: now) }
        }
    }

    /// Plays a person until the session ends, while the servers' heartbeats keep up with the test's
    /// clock.
    private static func play(_ stage: inout LiveStage, _ person: Int, _ servers: [TestServer])
        async throws
    {
        for _ in 0..<8 where stage.answer.isOpen {
            try await meet(servers)
            try await stage.play(person, atMost: 100)
        }
    }

    @Test("a person registers and signs in although every frame arrives at the other server")
    func whole() async throws {
        try await run { first, second in
            let journey = try await first.client().start("face-registration")
            try await journey.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
            let step = try await journey.respond(.clientInput)
            var stage = try await LiveStage(first, try #require(step.startToken), seed: 100)
            stage.server = second
            try await Self.play(&stage, 0, [first, second])
            #expect(stage.answer.hasPassed, "\(stage.answer)")
            try await journey.respond(.clientInput)
            guard case .success = await journey.outcome() else {
                Issue.record("the face was not registered")
                return
            }
            for (seed, person, isRight) in [(200, 0, true), (300, 1, false)]
                as [(UInt64, Int, Bool)]
            {
                // The journey, too, is answered by both servers.
                let (journey, token) = try await LiveCaptureTests().login(second)
                var stage = try await LiveStage(second, token, seed: seed)
                stage.server = first
                try await Self.play(&stage, person, [first, second])
                // Both live; whose face it is, the journey says.
                #expect(stage.answer.hasPassed, "\(stage.answer)")
                _ = try? await journey.respond(.clientInput)
                if case .success = await journey.outcome() {
                    #expect(isRight, "a stranger signed in")
                } else {
                    #expect(!isRight, "the face was not accepted")
                }
            }
        }
    }

    @Test("a session ends as interrupted once its server is dead, and the other begins it again")
    func interrupted() async throws {
        try await run { first, second in
            let (_, token) = try await LiveCaptureTests().login(first)
            var stage = try await LiveStage(first, token)
            stage.server = second
            try await Self.meet([first, second])
            try await stage.play(0, atMost: 5)
            #expect(stage.answer.isOpen)
            // As if the first one had been silent. Its real heartbeat may come in between.
            var reasons: JSONValue?
            for _ in 0..<5 where reasons != ["interrupted"] {
                first.time.advance(.seconds(16))
                try await Self.meet([second])
                let (status, body) = try await second.send(
                    .get, "/v1/capture", headers: ["authorization": "Bearer \(stage.token)"])
                #expect(status == 200, "\(body)")
                reasons = body["reasons"]
            }
            #expect(reasons == ["interrupted"])
            var again = try await LiveStage(second, token, seed: 9)
            #expect(again.answer.isOpen)
            try await Self.play(&again, 0, [second])
            #expect(!again.answer.isOpen)
        }
    }
}
