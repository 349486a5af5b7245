import Logging
import MienCore
import MienStore
import MienTesting
import Testing

@testable import MienServer

@Suite("Servers that say that they live", .timeLimit(.minutes(10)))
struct PresenceTests {
    @Test("a server is seen by the others while it runs, and for a while after it dies")
    func others() async throws {
        let servers = try await TwoServers()
        let presence = Presence(
            name: "srv_a", store: servers.a, clock: servers.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        func isSeen(by name: String) async throws -> Bool {
            let since = servers.clock.now - Presence.patience
            return try await servers.b.read { try $0.servers.living(since: since) }
                .contains { $0.name != name }
        }
        #expect(try await !isSeen(by: "srv_b"))
        let task = Task { try await presence.run() }
        #expect(try await comesToHold { try await isSeen(by: "srv_b") })
        #expect(try await !isSeen(by: "srv_a"), "it is alone")
        task.cancel()
        _ = try? await task.value
        #expect(try await !isSeen(by: "srv_b"), "it has said that it stops")
        // One that dies does not say so.
        await presence.announce()
        #expect(try await isSeen(by: "srv_b"))
        servers.pass(Presence.patience + .milliseconds(1))
        #expect(try await !isSeen(by: "srv_b"))
    }
}
