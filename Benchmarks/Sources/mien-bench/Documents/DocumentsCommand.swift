import ArgumentParser
import MienDocument
import MienTools

/// `mien-bench documents`
struct DocumentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "documents",
        abstract: "Measure reading on drawn specimens of identity documents.",
        discussion: """
            Draws photos of invented documents and reads them. The same seeds draw the same photos; \
            nothing was developed with seeds from 2000 on.

            EXAMPLE
              mien-bench documents
              mien-bench documents --first 0 --count 80
            """)

    @Option(help: ArgumentHelp("The first seed.", valueName: "n"))
    var first = 2000
    @Option(help: ArgumentHelp("How many photos to draw for each table.", valueName: "n"))
    var count = 400
    @Option(
        help: ArgumentHelp(
            "How many of them to read, and to copy by each means.", valueName: "n"))
    var readings = 140
    @Option(
        help: ArgumentHelp(
            "How many photos to draw whose printed text is read.", valueName: "n"))
    var texts = 90
    @Option(
        help: ArgumentHelp(
            "How many series of each surface to draw that is tilted.", valueName: "n"))
    var tilts = 0
    @Option(
        help: ArgumentHelp(
            "Copy the pictures of documents in this folder instead of drawn ones.",
            valueName: "folder")) var specimens: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard first >= 0 else {
            throw ValidationError("--first must be 0 or greater, not \(first)")
        }
        guard (0...100_000).contains(readings) else {
            throw ValidationError("--readings must be 0 to 100000, not \(readings)")
        }
        guard (0...100_000).contains(texts) else {
            throw ValidationError("--texts must be 0 to 100000, not \(texts)")
        }
        guard (0...100_000).contains(tilts) else {
            throw ValidationError("--tilts must be 0 to 100000, not \(tilts)")
        }
        guard (8...100_000).contains(count) else {
            throw ValidationError("--count must be 8 to 100000, not \(count)")
        }
    }

    func run() async throws {
        let result = try DocumentBench(
            seeds: first..<first + count, readings: readings, texts: texts, tilts: tilts,
            folder: specimens
        ).run()
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
                ]), Self.copies(result.copies),
            Terminal.table(
                result.text.map { row in
                    [
                        row.document, row.field, "\(row.agrees)", "\(row.missing)",
                        "\(row.unclear)", "\(row.differs)",
                    ]
                },
                heading: ["document", "printed field", "agrees", "missing", "unclear", "differs"]),
            Self.tilts(result.tilts), Terminal.table(rest, heading: ["work", "measured"]),
        ].joined(separator: "\n\n")
    }

    private static func tilts(_ rows: [TiltBench.Row]) -> String {
        let faults = ReflectionCheck.Fault.allCases
        let table = rows.map { row in
            [
                row.subject, "\(row.series)", "\(row.passed)",
                row.series == 0 ? "–" : PresentationReport.interval(row.passed, of: row.series),
            ] + faults.map { "\(row.faults[$0.rawValue] ?? 0)" }
        }
        let spreads = rows.flatMap { row in
            row.measurements.sorted { $0.key < $1.key }.map { name, values in
                [name, row.subject] + values.map { String.decimal($0, 3) }
                    + [String](repeating: "–", count: max(0, 7 - values.count))
            }
        }
        return [
            Terminal.table(
                table,
                heading: ["tilted", "series", "passed", "passed, 95 %"] + faults.map(\.rawValue)),
            Terminal.table(
                spreads,
                heading: [
                    "measured", "series of", "least", "5 %", "25 %", "median", "75 %", "95 %",
                    "greatest",
                ]),
        ].joined(separator: "\n\n")
    }

    /// For each check, its results, and the interval of the rate of those that did not pass.
    private static func copies(_ rows: [CopyBench.Row]) -> String {
        let table = CopyCheck.allCases.flatMap { check in
            rows.map { row in
                func count(_ result: CopyCheck.Result) -> Int {
                    row.results[check.rawValue]?[result.rawValue] ?? 0
                }
                let signs = count(.failed) + count(.inconclusive), all = signs + count(.passed)
                return [
                    check.rawValue, row.subject, "\(row.photos)", "\(count(.failed))",
                    "\(count(.inconclusive))", "\(count(.passed))", "\(count(.notChecked))",
                    all == 0 ? "–" : PresentationReport.interval(signs, of: all),
                ]
            }
        }
        let spreads = rows.flatMap { row in
            row.measurements.sorted { $0.key < $1.key }.map { name, values in
                [name, row.subject]
                    + values.map { String.decimal($0, 3) }
                    + [String](repeating: "–", count: max(0, 7 - values.count))
            }
        }
        return [
            Terminal.table(
                table,
                heading: [
                    "check", "photos of", "photos", "failed", "inconclusive", "passed",
                    "not checked", "with a sign, 95 %",
                ]),
            Terminal.table(
                spreads,
                heading: [
                    "measured", "photos of", "least", "5 %", "25 %", "median", "75 %", "95 %",
                    "greatest",
                ]),
        ].joined(separator: "\n\n")
    }
}
