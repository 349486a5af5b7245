import ArgumentParser
import Foundation
import MienLoad
import MienModels
import MienTools

/// `mien-bench captures`
struct CapturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures",
        abstract: "Measure live captures that run on a server at the same time.",
        discussion: """
            Starts a server on a free port of this machine with a temporary data folder. Each of the \
            captures sends frames of 640×480 as JPEG at a steady rate; they show a head that is animated \
            from a photo and does what it is asked. An answer's time counts from \
            the moment at which its frame was due, so a client that falls behind shows. The load \
            comes from this program, which shares the processor with the server.

            EXAMPLE
              mien-bench captures
              mien-bench captures --concurrent 40 --seconds 60
            """)

    @Option(help: ArgumentHelp("Number of captures at once.", valueName: "count"))
    var concurrent = 20
    @Option(help: ArgumentHelp("How long to measure.", valueName: "seconds"))
    var seconds = 20.0
    @Option(help: ArgumentHelp("Frames per second of each capture.", valueName: "count"))
    var rate = 10
    @OptionGroup var mien: MienProgramOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...256).contains(concurrent) else {
            throw ValidationError("--concurrent must be 1 to 256, not \(concurrent)")
        }
        guard (2...600).contains(seconds) else {
            throw ValidationError("--seconds must be 2 to 600, not \(seconds)")
        }
        guard (1...30).contains(rate) else {
            throw ValidationError("--rate must be 1 to 30, not \(rate)")
        }
    }

    func run() async throws {
        let home = MienHome.current, library = PackLibrary(folder: home.packs)
        let bench = CaptureBench(
            captures: concurrent, seconds: seconds, framesPerSecond: rate,
            program: try mien.program(), home: home,
            engine: try FaceEngine(pack: try library.pack(library.defaultID)))
        let result: CaptureBench.Result
        do { result = try await bench.run() } catch let error as LoadError {
            throw Failure(.notSetUp, "bench.captures", error.description)
        }
        if output.json { JSON.print(result) } else { print(Self.text(result, seconds: seconds)) }
    }

    private static func text(_ result: CaptureBench.Result, seconds: Double) -> String {
        let latency = result.answer
        return Terminal.table(
            [
                [
                    "\(result.captures) live captures at once, \(result.framesPerSecond) frames a second each: frames answered",
                    "\(String.decimal(result.framesAnsweredPerSecond, 0)) /s", "",
                ],
                [
                    "  from a frame to its answer, p50 / p95 / p99",
                    [latency.p50, latency.p95, latency.p99].map { String.decimal($0, 0) }.joined(
                        separator: " / ") + " ms", "p95 ≤ 150 ms at 20",
                ],
                ["  frames dropped by clients", "\(result.dropped)", "0"],
                [
                    "  captures that ended, a minute, and those of them that passed",
                    "\(String.decimal(60 * Double(result.ended) / seconds, 0)), \(result.passed) of \(result.ended)",
                    "",
                ],
                [
                    "  what the answers advised most",
                    result.guidance.sorted { $0.value > $1.value }.prefix(3)
                        .map { "\($0.key) \($0.value)" }.joined(separator: ", "), "",
                ],
                [
                    "  most resident memory", "\(String.decimal(result.residentMebibytes, 0)) MiB",
                    "≤ 260 MiB",
                ],
            ], heading: ["work", "measured", "budget"])
    }
}
