import ArgumentParser
import MienCommandSupport

/// `mien-bench documents`
struct DocumentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "documents",
        abstract: "Measure reading on drawn specimens of identity documents.",
        discussion: """
            Draws photos of invented documents and reads them. The same seeds draw the same photos; \
            nothing was developed with seeds from 1200 on.

            EXAMPLE
              mien-bench documents
              mien-bench documents --first 0 --count 80
            """)

    @Option(help: ArgumentHelp("The first seed.", valueName: "n"))
    var first = 1200
    @Option(help: ArgumentHelp("How many photos to draw for each table.", valueName: "n"))
    var count = 240
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard first >= 0 else {
            throw ValidationError("--first must be 0 or greater, not \(first)")
        }
        guard (8...100_000).contains(count) else {
            throw ValidationError("--count must be 8 to 100000, not \(count)")
        }
    }

    func run() async throws {
        let result = try DocumentBench(seeds: first..<first + count).run()
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: DocumentBench.Result) -> String {
        let pictures = result.pictures.map { row in
            [row.subject, "\(row.pictures)", "\(row.right)", "\(row.accepted)"]
        }
        let readings = result.readings.map { row in
            [
                row.document, "\(row.pictures)", "\(row.right)", "\(row.nothing)",
                "\(row.acceptedWrong)", "\(row.rightWithoutCard)",
            ]
        }
        func milliseconds(_ time: Double) -> String { "\(String.decimal(time, 0)) ms" }
        let rest = [
            [
                "corners of \(result.corners.count) found documents, median error",
                "\(String.decimal(100 * result.corners.median, 2)) % of the width",
            ], ["  90th percentile", "\(String.decimal(100 * result.corners.ninth, 2)) %"],
            [
                "finding and judging, processor time, mean",
                milliseconds(result.findingMilliseconds),
            ],
            ["reading, processor time, mean", milliseconds(result.readingMilliseconds)],
        ]
        return [
            Terminal.table(
                pictures, heading: ["subject", "photos", "right judgment", "without fault"]),
            Terminal.table(
                readings,
                heading: [
                    "document", "photos", "right", "nothing or unsure", "accepted although wrong",
                    "right without the card",
                ]), Terminal.table(rest, heading: ["work", "measured"]),
        ].joined(separator: "\n\n")
    }
}
