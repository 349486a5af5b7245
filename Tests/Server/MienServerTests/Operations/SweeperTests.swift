import Logging
import MienCore
import MienStore
import MienTesting
import Testing

@testable import MienServer

@Suite("Sweeps of several servers")
struct SweeperTests {
    private static func sweeper(
        _ store: Store, _ name: String, _ servers: TwoServers, swept: Locked<[String]>,
        pause: @escaping @Sendable () async throws -> Void = {}
    ) -> Sweeper {
        Sweeper(
            store: store, holder: name, before: [],
            after: [
                .init(name: "own", isOwn: true) { _ in swept.withLock { $0.append("own \(name)") }
                },
                .init(name: "shared") { now in
                    try await pause()
                    try await store.write { tables in
                        _ = try tables.spent.spend(
                            .step, Array(name.utf8), until: now + .seconds(86_400))
                    }
                    swept.withLock { $0.append("shared \(name)") }
                },
            ], maxTrails: 10, auditRetention: nil, clock: servers.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("one sweeps what the servers share until it is gone, and each what is its own")
    func leader() async throws {
        let servers = try await TwoServers(), swept = Locked<[String]>([])
        let a = Self.sweeper(servers.a, "a", servers, swept: swept),
            b = Self.sweeper(servers.b, "b", servers, swept: swept)
        await a.sweep()
        await b.sweep()
        #expect(swept.withLock { $0 } == ["own a", "shared a", "own b"])
        // The first server is gone, and its lease ends.
        servers.pass(.seconds(181))
        await b.sweep()
        await a.sweep()
        #expect(swept.withLock { $0.suffix(3) } == ["own b", "shared b", "own a"])
    }

    @Test("the writes of a leader that was paused are refused once another one has taken over")
    func paused() async throws {
        let servers = try await TwoServers(), swept = Locked<[String]>([])
        let b = Self.sweeper(servers.b, "b", servers, swept: swept)
        let a = Self.sweeper(servers.a, "a", servers, swept: swept) {
            // Longer than its lease; meanwhile, the other one sweeps.
            servers.pass(.seconds(181))
            await HeldLease.$current.withValue(nil) { await b.sweep() }
        }
        await a.sweep()
        #expect(swept.withLock { $0 } == ["own a", "own b", "shared b"])
        let written = try await servers.a.read { tables in
            (
                try tables.spent.contains(.step, Array("a".utf8)),
                try tables.spent.contains(.step, Array("b".utf8))
            )
        }
        #expect(written == (false, true))
    }
}
