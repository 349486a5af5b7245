import ArgumentParser
import MienTools

/// `mien-bench zones`
struct ZonesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zones",
        abstract: "Measure the reading of machine-readable zones on published specimens.",
        discussion: """
            DIR contains pictures of specimens and mrz_truth_transcribed.json, which says what is \
            printed on them. Reads the pictures, the same pictures enlarged to 12 megapixels, and photos \
            that are drawn of them at three resolutions. The same seeds draw the same photos; a third of the photos is of seeds with \
            which nothing was developed, and has rows of its own.

            EXAMPLE
              mien-bench zones documents/passporteye
              mien-bench zones documents/passporteye --developed-only --failures
            """)

    @Argument(help: ArgumentHelp("A folder with specimens.", valueName: "dir")) var folder: String
    @Flag(help: "Leave out the photos with which nothing was developed.") var developedOnly = false
    @Flag(
        help: "Print what was read wrongly, except in the photos that nothing was developed with.")
    var failures = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        var bench = ZoneBench(folder: folder)
        bench.readsUnseen = !developedOnly
        var result = try bench.run()
        if !failures { result.failures = [] }
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: ZoneBench.Result) -> String {
        let rows = result.rows.map { row in
            [
                row.pictures, row.isUnseen ? "unseen" : "developed with", "\(row.count)",
                "\(row.right)",
                String.decimal(100 * Double(row.right) / Double(max(row.count, 1)), 1),
                "\(row.valid)", "\(row.invalid)", "\(row.unsure)", "\(row.acceptedWrong)",
                "\(String.decimal(row.milliseconds, 0)) / \(String.decimal(row.longest, 0))",
            ]
        }
        let table = Terminal.table(
            rows,
            heading: [
                "pictures", "seeds", "count", "right", "%", "valid", "invalid", "unsure",
                "accepted although wrong", "ms, mean / most",
            ])
        let wrong = result.failures.map { failure in
            let lines = failure.printed.indices.map { k in
                "  \(k < failure.read.count ? failure.read[k] : "–")\n  \(failure.printed[k])"
            }
            return
                "\(failure.specimen), \(failure.pictures): \(failure.status)\n\(lines.joined(separator: "\n"))"
        }
        return ([table] + wrong).joined(separator: "\n\n")
    }
}
