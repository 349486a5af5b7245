import Foundation
import MienAPI
import MienClient
import MienCore
import MienServerTesting
import MienTesting
import Testing

/// Rotations of the master key by real servers on one PostgreSQL.
@Suite(
    "The master key of several servers", .serialized, .timeLimit(.minutes(20)),
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason))
struct SharedKeyTests {
    private let scratch: ScratchFolder
    private let url: String

    init() async throws {
        scratch = try ScratchFolder()
        let cluster = try await PostgresCluster.shared()
        url = cluster.url(try await cluster.database(for: scratch))
    }

    /// Each server has a data folder, and a file of keys unless they share one.
    private func key(_ number: Int, isShared: Bool) -> URL {
        scratch("keys\(isShared ? 0 : number)/master.key")
    }

    private func settings(_ number: Int, isShared: Bool) -> [String: String] {
        [
            "MIEN_STORE_URL": url, "MIEN_DATA": scratch("data\(number)").path,
            "MIEN_KEY_PATH": key(number, isShared: isShared).path,
        ]
    }

    private func copyKey(from one: Int, to other: Int) throws {
        let target = key(other, isShared: false), files = FileManager.default
        try files.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        if files.fileExists(atPath: target.path) { try files.removeItem(at: target) }
        try files.copyItem(at: key(one, isShared: false), to: target)
    }

    /// - Parameter source: The settings of what wraps the keys; nothing by default.
    private func start(
        _ number: Int, isShared: Bool, _ credential: Sensitive<String>? = nil,
        source: [String: String] = [:]
    ) async throws -> AttackedServer {
        try await AttackedServer.start(
            in: scratch, settings(number, isShared: isShared).merging(source) { $1 },
            credential: credential)
    }

    /// Counts of what clients were told and refused.
    private struct Load: Sendable {
        var users: [String] = []
        var refreshed = 0, failed = 0
    }

    /// Runs clients at all servers while `body` runs: they create users, and refresh a sign-in each.
    private func underLoad(
        _ servers: [AttackedServer], _ prefix: String,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> Load {
        let result = Locked(Load()), isOver = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, server) in servers.enumerated() {
                group.addTask {
                    var number = 0
                    while !isOver.withLock({ $0 }) {
                        number += 1
                        let name = "\(prefix)s\(index)n\(number)"
                        let made = try? await server.admin.createUser(UserRequest(username: name))
                        result.withLock {
                            if made == nil { $0.failed += 1 } else { $0.users.append(name) }
                        }
                        // Each is looked up at each server later.
                        try? await Task.sleep(for: .milliseconds(40))
                    }
                }
                group.addTask {
                    // A journey's run is sealed under the master key, too.
                    var token = try? await server.signIn("ada").body["refresh_token"]?.stringValue
                    while !isOver.withLock({ $0 }) {
                        let answer = try? await server.tokens.refresh(token)
                        let next = answer?.body["refresh_token"]?.stringValue
                        result.withLock {
                            if next == nil { $0.failed += 1 } else { $0.refreshed += 1 }
                        }
                        token = next ?? token
                        try? await Task.sleep(for: .milliseconds(20))
                    }
                }
            }
            group.addTask {
                defer { isOver.withLock { $0 = true } }
                try await body()
                try await Task.sleep(for: .milliseconds(500))
            }
            try await group.waitForAll()
        }
        return result.withLock { $0 }
    }

    private func expectAll(_ users: [String], at servers: [AttackedServer]) async throws {
        for server in servers {
            for name in users {
                #expect(try await server.admin.findUser(name)?.username == name, "\(name)")
            }
            _ = try await server.signIn("ada")
        }
        #expect(try await servers[0].admin.verifyAudit().isWhole)
    }

    private func within(_ seconds: Int, _ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while try await !condition() {
            try #require(ContinuousClock.now < end, "the condition does not come to hold")
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func complete(_ server: AttackedServer, _ version: Int) async throws {
        try await within(120) {
            let answer = try await server.admin.masterKeys()
            return !answer.isSealing && answer.waitsFor == nil
                && answer.keys.last?.version == version
        }
    }

    @Test(
        "three servers rotate under load and lose nothing; an old file is refused",
        arguments: [false, true])
    func rotation(isShared: Bool) async throws {
        let a = try await start(0, isShared: isShared)
        if !isShared { for number in 1...3 { try copyKey(from: 0, to: number) } }
        let b = try await start(1, isShared: isShared, a.credential)
        let c = try await start(2, isShared: isShared, a.credential)
        let servers = [a, b, c]
        _ = try await a.makeUser("ada")
        let began = ContinuousClock.now
        let first = try await underLoad(servers, "one") {
            _ = try await b.admin.rotateMasterKey()
            try await complete(a, 2)
        }
        let took = ContinuousClock.now - began
        print(
            "shared file: \(isShared). A rotation of 3 servers took \(took), with \(first.users.count) users and \(first.refreshed) refreshes meanwhile, \(first.failed) failed"
        )
        #expect(first.users.count > 10 && first.refreshed > 3)
        #expect(first.failed == 0, "nobody was refused")
        try await expectAll(first.users, at: servers)
        for server in servers {
            #expect(try await server.admin.masterKeys().keys.map(\.version) == [1, 2])
        }
        try await c.admin.removeMasterKey(version: 1)
        try await expectAll(first.users, at: servers)
        #expect(try await a.admin.masterKeys().keys.map(\.version) == [2])
        try await eventually {
            try !String(contentsOf: key(0, isShared: isShared), encoding: .utf8)
                .contains("key 1 ")
        }
        let events = try await a.admin.audit(event: "master-key.rotated")
        #expect(events.items.count == 1)
        if !isShared {
            // The fourth has the file from before.
            let refused = try await #require(throws: ServeProcess.NotListening.self) {
                _ = try await start(3, isShared: false)
            }
            #expect(refused.status == 3, "\(refused.err)")
            #expect(refused.err.contains("version 2 of the master key"), "\(refused.err)")
            #expect(refused.err.contains("Copy the file of the master keys"), "\(refused.err)")
            #expect(refused.err.contains(key(3, isShared: false).path), "\(refused.err)")
            try copyKey(from: 1, to: 3)
            let fourth = try await start(3, isShared: false, a.credential)
            try await expectAll(Array(first.users.suffix(5)), at: [fourth])
            #expect(await fourth.process.stop() == 0)
        }
        for server in servers { #expect(await server.process.stop() == 0) }
    }

    @Test(
        "servers whose keys a file, a credential of systemd, and a token protect rotate together",
        .enabled(if: KeySources.hasToken, "SoftHSM is not installed"))
    func sources() async throws {
        let sources = [
            [:], try KeySources(scratch).credential(), try await KeySources(scratch).token(),
        ]
        let a = try await start(0, isShared: false)
        _ = try await a.makeUser("ada")
        for number in 1...2 {
            try copyKey(from: 0, to: number)
            try FileManager.default.createDirectory(
                at: scratch("data\(number)"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let environment = MienTool(in: scratch, data: scratch("data\(number)")).environment
                .merging(settings(number, isShared: false)) { $1 }.merging(sources[number]) { $1 }
            func masterKey(_ command: String) async throws {
                let ended = try await ProgramRun.run(
                    ServeProcess.program, ["master-key", command], environment: environment)
                #expect(ended.status == 0, "\(number) \(command): \(ended.err)")
            }
            if sources[number]["MIEN_KEY_SOURCE"] == "pkcs11" { try await masterKey("create") }
            try await masterKey("move")
        }
        var servers = [a]
        for number in 1...2 {
            servers.append(
                try await start(number, isShared: false, a.credential, source: sources[number]))
        }
        let load = try await underLoad(servers, "sources") { [servers] in
            _ = try await servers[1].admin.rotateMasterKey()
            try await complete(servers[2], 2)
        }
        #expect(load.failed == 0 && load.users.count > 10)
        try await servers[2].admin.removeMasterKey(version: 1)
        // Each has the new key in its own file, wrapped as before, and starts with it.
        for number in 0...2 {
            #expect(await servers[number].process.stop() == 0)
            let file = try Data(contentsOf: key(number, isShared: false))
            #expect(file.starts(with: Array("mien-wrapped-keys 1\n".utf8)) == (number > 0))
            servers[number] = try await start(
                number, isShared: false, a.credential, source: sources[number])
        }
        try await expectAll(load.users, at: servers)
        for server in servers { #expect(await server.process.stop() == 0) }
    }

    @Test(
        "the server that began is killed and another is stopped meanwhile: the third one finishes")
    func killed() async throws {
        var a = try await start(0, isShared: false)
        for number in 1...2 { try copyKey(from: 0, to: number) }
        let b = try await start(1, isShared: false, a.credential)
        let c = try await start(2, isShared: false, a.credential)
        _ = try await a.makeUser("ada")
        c.process.signal(SIGSTOP)
        // It answers that c is missing.
        let answer = try await a.admin.rotateMasterKey()
        #expect(answer.next?.version == 2 && answer.waitsFor?.count == 1, "\(answer)")
        #expect(answer.waitsFor?.first?.host.contains("process \(c.process.processID)") == true)
        let tool = MienTool(in: scratch, data: scratch("data1"), server: b)
        let shown = try await tool.run("admin", "master-key", "status")
        #expect(
            shown.status == 0 && shown.out.contains("process \(c.process.processID)"), "\(shown)")
        a.process.signal(SIGKILL)
        #expect(await a.process.ended() == -SIGKILL)
        // Both are silent for 15 s.
        let second = try await underLoad([b], "two") { try await complete(b, 2) }
        #expect(second.failed == 0 && second.users.count > 10)
        c.process.signal(SIGCONT)
        a = try await start(0, isShared: false, a.credential)
        let servers = [a, b, c]
        try await within(60) {
            for server in servers {
                guard let found = try? await server.admin.findUser(second.users[0]),
                    found.username == second.users[0]
                else { return false }
            }
            return true
        }
        try await complete(c, 2)
        try await expectAll(second.users, at: servers)
        // Another one, which c sleeps through until the former key is gone.
        c.process.signal(SIGSTOP)
        _ = try await b.admin.rotateMasterKey()
        let canceled = try await tool.run("admin", "master-key", "cancel")
        #expect(canceled.status == 0 && canceled.out.contains("Canceled"), "\(canceled)")
        try await Task.sleep(for: .seconds(17))
        _ = try await b.admin.rotateMasterKey()
        try await complete(b, 4)
        try await complete(a, 4)
        for version in [1, 2] { try await b.admin.removeMasterKey(version: version) }
        c.process.signal(SIGCONT)
        #expect(await c.process.ended() == 3)
        #expect(try c.process.err.contains("Copy the file of the master keys"))
        try await expectAll(second.users, at: [a, b])
        for server in [a, b] { #expect(await server.process.stop() == 0) }
    }
}
