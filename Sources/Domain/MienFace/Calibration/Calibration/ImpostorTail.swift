internal import Foundation

/// The highest impostor scores and the line that extrapolates beyond counting.
///
/// Above a starting score, the excess is modeled as exponentially distributed. log10 of the rate
/// then falls on a line with the maximum-likelihood slope, 1/(mean excess·ln 10). The exponential
/// distribution is the generalized Pareto distribution with shape 0. A free shape, fitted to a few
/// dozen pairs, would predict a score that no impostor exceeds.
struct ImpostorTail {
    struct Excess {
        let first: Int, second: Int
        let amount: Double
    }

    /// The starting score, and the pairs of people above it.
    let start: Double
    private(set) var excesses: [Excess] = []

    init(start: Double) { self.start = start }

    mutating func add(_ score: Float, _ first: Int, _ second: Int) {
        if Double(score) >= start {
            excesses.append(Excess(first: first, second: second, amount: Double(score) - start))
        }
    }

    /// Returns the slope of log10 rate over score, which is negative; `nil` when no scores lie
    /// above the start.
    /// - Parameter times: The number of times each person counts.
    func slope(_ times: [Int]? = nil) -> Double? {
        var weight = 0.0, sum = 0.0
        for excess in excesses {
            let w = times.map { Double($0[excess.first] * $0[excess.second]) } ?? 1
            weight += w
            sum += w * excess.amount
        }
        return weight > 0 && sum > 0 ? -weight / (sum * log(10)) : nil
    }
}
