import Foundation
import MienCore
import MienLoad
import MienModels
import MienTools

/// Measures the server under load. It runs in its own process on this machine, and the load uses
/// loopback HTTP: docs/facts.md §5, rows 5 and 6.
///
/// wrk puts the load where requests are fast, because a client in Swift would take more of the
/// processor than the server. A client in Swift signs in, which wrk cannot, and which takes the
/// server much longer than the client.
struct ServerBench {
    /// The duration of each measurement.
    let seconds: Double
    let workers: Int
    /// The number of journeys over which memory is measured.
    let journeys: Int
    /// The `mien` program.
    let program: URL
    let home: MienHome

    struct Result: Encodable {
        struct Memory: Encodable {
            let journeys: Int
            /// MiB after the first thousand journeys, after half of them, and after all.
            let start, middle, end: Double
            let maximum: Double
        }

        let workers: Int
        /// Whole face logins under `journey`; their requests under the other names.
        var faceLogin: LoadFigures
        var requestsPerSecond: Double
        var bareRequestsPerSecond: Double
        var ratio: Double { requestsPerSecond / bareRequestsPerSecond }
        var request: LoadFigures
        var bareRequest: LoadFigures
        var tokens: Tokens
        var memory: Memory

        /// Device keys and refresh tokens, with ``Tokens/workers`` concurrent clients.
        struct Tokens: Encodable {
            static let workers = 16
            /// Challenge and grant under `login`; the grant alone under `grant`.
            let logins: LoadFigures
            let refreshes: LoadFigures
            /// An empty route of the same server.
            let empty: LoadFigures
        }

        private enum Key: String, CodingKey {
            case workers, faceLogin, faceLoginsPerSecond, request, requestsPerSecond, bareRequest,
                bareRequestsPerSecond, ratio, tokens, memory
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(workers, forKey: .workers)
            try container.encode(faceLogin, forKey: .faceLogin)
            try container.encode(faceLogin.perSecond("journey"), forKey: .faceLoginsPerSecond)
            try container.encode(request, forKey: .request)
            try container.encode(requestsPerSecond, forKey: .requestsPerSecond)
            try container.encode(bareRequest, forKey: .bareRequest)
            try container.encode(bareRequestsPerSecond, forKey: .bareRequestsPerSecond)
            try container.encode(ratio, forKey: .ratio)
            try container.encode(tokens, forKey: .tokens)
            try container.encode(memory, forKey: .memory)
        }
    }

    func run(_ stage: (String) -> Void) async throws -> Result {
        stage("Starting the servers")
        let server = try LoadServer(
            program: program,
            environment: LoadServer.unlimited.merging(["MIEN_PACKS": home.packs.path]) { $1 })
        defer { server.stop() }
        let bare = try LoadServer(program: MienProgramOptions.own, arguments: ["bare-route"])
        defer { bare.stop() }
        let subject = try await SetupClient.with(server) {
            try await Subject($0, home: home, users: workers)
        }

        stage("Face logins")
        _ = try await LoadRun.run(port: server.port, workers: workers, until: .calls(2 * workers)) {
            try await subject.faceLogin(of: $0.index, $0)
        }
        let faceLogin = try await LoadRun.run(
            port: server.port, workers: workers, until: .seconds(seconds)
        ) { try await subject.faceLogin(of: $0.index, $0) }

        stage("Requests")
        let (request, bareRequest) = try await requests(of: server, comparedWith: bare)
        stage("Devices and tokens")
        let tokens = try await tokens(of: server)
        stage("Memory over \(journeys.grouped) journeys")
        let part = (journeys - 1000) / 2
        _ = try await LoadRun.run(port: server.port, workers: workers, until: .calls(1000)) {
            try await subject.information($0)
        }
        let start = server.residentMebibytes.now
        _ = try await LoadRun.run(port: server.port, workers: workers, until: .calls(part)) {
            try await subject.information($0)
        }
        let middle = server.residentMebibytes.now
        _ = try await LoadRun.run(port: server.port, workers: workers, until: .calls(part)) {
            try await subject.information($0)
        }
        let (end, maximum) = server.residentMebibytes
        return Result(
            workers: workers, faceLogin: faceLogin, requestsPerSecond: request.perSecond("request"),
            bareRequestsPerSecond: bareRequest.perSecond("request"), request: request,
            bareRequest: bareRequest,
            tokens: tokens,
            memory: .init(
                journeys: journeys, start: start, middle: middle, end: end, maximum: maximum))
    }

    /// Measures requests of journeys and of the bare route, alternating, so that outside noise
    /// affects both. Returns the median round of each.
    private func requests(of server: LoadServer, comparedWith bare: LoadServer) async throws -> (
        LoadFigures, LoadFigures
    ) {
        let rounds = 3
        var ours: [LoadFigures] = [], theirs: [LoadFigures] = []
        func run(_ load: WrkLoad, _ server: LoadServer, _ seconds: Double) async throws
            -> LoadFigures
        {
            try await load.run(
                "request", port: server.port, connections: workers, seconds: seconds)
        }
        _ = try await run(Subject.journeyRequests, server, 1)
        _ = try await run(Subject.bareRequests, bare, 1)
        for _ in 0..<rounds {
            theirs.append(try await run(Subject.bareRequests, bare, seconds / Double(rounds)))
            ours.append(try await run(Subject.journeyRequests, server, seconds / Double(rounds)))
        }
        func median(_ rounds: [LoadFigures]) -> LoadFigures {
            rounds.sorted { $0.perSecond("request") < $1.perSecond("request") }[rounds.count / 2]
        }
        return (median(ours), median(theirs))
    }

    private func tokens(of server: LoadServer) async throws -> Result.Tokens {
        let workers = Result.Tokens.workers
        return try await SetupClient.with(server) { setup in
            let devices = try await TokenLoad(server, setup, workers: workers)
            _ = try await LoadRun.run(
                port: server.port, workers: workers, until: .calls(10 * workers), devices.login)
            let logins = try await LoadRun.run(
                port: server.port, workers: workers, until: .seconds(seconds), devices.login)
            func run(
                _ name: String, _ load: WrkLoad, seconds: Double, carrying tokens: [String] = []
            ) async throws -> LoadFigures {
                try await load.run(
                    name, port: server.port, connections: workers, seconds: seconds,
                    carrying: tokens)
            }
            // Each run begins with tokens of its own, because the last ones of a run are lost.
            _ = try await run(
                "refresh", TokenLoad.refreshes, seconds: 1,
                carrying: try await devices.refreshTokens(setup.client))
            let refreshes = try await run(
                "refresh", TokenLoad.refreshes, seconds: seconds,
                carrying: try await devices.refreshTokens(setup.client))
            _ = try await run("empty", TokenLoad.emptyRequests, seconds: 1)
            return Result.Tokens(
                logins: logins, refreshes: refreshes,
                empty: try await run("empty", TokenLoad.emptyRequests, seconds: seconds))
        }
    }
}
