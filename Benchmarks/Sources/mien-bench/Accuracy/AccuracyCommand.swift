import ArgumentParser
import MienFace
import MienTools

/// `mien-bench accuracy`
struct AccuracyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accuracy",
        abstract: "Measure detection and accuracy on photos of many people.",
        discussion: """
            DIR contains one folder of photos per person, such as lfw-dev/images; the face in the \
            middle is the person's. Every pair is scored with a cohort that never saw either person, \
            as mien face evaluate --cross-fit does.

            EXAMPLE
              mien-bench accuracy lfw-dev/images --pairs lfw-dev/pairs.txt
            """)

    @Argument(
        help: ArgumentHelp("A folder with one folder of photos per person.", valueName: "dir"))
    var folder: String
    @Option(
        help: ArgumentHelp("A list of pairs in folds, in LFW's format.", valueName: "pairs.txt"))
    var pairs: String?
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        // Checks the arguments before the long work.
        let list = try pairs.map { try PairList(file: $0) }
        let collection = try PhotoCollection(folder)
        let result = try await AccuracyBench(engine: engine).run(collection, pairs: list)
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: AccuracyBench.Result) -> String {
        func percent(_ part: Double) -> String { "\(String.decimal(100 * part, 2)) %" }
        var rows = [
            [
                "center face found, \(result.photos.grouped) photos",
                percent(result.centerFaceFound), "≥ 99.9 %",
            ]
        ]
        if let mean = result.accuracy {
            rows.append(["accuracy over the folds", percent(mean), "≥ 99.2 %"])
        }
        rows.append([
            "true accepts at 1 in 10,000, \(result.impostorPairs.grouped) impostor pairs",
            percent(result.trueAcceptRate), "≥ 88 %",
        ])
        rows.append(["  the same with plain cosine", percent(result.trueAcceptRateRaw), ""])
        return Terminal.table(rows, heading: ["work", "measured", "budget"])
    }
}
