import Foundation
import MienLoad
import MienModels
import MienTools

/// Measures one server on SQLite beside one on PostgreSQL, and then one, two, and three servers on one
/// PostgreSQL, each held to the same part of a core, so that a small machine shows how the throughput
/// grows.
struct ServersBench {
    /// The duration of each measurement.
    let seconds: Double
    /// Clients of each server.
    let workers: Int
    /// The part of a core that each of several servers may use, in percent.
    let percent: Int
    let rounds: Int
    let program: URL
    let home: MienHome

    static let most = 3
    /// All servers give the same one, because tokens name it.
    private static let publicURL = "http://127.0.0.1:9"

    /// Throughput of each kind of work, per second.
    struct Figures: Encodable {
        var faceLogins: Double
        /// Requests of journeys without face or password.
        var requests: Double
        var refreshes: Double

        var all: [Double] { [faceLogins, requests, refreshes] }

        static func median(of rounds: [Figures]) -> Figures {
            func middle(_ value: (Figures) -> Double) -> Double {
                rounds.map(value).sorted()[rounds.count / 2]
            }
            return Figures(
                faceLogins: middle(\.faceLogins), requests: middle(\.requests),
                refreshes: middle(\.refreshes))
        }
    }

    struct Result: Encodable {
        let workers: Int
        let percent: Int
        /// One server that may use the whole machine.
        let sqlite, postgres: Figures
        /// One, two, and three servers on PostgreSQL, each held to a part of a core.
        let limited: [Figures]
    }

    /// One or more servers on one database, and their load.
    private struct Group {
        let servers: [LoadServer]
        let subject: ServerBench.Subject
        let tokens: TokenLoad
        let workers: Int

        init(_ servers: [LoadServer], home: MienHome, workers: Int) async throws {
            (self.servers, self.workers) = (servers, workers)
            (subject, tokens) = try await SetupClient.with(servers[0]) { setup in
                (
                    try await ServerBench.Subject(
                        setup, home: home, users: workers * servers.count),
                    try await TokenLoad(
                        servers[0], setup, workers: workers * servers.count,
                        issuer: ServersBench.publicURL)
                )
            }
        }

        /// Puts load on the first `count` servers at once.
        func figures(of count: Int, seconds: Double) async throws -> Figures {
            let (subject, workers) = (subject, workers)
            let ports = servers.prefix(count).map(\.port)
            func sum(
                _ run: @escaping @Sendable (_ index: Int, _ port: Int) async throws -> Double
            ) async throws -> Double {
                try await withThrowingTaskGroup(of: Double.self) { group in
                    for (index, port) in ports.enumerated() {
                        group.addTask { try await run(index, port) }
                    }
                    return try await group.reduce(0, +)
                }
            }
            let faceLogins = try await sum { index, port in
                try await LoadRun.run(
                    port: port, workers: workers, until: .seconds(seconds)
                ) { try await subject.faceLogin(of: index * workers + $0.index, $0) }.perSecond(
                    "journey")
            }
            let requests = try await sum { _, port in
                try await ServerBench.Subject.journeyRequests.run(
                    "request", port: port, connections: workers, seconds: seconds
                ).perSecond("request")
            }
            // Each run begins with tokens of its own, because the last ones of a run are lost.
            let carried = try await LoadClient.with(port: servers[0].port) {
                try await tokens.refreshTokens($0)
            }
            let refreshes = try await sum { index, port in
                try await TokenLoad.refreshes.run(
                    "refresh", port: port, connections: workers, seconds: seconds,
                    carrying: Array(carried[index * workers..<(index + 1) * workers])
                ).perSecond("refresh")
            }
            return Figures(faceLogins: faceLogins, requests: requests, refreshes: refreshes)
        }
    }

    func run(_ stage: (String) -> Void) async throws -> Result {
        stage("Starting PostgreSQL and the servers")
        let postgres = try LoadPostgres()
        defer { postgres.stop() }
        let (sqlite, shared) = try await beside(postgres, stage)
        return Result(
            workers: workers, percent: percent, sqlite: sqlite, postgres: shared,
            limited: try await limited(postgres, stage))
    }

    private func beside(_ postgres: LoadPostgres, _ stage: (String) -> Void) async throws -> (
        sqlite: Figures, postgres: Figures
    ) {
        let file = try server()
        defer { file.stop() }
        let database = try server(["MIEN_STORE_URL": try postgres.database("alone")])
        defer { database.stop() }
        let groups = [
            try await Group([file], home: home, workers: workers),
            try await Group([database], home: home, workers: workers),
        ]
        for group in groups { _ = try await group.figures(of: 1, seconds: 2) }
        var figures: [[Figures]] = [[], []]
        for round in 0..<rounds {
            stage("SQLite and PostgreSQL, round \(round + 1)")
            // Alternating, so that outside noise affects both.
            for (index, group) in groups.enumerated() {
                figures[index].append(try await group.figures(of: 1, seconds: seconds))
            }
        }
        return (.median(of: figures[0]), .median(of: figures[1]))
    }

    private func limited(_ postgres: LoadPostgres, _ stage: (String) -> Void) async throws
        -> [Figures]
    {
        let url = try postgres.database("several"), folder = try KeyFolder()
        defer { folder.remove() }
        var servers: [LoadServer] = [], limits: [Process] = []
        defer {
            for limit in limits { Self.end(limit) }
            for server in servers {
                // It may have been stopped at this moment.
                kill(server.processID, SIGCONT)
                server.stop()
            }
        }
        for _ in 0..<Self.most {
            servers.append(
                try server(["MIEN_STORE_URL": url, "MIEN_KEY_PATH": folder.key.path]))
        }
        let group = try await Group(servers, home: home, workers: workers)
        _ = try await group.figures(of: Self.most, seconds: 2)
        for server in servers { limits.append(try limit(server)) }
        var figures: [[Figures]] = Array(repeating: [], count: Self.most)
        for round in 0..<rounds {
            for count in 1...Self.most {
                stage("\(count) of \(Self.most) servers, round \(round + 1)")
                figures[count - 1].append(try await group.figures(of: count, seconds: seconds))
            }
        }
        return figures.map { .median(of: $0) }
    }

    private func server(_ settings: [String: String] = [:]) throws -> LoadServer {
        let own = ["MIEN_PACKS": home.packs.path, "MIEN_PUBLIC_URL": Self.publicURL]
        return try LoadServer(
            program: program,
            environment: LoadServer.unlimited.merging(own) { $1 }.merging(settings) { $1 })
    }

    /// Holds a server to its part of a core. Control groups may be read-only.
    private func limit(_ server: LoadServer) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/cpulimit")
        process.arguments = ["-p", "\(server.processID)", "-l", "\(percent)", "-z"]
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice
        )
        do { try process.run() } catch {
            throw LoadError("cpulimit is not installed; run scripts/setup --bench")
        }
        return process
    }

    private static func end(_ process: Process) {
        guard process.isRunning else { return }
        // It may ignore SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// A folder for the master key that several servers share.
    private struct KeyFolder {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "mien-load-keys-\(UUID().uuidString)", directoryHint: .isDirectory)
        var key: URL { url.appending(path: "master.key") }

        init() throws {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }

        func remove() { try? FileManager.default.removeItem(at: url) }
    }
}
