internal import Foundation

/// The few highest impostor scores, and the line that goes on where counting ends.
///
/// Above a start, the excess of scores is taken as exponentially distributed: log10 of the rate
/// falls on a line, whose slope is the maximum-likelihood one, 1/(mean excess·ln 10). The
/// exponential law is the generalised Pareto law of shape 0; a free shape would promise an end
/// beyond which no impostor scores, from a few dozen pairs.
struct ImpostorTail {
    struct Excess {
        let first: Int, second: Int
        let amount: Double
    }

    /// Where it begins, and the pairs of people above it.
    let start: Double
    private(set) var excesses: [Excess] = []

    init(start: Double) { self.start = start }

    mutating func add(_ score: Float, _ first: Int, _ second: Int) {
        if Double(score) >= start {
            excesses.append(Excess(first: first, second: second, amount: Double(score) - start))
        }
    }

    /// The slope of log10 rate over score, negative; `nil` when nothing lies above the start.
    /// - Parameter times: how often each person counts.
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
