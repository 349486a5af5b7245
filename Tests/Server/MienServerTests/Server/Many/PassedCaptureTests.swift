import Foundation
import MienAPI
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienServer

/// Live captures whose frames arrive at a server that did not begin them: two whole servers on one
/// PostgreSQL, with mutual TLS between them.
@Suite(
    "Live captures passed on between servers", .timeLimit(.minutes(10)),
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason),
    .enabled(if: OpenSSL.isThere, OpenSSL.reason))
struct PassedCaptureTests {
    private func run(
        _ body: @escaping @Sendable (_ first: TestServer, _ second: TestServer) async throws -> Void
    ) async throws {
        try await WholeServers().run(LiveCaptureTests.live) { first, second in
            try await first.makeUser()
            try await body(first, second)
        }
    }

    /// Plays a person until the session ends, while the servers' heartbeats keep up with the test's
    /// clock.
    private static func play(_ stage: inout LiveStage, _ person: Int, _ servers: [TestServer])
        async throws
    {
        for _ in 0..<8 where stage.answer.isOpen {
            try await WholeServers.meet(servers)
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

    @Test("a frame gets the answer of its session's server at the other one, and takes one hop")
    func hop() async throws {
        try await run { first, second in
            let (_, token) = try await LiveCaptureTests().login(first)
            let stage = try await LiveStage(first, token)
            try await WholeServers.meet([first, second])
            // Its number is that of a later frame, so nobody looks at the picture.
            let frame = LinkedFrame(
                number: 900, milliseconds: 90_000,
                link: Array(repeating: 1, count: LinkedFrame.linkBytes),
                picture: Array(repeating: 7, count: 60_000))
            var times: [[Duration]] = [[], []]
            for _ in 0..<200 {
                for (index, server) in [first, second].enumerated() {
                    var there = stage
                    there.server = server
                    let begun = ContinuousClock.now
                    let (status, body) = try await there.post([frame])
                    times[index].append(ContinuousClock.now - begun)
                    #expect(status == 409 && body["code"] == "frame_out_of_order", "\(body)")
                }
            }
            let (own, other) = (times[0].sorted(), times[1].sorted())
            print(
                "a frame of 60 kB: median \(own[100]) at its own server and \(other[100]) at the other one, 95 % \(own[190]) and \(other[190])"
            )
        }
    }

    @Test("a session ends as interrupted once its server is dead, and the other begins it again")
    func interrupted() async throws {
        try await run { first, second in
            let (_, token) = try await LiveCaptureTests().login(first)
            var stage = try await LiveStage(first, token)
            stage.server = second
            try await WholeServers.meet([first, second])
            try await stage.play(0, atMost: 5)
            #expect(stage.answer.isOpen)
            // As if the first one had been silent. Its real heartbeat may come in between.
            var reasons: JSONValue?
            for _ in 0..<5 where reasons != ["interrupted"] {
                first.time.advance(.seconds(16))
                try await WholeServers.meet([second])
                let (status, body) = try await second.send(
                    .get, "/v1/capture", headers: ["authorization": "Bearer \(stage.token)"])
                #expect(status == 200, "\(body)")
                reasons = body["reasons"]
            }
            #expect(reasons == ["interrupted"])
            var again = try await LiveStage(second, token, seed: 9)
            #expect(again.answer.isOpen)
            // The first server still has the lost session, which must not end the new one.
            try await WholeServers.meet([second])
            let canceled = try await first.send(
                .delete, "/v1/capture", headers: ["authorization": "Bearer \(stage.token)"])
            #expect(canceled.status == 503, "\(canceled.body)")
            let (_, body) = try await second.send(
                .get, "/v1/capture", headers: ["authorization": "Bearer \(stage.token)"])
            #expect(body["status"] == "open", "\(body)")
            try await Self.play(&again, 0, [second])
            #expect(!again.answer.isOpen)
        }
    }
}
