import Foundation
import MienLoad
import Testing

/// Loads on a real server: the bare route of `mien-bench`.
@Suite struct LoadTests {
    private static let path = "/v1/journeys/respond"
    private static let body = #"{"state":"run_1","option":"client_input"}"#

    /// Whether wrk is installed, which only benchmarks need.
    private static let hasWrk = ["/usr/bin/wrk", "/usr/local/bin/wrk"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private static func withServer(_ body: (LoadServer) async throws -> Void) async throws {
        let server = try LoadServer(program: BenchProgram.url, arguments: ["bare-route"])
        defer { server.stop() }
        try await body(server)
    }

    @Test func `the bare route answers like a journey`() async throws {
        try await Self.withServer { server in
            let answer = try await LoadClient.with(port: server.port) { client in
                try await client.post(Self.path, json: Self.body)
            }
            #expect(answer.status == 200 && answer.text("state", startingWith: "run_") == "run_1")
            #expect(answer.text("journey_step_id") == "information" && answer.text("x") == nil)
        }
    }

    @Test func `a run of calls makes and measures each call once`() async throws {
        try await Self.withServer { server in
            let figures = try await LoadRun.run(port: server.port, workers: 3, until: .calls(20)) {
                worker in
                let answer = try await worker.measured("request") { () async throws(LoadError) in
                    try await worker.client.post(Self.path, json: Self.body)
                }
                #expect(answer.status == 200 && (0..<3).contains(worker.index))
            }
            #expect(figures.latencies.mapValues(\.count) == ["request": 20])
            #expect(figures.seconds > 0 && figures.perSecond("request") > 0)
        }
    }

    @Test func `the first error of a worker ends the run`() async throws {
        try await Self.withServer { server in
            let error = await #expect(throws: LoadError.self) {
                _ = try await LoadRun.run(port: server.port, workers: 3, until: .seconds(600)) {
                    worker in
                    _ = try await worker.client.post(Self.path, json: Self.body)
                    if worker.index == 1 { throw LoadError("enough") }
                }
            }
            #expect(error?.description == "enough")
        }
    }

    @Test func `a port without a server is an error`() async throws {
        var port = 0
        try await Self.withServer { port = $0.port }
        await #expect(throws: LoadError.self) {
            _ = try await LoadClient.with(port: port) { client in
                try await client.request("GET", "/")
            }
        }
    }

    @Test func `a program that does not serve is an error with its words`() throws {
        let error = #expect(throws: LoadError.self) {
            _ = try LoadServer(program: BenchProgram.url, arguments: ["pipeline", "--loud"])
        }
        #expect(error?.description.contains("--loud") == true)
    }

    @Test(.enabled(if: hasWrk, "wrk is not installed: run scripts/setup --bench"))
    func `wrk carries values from response to request, and reports failures`() async throws {
        try await Self.withServer { server in
            let load = WrkLoad(
                .init("POST", Self.path, type: "application/json", body: Self.body),
                then: .init(
                    "POST", Self.path, type: "application/json", before: #"{"state":""#,
                    after: #"","option":"client_input"}"#), member: #""state":"run_"#)
            let figures = try await load.run(
                "request", port: server.port, connections: 2, seconds: 1, carrying: ["run_a"])
            #expect((figures.latencies["request"]?.count ?? 0) > 0 && figures.seconds >= 1)
            let wrong = WrkLoad(.init("GET", "/nowhere"), member: #""state":"run_"#)
            let error = await #expect(throws: LoadError.self) {
                _ = try await wrong.run("request", port: server.port, connections: 2, seconds: 1)
            }
            #expect(error?.description.contains("404") == true)
        }
    }
}
