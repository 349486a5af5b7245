import ArgumentParser
import MienLoad
import MienModels
import MienTools

/// `mien-bench verifications`
struct VerificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verifications",
        abstract: "Measure verifications with a document and a selfie.",
        discussion: """
            Starts a server on a free port of this machine with a temporary data folder, and sends it \
            licenses that are drawn around a demo photo: two photos of 1600×1200, and another photo of \
            the same person.

            EXAMPLE
              mien-bench verifications
              mien-bench verifications --count 100
            """)

    @Option(help: ArgumentHelp("Number of verifications.", valueName: "count"))
    var count = 1000
    @Option(help: ArgumentHelp("Users at the same time.", valueName: "count"))
    var clients = 4
    @OptionGroup var mien: MienProgramOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (8...1_000_000).contains(count) else {
            throw ValidationError("--count must be 8 to 1,000,000, not \(count)")
        }
        guard (1...16).contains(clients) else {
            throw ValidationError("--clients must be 1 to 16, not \(clients)")
        }
    }

    func run() async throws {
        let bench = VerificationBench(
            count: count, clients: clients, program: try mien.program(), home: .current)
        let stages = ProgressBar("Measuring", total: 4)
        var done = 0
        let result: VerificationBench.Result
        do {
            result = try await bench.run {
                stages.update(done)
                done += 1
            }
        } catch let error as LoadError {
            throw Failure(.notSetUp, "bench.verifications", error.description)
        }
        stages.finish()
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: VerificationBench.Result) -> String {
        let memory = result.memory, times = result.latency
        let statuses = result.statuses.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return Terminal.table(
            [
                [
                    "verifications with a document and a selfie",
                    "\(String.decimal(result.perMinute, 0)) a minute", "≥ 60 a minute",
                ],
                [
                    "  processor time of the server for each",
                    "\(String.decimal(result.processorMilliseconds, 0)) ms", "",
                ],
                [
                    "  p50 / p95 / p99",
                    [times.p50, times.p95, times.p99].map { String.decimal($0, 0) }.joined(
                        separator: " / ") + " ms", "",
                ], ["  results", statuses.joined(separator: ", "), ""],
                [
                    "resident memory over \(result.count.grouped): start / middle / end",
                    [memory.start, memory.middle, memory.end].map { String.decimal($0, 0) }.joined(
                        separator: " / ") + " MiB", "flat",
                ],
            ], heading: ["work", "measured", "budget"])
    }
}
