internal import Foundation

/// How often "one person or two" is answered right, fold by fold, with the threshold chosen on the
/// other folds.
///
/// The LFW protocol. With a few thousand pairs it cannot tell false-match rates of 1 in 1 000 and
/// less; see ``ErrorRates`` for those.
public struct FoldAccuracy: Sendable, Equatable {
    /// 0…1, one for each fold.
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

    /// - Parameter folds: none empty. With a single fold the threshold is chosen on that fold
    ///   itself, which flatters.
    public init(folds: [[Trial]]) {
        precondition(!folds.isEmpty && folds.allSatisfy { !$0.isEmpty }, "every fold needs pairs")
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

    /// The threshold with the most right answers: halfway between two scores; of several equally
    /// good ones the middle one.
    static func bestThreshold(_ trials: [Trial]) -> Double {
        let sorted = trials.sorted { $0.score < $1.score }
        var right = sorted.filter(\.isMated).count
        var best = right, places = [0]
        for (i, trial) in sorted.enumerated() {
            right += trial.isMated ? -1 : 1
            if i + 1 < sorted.count && sorted[i + 1].score == trial.score { continue }
            if right > best {
                (best, places) = (right, [i + 1])
            } else if right == best {
                places.append(i + 1)
            }
        }
        let place = places[places.count / 2]
        if place == 0 { return Double(sorted[0].score) - 1e-6 }
        if place == sorted.count { return Double(sorted[place - 1].score) + 1e-6 }
        return (Double(sorted[place - 1].score) + Double(sorted[place].score)) / 2
    }
}
