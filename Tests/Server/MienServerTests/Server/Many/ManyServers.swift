import Foundation
import MienClient
import MienCore
import MienServerTesting
import MienTesting
import Synchronization
import Testing

/// Three real servers on one PostgreSQL of their own, which tests kill, stop, and start again.
final class ManyServers: Sendable {
    static let count = 3

    let cluster: PostgresCluster
    private let scratch: ScratchFolder
    /// The network to the database; `nil` if the servers reach it by a Unix socket.
    private let network: ManyNetwork?
    private let credential: Sensitive<String>
    private let running: Mutex<[AttackedServer?]>

    /// Starts the cluster, which waits for the disk, and the servers, which share one file of master
    /// keys. Where the machine allows it, a network that can be cut lies between them.
    ///
    /// - Parameter program: The version of `mien` that they run.
    static func start(in scratch: ScratchFolder, _ program: URL = ServeProcess.program) async throws
        -> ManyServers
    {
        let network =
            await ManyNetwork.isPossible.value
            ? try await ManyNetwork(ways: count, in: scratch) : nil
        let cluster = try await PostgresCluster.start(
            isDurable: true, namespace: network?.namespace)
        try await cluster.sql("CREATE DATABASE many")
        let first = try await server(0, in: scratch, url(0, cluster, network), nil, program)
        let servers = ManyServers(cluster, scratch, network, first.credential, first)
        for number in 1..<count { try await servers.start(number, program) }
        return servers
    }

    private init(
        _ cluster: PostgresCluster, _ scratch: ScratchFolder, _ network: ManyNetwork?,
        _ credential: Sensitive<String>, _ first: AttackedServer
    ) {
        (self.cluster, self.scratch, self.network, self.credential) = (
            cluster, scratch, network, credential
        )
        running = Mutex([first] + Array(repeating: nil, count: Self.count - 1))
    }

    private static func url(_ number: Int, _ cluster: PostgresCluster, _ network: ManyNetwork?)
        -> String
    {
        guard let network else { return cluster.url("many") }
        return "postgresql://mien@127.0.0.1:\(network.ports[number])/many"
    }

    /// Whether the way from a server to the database can be cut.
    var hasNetwork: Bool { network != nil }

    /// Cuts a server off from the database for a time.
    func cut(_ number: Int, for time: Duration) async throws {
        try await network?.cut(number)
        try? await Task.sleep(for: time)
        try await network?.mend(number)
    }

    private static func server(
        _ number: Int, in scratch: ScratchFolder, _ url: String, _ credential: Sensitive<String>?,
        _ program: URL
    ) async throws -> AttackedServer {
        try await AttackedServer.start(
            in: scratch,
            [
                "MIEN_STORE_URL": url, "MIEN_DATA": scratch("data\(number)").path,
                "MIEN_KEY_PATH": scratch("keys/master.key").path,
                "MIEN_FACE_LIVENESS_MODE": "image",
            ], credential: credential, program: program)
    }

    /// Starts a server that does not run.
    func start(_ number: Int, _ program: URL = ServeProcess.program) async throws {
        let url = Self.url(number, cluster, network)
        let server = try await Self.server(number, in: scratch, url, credential, program)
        running.withLock { $0[number] = server }
    }

    /// Returns a server; `nil` while it does not run.
    subscript(number: Int) -> AttackedServer? { running.withLock { $0[number] } }

    /// Returns one of the servers that run.
    var random: AttackedServer? { running.withLock { $0.compactMap { $0 }.randomElement() } }

    /// Kills a server, as a power loss would end it.
    func killServer(_ number: Int) async {
        let server = running.withLock { running in
            defer { running[number] = nil }
            return running[number]
        }
        guard let server else { return }
        server.process.signal(SIGKILL)
        #expect(await server.process.ended() == -SIGKILL, "server \(number) ended by itself")
    }

    /// Ends a server as an upgrade does: it gets no more requests, and finishes those that it has.
    func end(_ number: Int) async {
        let server = running.withLock { running in
            defer { running[number] = nil }
            return running[number]
        }
        guard let server else { return }
        // A request may be on its way.
        try? await Task.sleep(for: .milliseconds(200))
        #expect(await server.process.stop() == 0, "server \(number)")
    }

    /// Stops a server's threads for a time. Its connections stay open.
    func pause(_ number: Int, for time: Duration) async {
        guard let server = self[number] else { return }
        server.process.signal(SIGSTOP)
        try? await Task.sleep(for: time)
        server.process.signal(SIGCONT)
    }

    /// Kills every process of PostgreSQL, and starts it again after a while.
    func killDatabase(for time: Duration) async throws {
        let pids = try Self.children(of: Self.postmaster(in: cluster.folder))
        for pid in pids { kill(pid, SIGKILL) }
        try? await Task.sleep(for: time)
        // The system may take a moment to release the shared memory.
        for attempt in 0... {
            do { return try await cluster.control("start") } catch {
                guard attempt < 50 else { throw error }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Waits until every server answers from the database, and starts those that were killed.
    func restore() async throws {
        for number in 0..<Self.count where self[number] == nil { try await start(number) }
        for number in 0..<Self.count {
            let server = try #require(self[number])
            #expect(server.process.isRunning, "server \(number) ended by itself")
            try await eventually {
                (try? await server.sendJSON(.get, "/readyz").status) == 200
            }
        }
    }

    // MARK: Contents of the database

    private static let auditEntry = "SELECT number || ' ' || encode(hash, 'hex') FROM audit"

    /// The number and the hash of the last audit entry, as PostgreSQL itself returns them.
    func lastAuditEntry() async throws -> String {
        try await cluster.sql("\(Self.auditEntry) ORDER BY number DESC LIMIT 1", in: "many")
    }

    /// Whether an entry is still there, unchanged.
    func hasAuditEntry(_ entry: String) async throws -> Bool {
        let number = entry.prefix { $0 != " " }
        return try await cluster.sql("\(Self.auditEntry) WHERE number = \(number)", in: "many")
            == entry
    }

    /// Returns the names of all users, page by page.
    func usernames() async throws -> Set<String> {
        let admin = try #require(random).admin
        var names: Set<String> = [], next: UserID?
        repeat {
            let page = try await admin.users(after: next)
            names.formUnion(page.items.compactMap(\.username))
            next = page.next.flatMap { UserID($0) }
        } while next != nil
        return names
    }

    func stop() async {
        for number in 0..<Self.count { await self[number]?.process.stop() }
        cluster.stop()
        await network?.stop()
    }

    private static func postmaster(in folder: URL) throws -> pid_t {
        let text = try String(
            contentsOf: folder.appending(path: "data/postmaster.pid"), encoding: .utf8)
        return try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
    }

    /// A process and all its children, the parent first.
    private static func children(of parent: pid_t) throws -> [pid_t] {
        let path = "/proc/\(parent)/task/\(parent)/children"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return [parent] + text.split(separator: " ").compactMap { pid_t($0) }
    }
}
