import ArgumentParser
import MienTools

/// `mien-bench portraits`
struct PortraitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portraits",
        abstract: "Measure the comparison of printed portraits with other photos.",
        discussion: """
            DIR contains one folder of photos per person, such as lfw-dev/images. One photo of each \
            person with two is degraded as on a document: small, printed, laminated, and compressed. \
            It is compared with the other photo, and with one of everybody else in the same half of \
            the people. The threshold was set on the first half; the second half is reported.

            EXAMPLE
              mien-bench portraits lfw-dev/images
            """)

    @Argument(
        help: ArgumentHelp("A folder with one folder of photos per person.", valueName: "dir"))
    var folder: String
    @Option(help: ArgumentHelp("Chooses the degradations.", valueName: "n")) var seed: UInt64 = 1
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let result = try await PortraitBench(engine: engine, seed: seed).run(
            PhotoCollection(folder))
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: PortraitBench.Result) -> String {
        result.parts.enumerated().map { index, part in
            let rows = part.rates.map { rate in
                [
                    String.decimal(rate.threshold, 0), "\(rate.falseMatches)",
                    percent(rate.falseMatchRate, 4),
                    rate.falseMatchInterval.map { percent($0, 4) }.joined(separator: "…"),
                    "\(rate.falseNonMatches)", percent(rate.falseNonMatchRate, 2),
                    rate.falseNonMatchInterval.map { percent($0, 2) }.joined(separator: "…"),
                ]
            }
            return """
                Part \(index + 1): \(part.people) people, \(part.genuinePairs) genuine and \
                \(part.impostorPairs) impostor pairs; of the portraits, \(part.notFound) were not found, \
                \(part.refused) refused.

                """
                    + Terminal.table(
                        rows,
                        heading: [
                            "threshold", "false matches", "rate", "95 %", "false non-matches",
                            "rate",
                            "95 %",
                        ])
        }.joined(separator: "\n\n")
    }

    private static func percent(_ part: Double, _ digits: Int) -> String {
        "\(String.decimal(100 * part, digits)) %"
    }
}
