import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Kills a real server while eight clients make every kind of write.
///
/// `MIEN_KILLS` sets the number of kills; `scripts/prove` kills 100 times. The test prints the
/// counts.
@Suite("The server, killed", .enabled(if: Installed.isThere, Installed.reason))
struct KilledServerTests {
    private static let clients = 8
    private static let kills =
        ProcessInfo.processInfo.environment["MIEN_KILLS"].flatMap { Int($0) } ?? 6

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// The end of the audit log after a restart.
    private struct AuditEnd {
        var entries = 0
        var hash: String?
    }

    @Test(
        "a server killed at any moment keeps every acknowledged change, has no partial change, and its audit log is intact"
    )
    func killed() async throws {
        var generator = TestSeed.generator(62), audit = AuditEnd()
        let clients = (0..<Self.clients).map { (client: KillClient($0), kinds: KillKinds()) }
        let settings = ["MIEN_FACE_LIVENESS_MODE": "image"]
        var server = try await AttackedServer.start(in: scratch, settings)
        let credential = server.credential
        try await KillKinds.publishJourneys(server)
        try await server.makePageApp("web")
        for round in 0..<Self.kills {
            // Two of the clients register faces, because a picture takes long.
            for (client, kinds) in clients.prefix(2) { try await kinds.prepareFace(client, server) }
            let life = Duration.milliseconds(Int.random(in: 20...600, using: &generator)),
                running = server
            await withTaskGroup(of: Void.self) { tasks in
                for (client, kinds) in clients {
                    let prepared = kinds.faceRun.value == nil ? nil : kinds.faces
                    tasks.addTask { await client.run(kinds.all, first: prepared, at: running) }
                }
                // A slow server writes little in that time. Every second one, and the last, lives until
                // enough was acknowledged.
                if (Self.kills - round) % 2 == 1 {
                    await written(4 * (round + 1), by: clients.map(\.client), at: running)
                }
                try? await Task.sleep(for: life)
                running.process.signal(SIGKILL)
            }
            #expect(await server.process.ended() == -SIGKILL)
            server = try await AttackedServer.start(in: scratch, settings, credential: credential)
            // Verify as an operator would, before anything else is written.
            try await verify(server, &audit)
            let restarted = server
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (client, _) in clients { tasks.addTask { try await client.settle(restarted) } }
                try await tasks.waitForAll()
            }
        }
        try await whole(server)
        #expect(await server.process.stop() == 0)

        var tallies: [String: KillTally] = [:]
        for (client, _) in clients {
            await tallies.merge(client.tallies) { left, right in
                var sum = left
                sum += right
                return sum
            }
        }
        print(
            "\(Self.kills) kills, \(audit.entries) entries in the audit log, verified after each\n\(KillTally.table(tallies))"
        )
        for (kind, tally) in tallies.sorted(by: { $0.key < $1.key }) {
            #expect(tally.lost == [], "\(kind)")
            #expect(tally.torn == [], "\(kind)")
        }
        let acknowledged = tallies.values.reduce(0) { $0 + $1.acknowledged }
        #expect(acknowledged > 4 * Self.kills, "the clients have written")
        if Self.kills >= 100 {
            #expect(
                tallies.count { $0.value.acknowledged > 0 } >= KillKinds().all.count,
                "each kind of write was covered")
        }
    }

    /// Waits until more than `count` writes were acknowledged, the server ended, or a minute passed.
    private func written(
        _ count: Int, by clients: [KillClient], at server: AttackedServer
    ) async {
        for _ in 0..<6000 where server.process.isRunning {
            var acknowledged = 0
            for client in clients {
                acknowledged += await client.tallies.values.reduce(0) { $0 + $1.acknowledged }
            }
            if acknowledged > count { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Checks that `mien admin audit verify` passes and that the entries verified earlier are still
    /// in the log.
    private func verify(_ server: AttackedServer, _ end: inout AuditEnd) async throws {
        let ended = try await ProgramRun.run(
            ServeProcess.program, ["admin", "audit", "verify", "--json"],
            environment: [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential.use { $0 }, "HOME": scratch("home").path,
            ])
        #expect(ended.status == 0, "\(ended)")
        let verdict = try JSONText.parse(Array(ended.out.utf8))
        let entries = try #require(verdict["entries"]?.numberValue.map { Int($0) })
        #expect(verdict["is_whole"] == true && entries >= end.entries)
        if let hash = end.hash {
            let last = try await server.admin.audit(after: end.entries - 1).items.first
            #expect(last?.hash == hash, "an entry that was verified earlier has changed")
        }
        end = AuditEnd(entries: entries, hash: verdict["last_hash"]?.stringValue)
    }

    /// Checks that changes and their audit entries are atomic: there are equally many of each.
    private func whole(_ server: AttackedServer) async throws {
        var users = 0, after: UserID?
        repeat {
            let page = try await server.admin.users(after: after)
            // An incomplete sign-up does not count as a user.
            users += page.items.count { $0.state != .known(.pending) }
            after = page.next.flatMap { UserID($0) }
        } while after != nil
        var events: [String: Int] = [:], number = 0
        while true {
            let page = try await server.admin.audit(after: number)
            for entry in page.items { events[entry.event, default: 0] += 1 }
            guard let next = page.next.flatMap({ Int($0) }) else { break }
            number = next
        }
        func count(_ event: String) -> Int { events[event] ?? 0 }
        #expect(users == count("user.created") - count("user.deleted"))
        let apps = try await server.admin.apps(), keys = try await server.admin.productKeys()
        // The first start created one app.
        #expect(apps.count == count("app.created") - count("app.deleted") + 1)
        #expect(keys.count == count("product-key.made"))
    }
}
