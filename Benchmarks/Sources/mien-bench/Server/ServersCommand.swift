import ArgumentParser
import Foundation
import MienLoad
import MienModels
import MienTools

/// `mien-bench servers`
struct ServersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "servers",
        abstract: "Measure PostgreSQL beside SQLite, and one to three servers on it.",
        discussion: """
            Starts a temporary PostgreSQL and servers on free ports of this machine. First, one server \
            on SQLite and one on PostgreSQL take turns. Then one, two, and three servers on PostgreSQL, \
            each held to the same part of a core by cpulimit, show how the throughput grows. The load \
            comes from this program and from wrk; scripts/setup --bench installs all three. \
            PostgreSQL, the load, and the servers share the machine, so choose a part of a core that \
            leaves them room.

            EXAMPLE
              mien-bench servers
              mien-bench servers --percent 30 --seconds 20
            """)

    @Option(help: ArgumentHelp("How long each measurement takes.", valueName: "seconds"))
    var seconds = 8.0
    @Option(help: ArgumentHelp("Concurrent clients of each server.", valueName: "count"))
    var concurrent = 8
    @Option(
        help: ArgumentHelp(
            "Part of a core for each of several servers.", valueName: "percent"))
    var percent = 20
    @Option(help: ArgumentHelp("Rounds; the median counts.", valueName: "count"))
    var rounds = 3
    @OptionGroup var mien: MienProgramOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...600).contains(seconds) else {
            throw ValidationError("--seconds must be 1 to 600, not \(seconds)")
        }
        guard (1...64).contains(concurrent) else {
            throw ValidationError("--concurrent must be 1 to 64, not \(concurrent)")
        }
        guard (5...100).contains(percent) else {
            throw ValidationError("--percent must be 5 to 100, not \(percent)")
        }
        guard (1...99).contains(rounds) else {
            throw ValidationError("--rounds must be 1 to 99, not \(rounds)")
        }
    }

    func run() async throws {
        let bench = ServersBench(
            seconds: seconds, workers: concurrent, percent: percent, rounds: rounds,
            program: try mien.program(), home: MienHome.current)
        let stages = ProgressBar("Measuring", total: 1 + rounds * (1 + ServersBench.most))
        var done = 0
        let result: ServersBench.Result
        do {
            result = try await bench.run { _ in
                stages.update(done)
                done += 1
            }
        } catch let error as LoadError {
            throw Failure(.notSetUp, "bench.servers", error.description)
        }
        stages.finish()
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: ServersBench.Result) -> String {
        let work = ["face logins", "journey requests", "refreshes"]
        let one = zip(result.sqlite.all, result.postgres.all).enumerated().map { index, pair in
            [
                work[index], "\(String.decimal(pair.0)) /s", "\(String.decimal(pair.1)) /s",
                "\(String.decimal(100 * pair.1 / pair.0, 0)) %", "≥ 60 %",
            ]
        }
        let first = result.limited[0].all
        let several = work.indices.map { index in
            [work[index]]
                + result.limited.map { "\(String.decimal($0.all[index])) /s" }
                + result.limited.dropFirst().map {
                    "× \(String.decimal($0.all[index] / first[index], 2))"
                }
        }
        return Terminal.table(
            one, heading: ["one server", "SQLite", "PostgreSQL", "share", "budget"]) + "\n\n"
            + Terminal.table(
                several,
                heading: [
                    "servers at \(result.percent) % of a core each", "one", "two", "three",
                    "two / one", "three / one",
                ])
    }
}
