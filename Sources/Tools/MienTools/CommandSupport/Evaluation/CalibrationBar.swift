package import MienFace

/// Progress of a calibration. Fitting mixtures takes most of the time.
package final class CalibrationBar {
    private let bar = ProgressBar("Calibrating", total: 1000)
    /// The usual number of rounds of a mixture.
    private static let usualRounds = 40.0

    package init() {}

    package func update(_ progress: CalibrationProgress) {
        switch progress {
        case .fitting(let cohort, let total, let round):
            let part =
                (Double(cohort - 1) + min(1, Double(round.round) / Self.usualRounds))
                / Double(total)
            bar.update(Int(850 * part))
        case .scoring: bar.update(860)
        case .bootstrap(let round, let total): bar.update(860 + 140 * round / max(total, 1))
        }
    }

    package func finish() { bar.finish() }
}
