import ArgumentParser
import Foundation
import MienLoad
import MienModels
import MienTools

/// `mien-bench server`
struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Measure a server under load: face logins, requests, tokens, memory.",
        discussion: """
            Starts a server on a free port of this machine with a temporary data folder. Requests \
            without face work are compared with a bare JSON route of Hummingbird in the same run: the \
            ratio counts. The load comes from this program and from wrk (scripts/setup --bench), which \
            share the processor with the servers.

            EXAMPLE
              mien-bench server
              mien-bench server --seconds 30 --journeys 100000
            """)

    @Option(help: ArgumentHelp("How long each measurement takes.", valueName: "seconds"))
    var seconds = 12.0
    @Option(help: ArgumentHelp("Number of concurrent clients.", valueName: "count"))
    var concurrent = 8
    @Option(help: ArgumentHelp("Journeys over which memory is measured.", valueName: "count"))
    var journeys = 10_000
    @OptionGroup var mien: MienProgramOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...600).contains(seconds) else {
            throw ValidationError("--seconds must be 1 to 600, not \(seconds)")
        }
        guard (1...256).contains(concurrent) else {
            throw ValidationError("--concurrent must be 1 to 256, not \(concurrent)")
        }
        guard (2000...10_000_000).contains(journeys) else {
            throw ValidationError("--journeys must be 2,000 to 10,000,000, not \(journeys)")
        }
    }

    func run() async throws {
        let bench = ServerBench(
            seconds: seconds, workers: concurrent, journeys: journeys, program: try mien.program(),
            home: MienHome.current)
        let stages = ProgressBar("Measuring", total: 5)
        var done = 0
        let result: ServerBench.Result
        do {
            result = try await bench.run { _ in
                stages.update(done)
                done += 1
            }
        } catch let error as LoadError {
            throw Failure(.notSetUp, "bench.server", error.description)
        }
        stages.finish()
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: ServerBench.Result) -> String {
        func latency(_ latency: LoadFigures.Latency?) -> String {
            latency.map {
                [$0.p50, $0.p95, $0.p99].map { String.decimal($0) }.joined(separator: " / ") + " ms"
            } ?? ""
        }
        let login = result.faceLogin
        var rows = [
            [
                "face logins over HTTP, one selfie, \(result.workers) at once",
                "\(String.decimal(login.perSecond("journey"))) /s", "≥ 140 /s",
            ],
            [
                "  whole login, p50 / p95 / p99", latency(login.latencies["journey"]),
                "p99 ≤ 100 ms",
            ],
        ]
        for (name, words) in [
            ("start", "start"), ("face", "choose the face"), ("frame", "send the selfie"),
            ("finish", "finish, get the token"),
        ] { rows.append(["    \(words)", latency(login.latencies[name]), ""]) }
        rows += [
            [
                "journey requests without face or password",
                "\(Int(result.requestsPerSecond).grouped) /s", "",
            ],
            ["  p50 / p95 / p99", latency(result.request.latencies["request"]), ""],
            [
                "bare JSON route of Hummingbird", "\(Int(result.bareRequestsPerSecond).grouped) /s",
                "",
            ],
            ["  p50 / p95 / p99", latency(result.bareRequest.latencies["request"]), ""],
            [
                "  journey requests, share of the bare route's",
                "\(String.decimal(100 * result.ratio, 0)) %", "≥ 35 %",
            ],
        ]
        let tokens = result.tokens, logins = tokens.logins
        rows += [
            [
                "logins with a device's key (P-256), \(ServerBench.Result.Tokens.workers) at once",
                "\(Int(logins.perSecond("login")).grouped) /s",
                "≥ 400 /s",
            ], ["  challenge and grant, p50 / p95 / p99", latency(logins.latencies["login"]), ""],
            [
                "  the grant alone, p50 / p95 / p99", latency(logins.latencies["grant"]),
                "p99 ≤ 60 ms",
            ],
            ["refreshes", "\(Int(tokens.refreshes.perSecond("refresh")).grouped) /s", "≥ 800 /s"],
            ["  p50 / p95 / p99", latency(tokens.refreshes.latencies["refresh"]), ""],
            [
                "the same server's empty route",
                "\(Int(tokens.empty.perSecond("empty")).grouped) /s", "",
            ],
        ]
        let memory = result.memory
        rows.append([
            "resident memory over \(memory.journeys.grouped) journeys: start / middle / end",
            [memory.start, memory.middle, memory.end].map { String.decimal($0, 0) }.joined(
                separator: " / ") + " MiB", "flat, ≤ 260 MiB",
        ])
        return Terminal.table(rows, heading: ["work", "measured", "budget"])
    }
}
