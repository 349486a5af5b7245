internal import Foundation

/// The fraction of pairs correctly classified as one person or two, fold by fold, with the
/// threshold chosen on the other folds.
///
/// This is the LFW protocol. A few thousand pairs cannot resolve false-match rates of 1 in 1,000 or
/// less; see ``ErrorRates`` for those.
public struct FoldAccuracy: Sendable, Equatable {
    /// 0…1, one value per fold.
    public let perFold: [Double]
    /// The threshold used in each fold.
    public let thresholds: [Double]

    public var mean: Double { perFold.reduce(0, +) / Double(perFold.count) }

    /// The standard error of ``mean`` over the folds; 0 for one fold.
    public var standardError: Double {
        let n = Double(perFold.count)
        guard n > 1 else { return 0 }
        let squares = perFold.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / (n - 1) / n).squareRoot()
    }

    public struct Trial: Sendable, Equatable {
        public let score: Float
        public let isMated: Bool

        public init(score: Float, isMated: Bool) { (self.score, self.isMated) = (score, isMated) }
    }

    /// - Parameter folds: No fold may be empty. With a single fold, the threshold is chosen on that
    ///   fold itself, which is optimistic.
    public init(folds: [[Trial]]) {
        precondition(
            !folds.isEmpty && folds.allSatisfy { !$0.isEmpty }, "every fold must contain pairs")
        thresholds = folds.indices.map { fold in
            Self.bestThreshold(
                folds.count == 1
                    ? folds[0] : folds.indices.filter { $0 != fold }.flatMap { folds[$0] })
        }
        perFold = zip(folds, thresholds).map { trials, threshold in
            Double(trials.filter { (Double($0.score) >= threshold) == $0.isMated }.count)
                / Double(trials.count)
        }
    }

    /// Returns the threshold with the most correct answers, halfway between two scores. Of several
    /// equally good thresholds, it is the middle one.
    static func bestThreshold(_ trials: [Trial]) -> Double {
        let sorted = trials.sorted { $0.score < $1.score }
        var right = sorted.filter(\.isMated).count
        var best = right, cuts = [0]
        for (i, trial) in sorted.enumerated() {
            right += trial.isMated ? -1 : 1
            if i + 1 < sorted.count && sorted[i + 1].score == trial.score { continue }
            if right > best {
                (best, cuts) = (right, [i + 1])
            } else if right == best {
                cuts.append(i + 1)
            }
        }
        let cut = cuts[cuts.count / 2]
        if cut == 0 { return Double(sorted[0].score) - 1e-6 }
        if cut == sorted.count { return Double(sorted[cut - 1].score) + 1e-6 }
        return (Double(sorted[cut - 1].score) + Double(sorted[cut].score)) / 2
    }
}
