import ArgumentParser
import Foundation
import MienLoad
import MienTools

/// `mien-bench identity`
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Measure identity verification with a large registry of invented people.",
        discussion: """
            Starts a server on a free port of this machine with a temporary data folder, imports the \
            people with mien admin registry import, and then verifies personal data over HTTP, one \
            request at a time. Of four people, one is not in the registry.

            EXAMPLE
              mien-bench identity
              mien-bench identity --people 100000 --verifications 10000
            """)

    @Option(help: ArgumentHelp("Number of people in the registry.", valueName: "count"))
    var people = 1_000_000
    @Option(help: ArgumentHelp("Number of verifications.", valueName: "count"))
    var verifications = 1000
    @OptionGroup var mien: MienProgramOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (100...10_000_000).contains(people) else {
            throw ValidationError("--people must be 100 to 10,000,000, not \(people)")
        }
        guard (20...1_000_000).contains(verifications) else {
            throw ValidationError("--verifications must be 20 to 1,000,000, not \(verifications)")
        }
    }

    func run() async throws {
        let bench = IdentityBench(
            people: people, verifications: verifications, program: try mien.program())
        let stages = ProgressBar("Measuring", total: 4)
        var done = 0
        let result: IdentityBench.Result
        do {
            result = try await bench.run {
                stages.update(done)
                done += 1
            }
        } catch let error as LoadError {
            throw Failure(.notSetUp, "bench.identity", error.description)
        }
        stages.finish()
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: IdentityBench.Result) -> String {
        func latency(_ name: String) -> String {
            result.latencies[name].map {
                [$0.p50, $0.p95, $0.p99].map { String.decimal($0) }.joined(separator: " / ") + " ms"
            } ?? ""
        }
        let memory = result.memory, count = result.latencies["all"]?.count ?? 0
        return Terminal.table(
            [
                [
                    "import of \(result.people.grouped) people",
                    "\(Int(result.importedPerSecond).grouped) /s", "≥ 20,000 /s",
                ],
                [
                    "verifications of personal data, one at a time, p50 / p95 / p99",
                    latency("all"),
                    "p99 ≤ 20 ms",
                ],
                ["  of people in the registry", latency("verified"), ""],
                ["  of others", latency("denied"), ""],
                [
                    "resident memory over \(count.grouped) verifications: start / middle / end",
                    [memory.start, memory.middle, memory.end].map { String.decimal($0, 0) }.joined(
                        separator: " / ") + " MiB", "flat",
                ],
            ], heading: ["work", "measured", "budget"])
    }
}
