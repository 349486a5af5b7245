import Foundation
import MienServerTesting
import MienTesting
import Testing

/// The upgrade that docs/operate-many.md describes: one server after the other is ended and started in
/// the new version, while eight clients go on.
///
/// `MIEN_FORMER_PROGRAM` names the `mien` of an earlier version, with an earlier schema. Without it, the
/// servers are restarted in the same version.
@Suite(
    "An upgrade of three servers", .serialized, .timeLimit(.minutes(10)),
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason))
struct RollingUpgradeTests {
    private static let former =
        ProcessInfo.processInfo.environment["MIEN_FORMER_PROGRAM"].map { URL(filePath: $0) }
        ?? ServeProcess.program
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "every request of the clients is answered, and nothing is lost, while each server changes")
    func upgrade() async throws {
        let servers = try await ManyServers.start(in: scratch, Self.former)
        _ = try await servers[0]?.admin.updateApp(
            AttackedServer.app, ManyRound.Locks.request)
        for number in 1..<ManyServers.count {
            await servers.killServer(number)
            try await servers.start(number, Self.former)
        }
        var totals = ManyRound.Totals()
        for number in 0..<ManyServers.count {
            let play = try await ManyRound(servers, round: number)
            try await play.run {
                await servers.end(number)
                try await servers.start(number)
                // Versions side by side, until the last one.
                try await Task.sleep(for: .milliseconds(700))
            }
            let (wrong, counted) = try await play.judge()
            for fault in wrong { Issue.record("server \(number): \(fault)") }
            totals.add(counted)
        }
        await servers.stop()
        #expect(totals.answers == totals.calls, "a request was not answered")
        #expect(totals.answers > 50 && totals.users > 0, "\(totals)")
    }
}
