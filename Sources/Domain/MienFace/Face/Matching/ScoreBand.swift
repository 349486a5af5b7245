package import MienCore

/// A range of match scores that is coarse enough to count without recording anybody's score: a
/// decade of false-match rates, or the top of the scale.
package enum ScoreBand: Int, Sendable, CaseIterable {
    case from0 = 0, from12 = 12, from24 = 24, from36 = 36, from48 = 48, from60 = 60, from72 = 72

    package init(_ score: MatchScore) {
        self = Self.allCases.last { score.value >= Double($0.rawValue) } ?? .from0
    }

    /// The lowest score of the band.
    package var lowest: Int { rawValue }

    var index: Int { rawValue / 12 }
}
