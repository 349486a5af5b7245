import Logging
import MienCore
import MienStore
import MienTesting
import Testing

@testable import MienServer

@Suite("Changes by other servers", .timeLimit(.minutes(10)))
struct ChangeWatchTests {
    /// Runs a watch whose check counts, and passes how often it has checked.
    private func watching(
        _ servers: TwoServers, pause: Duration, fails: Bool = false,
        _ body: (_ count: Locked<Int>) async throws -> Void
    ) async throws {
        let count = Locked(0)
        let watch = ChangeWatch(
            store: servers.a,
            checks: [
                ("first", { if fails { throw StoreError(.unreachable, "a test") } }),
                ("second", { count.withLock { $0 += 1 } }),
            ], pause: pause, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let task = Task { try await watch.run() }
        try await body(count)
        task.cancel()
        _ = try? await task.value
    }

    @Test("a notification is followed at once")
    func received() async throws {
        let servers = try await TwoServers()
        // Nothing else leads to a check after the first ones, of the start.
        try await watching(servers, pause: .seconds(3600)) { count in
            #expect(try await comesToHold { count.withLock { $0 } == 2 })
            for number in 1...3 {
                try await servers.b.write { try $0.notify(.changes, "apps") }
                #expect(try await comesToHold { count.withLock { $0 } == 2 + number })
            }
            try await servers.b.write { try $0.notify("elsewhere", "apps") }
            try await servers.b.write { try $0.notify(.changes, "apps") }
            #expect(try await comesToHold { count.withLock { $0 } == 6 })
        }
    }

    @Test("without notifications, the store is compared after each pause, also if a check fails")
    func lost() async throws {
        let servers = try await TwoServers()
        servers.driver.isDelivered.withLock { $0 = false }
        try await watching(servers, pause: .milliseconds(20), fails: true) { count in
            let isRepeated = try await comesToHold { count.withLock { $0 } >= 5 }
            #expect(isRepeated)
        }
    }
}
