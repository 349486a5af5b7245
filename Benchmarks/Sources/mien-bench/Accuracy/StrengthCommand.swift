import ArgumentParser
import MienTools

/// `mien-bench strength`
struct StrengthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strength",
        abstract: "Measure the length of the descriptor network's vectors as a measure of quality.",
        discussion: """
            DIR contains one folder of photos per person, such as lfw-dev/images. Prints how often \
            photos of one person do not match, by the length of the shorter vector, and what limits \
            would refuse: photos that every other aspect of quality accepts, and the same photos \
            spoiled on purpose. A limit is chosen on the first half of the people and reported on the \
            second.

            EXAMPLE
              mien-bench strength lfw-dev/images
            """)

    @Argument(
        help: ArgumentHelp("A folder with one folder of photos per person.", valueName: "dir"))
    var folder: String
    @Option(help: ArgumentHelp("Spoil one in so many photos.", valueName: "n")) var every = 4
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1000).contains(every) else {
            throw ValidationError("--every must be 1 to 1000, not \(every)")
        }
    }

    func run() async throws {
        let result = try await StrengthBench(engine: engine, every: every).run(
            PhotoCollection(folder))
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: StrengthBench.Result) -> String {
        let names = ["0.1 %", "0.5 %", "1 %", "2 %", "5 %", "50 %", "95 %"]
        let lengths = zip(names, result.percentiles).map { "\($0): \(String.decimal($1, 2))" }
        return
            (["\(result.photos.grouped) photos; lengths at \(lengths.joined(separator: ", "))"]
            + result.parts.enumerated().map { "Part \($0 + 1): \(text($1))" })
            .joined(separator: "\n\n")
    }

    private static func text(_ part: StrengthBench.Part) -> String {
        let bands = part.bands.map { band in
            [
                "\(String.decimal(band.from, 2))…\(String.decimal(band.to, 2))",
                band.pairs.grouped, "\(band.misses)", percent(band.misses, of: band.pairs),
            ]
        }
        let limits = part.limits.map { limit in
            [
                String.decimal(limit.enough, 1), "\(limit.goodRefused)",
                percent(limit.goodRefused, of: limit.good),
                percent(limit.misses, of: limit.pairs),
                percent(limit.missesLeft, of: limit.pairsLeft),
            ]
                + limit.spoiled.map {
                    "\($0.refused)/\($0.accepted), \($0.refusedMissed)/\($0.acceptedMissed)"
                }
        }
        let ways = part.limits.first?.spoiled.map { "\($0.way) (\($0.described))" } ?? []
        return """
            \(part.people) people, \(part.photos) photos, \(part.matedPairs) mated pairs, at most 28 of one person

            \(Terminal.table(bands, heading: ["shorter vector", "pairs", "missed", "rate"]))

            Of spoiled photos (in brackets: described): refused of those that other aspects accept, \
            and of those that also no longer match.

            \(Terminal.table(
                limits,
                heading: ["limit", "good photos refused", "", "missed without", "with"] + ways))
            """
    }

    private static func percent(_ part: Int, of all: Int) -> String {
        "\(String.decimal(100 * Double(part) / Double(max(all, 1)), 2)) %"
    }
}
