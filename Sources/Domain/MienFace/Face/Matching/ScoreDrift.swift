package import MienCore

/// Notices that the match scores of one source, such as an app and a camera, become lower.
///
/// The first ``referenceCount`` scores are the reference. Each following ``windowCount`` scores are
/// compared with it by a rank-sum test: Mann and Whitney, "On a test of whether one of two random
/// variables is stochastically larger than the other", 1947, with the correction for ties. Only
/// counts of bands are kept, so no score of a person can be recovered.
package struct ScoreDrift: Sendable {
    /// The number of scores that later ones are compared with.
    package static let referenceCount = 400
    /// The number of scores that are compared with the reference at a time.
    package static let windowCount = 100
    /// An alarm begins with a window below `alarmDeviation` standard deviations, which is chance in
    /// 1 of 30,000 windows, and ends with one above `calmDeviation`.
    package static let alarmDeviation = -4.0, calmDeviation = -2.0

    /// Whether the last full window has lower scores than the reference.
    package private(set) var isFalling = false
    private var reference = Counts()
    private var window = Counts()

    package init() {}

    /// Counts a score.
    ///
    /// - Returns: Whether ``isFalling`` has changed.
    package mutating func add(_ score: MatchScore) -> Bool {
        let band = ScoreBand(score)
        guard reference.total >= Self.referenceCount else {
            reference.add(band)
            return false
        }
        window.add(band)
        guard window.total >= Self.windowCount else { return false }
        let deviation = window.deviation(from: reference), before = isFalling
        window = Counts()
        isFalling = deviation < (before ? Self.calmDeviation : Self.alarmDeviation)
        return isFalling != before
    }

    /// Scores counted by band.
    struct Counts: Sendable {
        private var bands = [Int](repeating: 0, count: ScoreBand.allCases.count)
        private(set) var total = 0

        init() {}

        mutating func add(_ band: ScoreBand) {
            bands[band.index] += 1
            total += 1
        }

        /// Returns how many standard deviations the rank sum lies above the one expected if both
        /// counts came from one distribution; negative for lower scores.
        func deviation(from other: Counts) -> Double {
            let (own, others) = (Double(total), Double(other.total)), all = own + others
            guard own > 0, others > 0, all > 1 else { return 0 }
            // For each of our scores: the others below it, and half of those in its band.
            var wins = 0.0, below = 0.0, ties = 0.0
            for (mine, theirs) in zip(bands, other.bands) {
                wins += Double(mine) * (below + Double(theirs) / 2)
                below += Double(theirs)
                let tied = Double(mine + theirs)
                ties += tied * tied * tied - tied
            }
            let variance = own * others / 12 * (all + 1 - ties / (all * (all - 1)))
            return variance > 0 ? (wins - own * others / 2) / variance.squareRoot() : 0
        }
    }
}
