import ArgumentParser
import MienTools

/// `mien-bench matching`
struct MatchingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matching",
        abstract: "Measure how often personal data is mistaken for somebody else's.",
        discussion: """
            Compares invented people with the rows of a registry: as they are registered, with the \
            mistakes of typists, and as twins, namesakes, and relatives of registered people. Prints \
            what becomes of their attempts under the standard rules.

            EXAMPLE
              mien-bench matching --pairs 100000
            """)

    @Option(help: ArgumentHelp("Number of pairs.", valueName: "count"))
    var pairs = 100_000
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (100...10_000_000).contains(pairs) else {
            throw ValidationError("--pairs must be 100 to 10,000,000, not \(pairs)")
        }
    }

    func run() throws {
        let result = try Result(pairs: pairs)
        if output.json { JSON.print(result) } else { print(result.text) }
    }

    struct Result: Encodable {
        /// The number of pairs of each kind by outcome.
        var counts: [String: [String: Int]] = [:]
        /// The shares of all pairs of people who are in the registry, by outcome, and of all others.
        var genuine: [String: Double] = [:]
        var others: [String: Double] = [:]

        init(pairs: Int) throws {
            var totals: [Bool: [MatchingPair.Outcome: Int]] = [:]
            for number in 0..<pairs {
                let pair = MatchingPair(number), outcome = try pair.outcome()
                counts[pair.kind.rawValue, default: [:]][outcome.rawValue, default: 0] += 1
                totals[pair.kind.isGenuine, default: [:]][outcome, default: 0] += 1
            }
            func shares(_ isGenuine: Bool) -> [String: Double] {
                let found = totals[isGenuine] ?? [:], sum = Double(found.values.reduce(0, +))
                return Dictionary(
                    uniqueKeysWithValues: MatchingPair.Outcome.allCases.map {
                        ($0.rawValue, sum > 0 ? Double(found[$0] ?? 0) / sum : 0)
                    })
            }
            (genuine, others) = (shares(true), shares(false))
        }

        var text: String {
            func row(_ name: String, _ shares: [String: Double]) -> [String] {
                [name]
                    + MatchingPair.Outcome.allCases.map {
                        String.decimal(100 * (shares[$0.rawValue] ?? 0)) + " %"
                    }
            }
            func row(_ kind: MatchingPair.Kind) -> [String] {
                let found = counts[kind.rawValue] ?? [:], sum = Double(found.values.reduce(0, +))
                return row("  " + kind.rawValue, found.mapValues { Double($0) / sum })
            }
            let kinds = MatchingPair.Kind.allCases
            return Terminal.table(
                [row("in the registry, without a mark", genuine)]
                    + kinds.filter(\.isGenuine).map(row)
                    + [row("others", others)] + kinds.filter { !$0.isGenuine }.map(row),
                heading: ["pairs"] + MatchingPair.Outcome.allCases.map(\.rawValue))
        }
    }
}
