import Foundation
import MienAPI
import MienCore
import MienServerTesting
import MienTesting
import Testing

/// Kills and stops servers and PostgreSQL while eight clients use three servers, and judges what the
/// clients saw.
///
/// `MIEN_MANY_KILLS` sets the number of kills, between which servers are paused and cut off.
/// `scripts/prove` makes 300.
@Suite(
    "Three servers on PostgreSQL, killed", .serialized,
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason))
struct ManyServersTests {
    private static let kills =
        ProcessInfo.processInfo.environment["MIEN_MANY_KILLS"].flatMap { Int($0) } ?? 5

    private enum Fault: String, CaseIterable, Sendable {
        case killServer, killTwoServers, pauseServer, killDatabase, restartDatabase, cutServer

        /// How many servers, or PostgreSQL as a whole, end without notice. A restart is immediate:
        /// PostgreSQL recovers as after a crash.
        var kills: Int {
            switch self {
            case .killServer, .killDatabase, .restartDatabase: 1
            case .killTwoServers: 2
            case .pauseServer, .cutServer: 0
            }
        }
    }

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "whatever is killed or stopped, acknowledged changes stay, single-use things work once, guesses are counted, emails go out, and the audit log is whole"
    )
    func killed() async throws {
        let servers = try await ManyServers.start(in: scratch), began = ContinuousClock.now
        let first = try #require(servers[0])
        _ = try await first.admin.updateApp(AttackedServer.app, ManyRound.Locks.request)
        // The others have read the app's settings perhaps.
        for number in 1..<ManyServers.count {
            await servers.killServer(number)
            try await servers.start(number)
        }
        var generator = TestSeed.generator(64), totals = ManyRound.Totals()
        var counts: [Fault: Int] = [:], unjudged: [String: Int] = [:], kills = 0, rounds = 0
        var invited: [String] = [], created: [String] = [],
            last = try await servers.lastAuditEntry()
        let kinds = Fault.allCases.filter { $0 != .cutServer || servers.hasNetwork }
        if !servers.hasNetwork { print("no partitions: this machine allows no network namespaces") }
        while kills < Self.kills || rounds < kinds.count {
            let round = rounds
            rounds += 1
            // Each kind has its turn in a short test.
            let fault = kinds[
                round < kinds.count ? round : Int.random(in: 0..<kinds.count, using: &generator)]
            let server = Int.random(in: 0..<ManyServers.count, using: &generator)
            let time = Duration.milliseconds(Int.random(in: 50...1200, using: &generator))
            let play = try await ManyRound(servers, round: round)
            // From the last kind on, a lock must have been seen.
            let needsLock = rounds >= kinds.count && totals.closedLocks == 0
            try await play.run(untilLocked: needsLock) {
                switch fault {
                case .killServer: await servers.killServer(server)
                case .killTwoServers:
                    await servers.killServer(server)
                    await servers.killServer((server + 1) % ManyServers.count)
                case .pauseServer: await servers.pause(server, for: time)
                case .killDatabase: try await servers.killDatabase(for: time)
                case .cutServer: try await servers.cut(server, for: time)
                case .restartDatabase: try await servers.cluster.control("-m immediate restart")
                }
            }
            try await servers.restore()
            let (wrong, counted) = try await play.judge()
            for fault in wrong { Issue.record("round \(round): \(fault)") }
            #expect(
                try await servers.hasAuditEntry(last), "round \(round): the audit log was cut off")
            last = try await servers.lastAuditEntry()
            totals.add(counted)
            invited += play.invited.withLock { $0 }
            created += play.created.withLock { $0 }
            unjudged.merge(play.unjudged.withLock { $0 }, uniquingKeysWith: +)
            counts[fault, default: 0] += 1
            kills += fault.kills
            if wrong.count > 3 { break }
        }
        // The faults of later rounds must not lose users that an earlier round acknowledged.
        let missing = try await Set(created).subtracting(servers.usernames())
        #expect(missing.isEmpty, "\(missing.count) users were acknowledged and are missing")
        for fault in try await ManyMail(outbox: first.outbox).judge(invited) {
            Issue.record("\(fault)")
        }
        await servers.stop()
        let made = Fault.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }
            .joined(separator: ", ")
        print(
            "\(rounds) faults with \(kills) kills in \((ContinuousClock.now - began).components.seconds) s (\(made)): \(totals.calls) recorded calls, \(totals.answers) answered, \(totals.users) users, \(totals.families) refreshes, \(totals.exchanges) exchanges, \(totals.invitations) invitations mailed, \(totals.closedLocks) closed locks seen"
        )
        print("guesses without a verdict: \(unjudged)")
        #expect(totals.answers > 20 * rounds, "the clients were answered")
        #expect(totals.users > rounds && totals.families > 0 && totals.exchanges > 0)
        #expect(totals.closedLocks > 0)
    }
}
