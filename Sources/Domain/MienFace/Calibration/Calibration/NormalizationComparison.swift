/// The rates of the same pairs with scores made in different ways, to choose one.
public struct NormalizationComparison: Sendable {
    public struct Entry: Sendable {
        public let normalization: ScoreNormalization
        /// Over all pairs, with cohorts that saw neither person.
        public let rates: ErrorRates
        let pairs: PairNormalization

        init(
            _ normalization: ScoreNormalization, _ pairs: PairNormalization,
            _ set: LabeledDescriptors
        ) {
            (self.normalization, self.pairs) = (normalization, pairs)
            rates = ErrorRates(PairScorer(set, pairs).histogram())
        }
    }

    /// From the simplest to the most elaborate.
    public let entries: [Entry]

    init(_ entries: [Entry]) {
        precondition(!entries.isEmpty)
        self.entries = entries
    }

    /// A more elaborate way must be better by more than this, as a part of all people.
    public static let margin = 0.002
    /// The rates that are compared, as far as at least this many impostor pairs are expected at
    /// them.
    public static let rates = [1e-4, 1e-5, 1e-6], minSupport = 30.0

    /// Returns the mean over ``rates`` of the true accepts, counting each person once.
    public func merit(of entry: Entry) -> Double {
        let pairs = Double(entry.rates.impostorPairs)
        let supported = Self.rates.filter { $0 * pairs >= Self.minSupport }
        let rates = supported.isEmpty ? [1e-2] : supported
        return rates.reduce(0) {
            $0 + entry.rates.point(falseMatchRate: $1).trueAcceptRatePerPerson
        } / Double(rates.count)
    }

    /// The simplest entry whose merit is within ``margin`` of the highest.
    public var best: Entry {
        let merits = entries.map(merit), highest = merits.max() ?? 0
        return entries[merits.firstIndex { $0 >= highest - Self.margin } ?? 0]
    }
}
