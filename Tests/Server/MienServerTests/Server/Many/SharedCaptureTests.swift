import MienAPI
import MienCore
import MienServerTesting
import MienTesting
import Testing

/// Live captures of two servers on one PostgreSQL, without a way to pass requests on.
@Suite(
    "Live captures between servers",
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason))
struct SharedCaptureTests {
    private static func run(
        _ body: @escaping @Sendable (_ first: TestServer, _ second: TestServer) async throws -> Void
    ) async throws {
        let cluster = try await PostgresCluster.shared(), time = HandClock()
        let one = try ScratchFolder(), two = try ScratchFolder()
        let settings = LiveCaptureTests.live.merging([
            "MIEN_STORE_URL": cluster.url(try await cluster.database(for: one)),
            "MIEN_KEY_PATH": one("keys/master.key").path,
        ]) { $1 }
        try await TestServer.run(
            in: one, settings: settings, time: time, reader: WordReader()
        ) { first in
            try await first.makeUser()
            try await TestServer.run(
                in: two, settings: settings, time: time, credential: first.credential,
                reader: WordReader()
            ) { second in
                try await body(first, second)
            }
        }
    }

    private static func start(_ token: String, on server: TestServer) async throws -> Int {
        try await LiveStage.send(server, token, "start", "application/json", []).0
    }

    @Test("no other server answers about a session, ends it, or begins it again")
    func owned() async throws {
        try await Self.run { first, second in
            let token = try await LiveCaptureTests().login(first).1.use { $0 }
            #expect(try await Self.start(token, on: first) == 200)
            let headers = ["authorization": "Bearer \(token)"]
            #expect(try await Self.start(token, on: second) == 503)
            #expect(try await second.send(.get, "/v1/capture", headers: headers).status == 503)
            #expect(try await second.send(.delete, "/v1/capture", headers: headers).status == 503)
            let there = try await first.send(.get, "/v1/capture", headers: headers)
            #expect(there.status == 200 && there.body["status"] == "open", "\(there.body)")
            #expect(try await first.send(.delete, "/v1/capture", headers: headers).status == 200)
        }
    }

    @Test("of two servers that begin a session at once, one has it")
    func race() async throws {
        try await Self.run { first, second in
            for _ in 0..<12 {
                let token = try await LiveCaptureTests().login(first).1.use { $0 }
                async let one = Self.start(token, on: first)
                async let two = Self.start(token, on: second)
                let statuses = try await (one, two)
                #expect([statuses.0, statuses.1].sorted() == [200, 503], "\(statuses)")
                let owner = statuses.0 == 200 ? first : second
                let canceled = try await owner.send(
                    .delete, "/v1/capture", headers: ["authorization": "Bearer \(token)"])
                #expect(canceled.status == 200)
            }
        }
    }
}
