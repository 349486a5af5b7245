internal import Foundation
internal import MienCore

extension VerificationEvaluation {
    /// The trade-off curve as comma-separated values: threshold, false_match_rate,
    /// false_non_match_rate, false_matches.
    public var tradeoffCSV: String {
        let rows = rates.tradeoff().map { p in
            "\(Self.number(p.threshold, 4)),\(Self.scientific(p.falseMatchRate)),\(Self.number(1 - p.trueAcceptRate, 6)),\(p.falseMatches)"
        }
        return (["threshold,false_match_rate,false_non_match_rate,false_matches"] + rows).joined(
            separator: "\n") + "\n"
    }

    /// A plain-text report that fits on one screen.
    public var report: String {
        var lines = [
            "\(Self.grouped(rates.impostorPairs)) impostor pairs, \(Self.grouped(rates.matedPairs)) mated pairs"
        ]
        if let accuracy {
            lines.append(
                "accuracy over \(accuracy.perFold.count) folds: \(Self.percent(accuracy.mean)) ± \(Self.percent(accuracy.standardError))"
            )
        }
        lines.append("equal error rate: \(Self.percent(rates.equalErrorRate))")
        lines += [
            "",
            "false-match rate   true accepts (95 %)       per person (95 %)         threshold   impostor pairs behind it",
        ]
        lines += figures.map { figure in
            Self.padded(Self.scientific(figure.falseMatchRate), 16) + "   "
                + Self.rate(figure.point.trueAcceptRate, figure.interval?.trueAcceptRate)
                + Self.rate(
                    figure.point.trueAcceptRatePerPerson, figure.interval?.trueAcceptRatePerPerson)
                + Self.padded(Self.number(figure.point.threshold, 3), 12) + "   "
                + Self.grouped(figure.point.falseMatches)
                + (figure.isSupported ? "" : "  (too few: an indication, not a measurement)")
        }
        guard !thresholds.isEmpty else { return lines.joined(separator: "\n") + "\n" }
        lines += [
            "", "match score   false-match rate   false non-matches   impostor pairs accepted",
        ]
        lines += thresholds.map { row in
            Self.padded(Self.number(row.threshold.value, 0), 11)
                + Self.padded(Self.scientific(row.point.falseMatchRate), 19)
                + Self.padded(Self.percent(1 - row.point.trueAcceptRate), 20) + "   "
                + Self.grouped(row.point.falseMatches)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A rate and its interval in a column of 26 characters: `97.42 % (96.80…97.91)`.
    private static func rate(_ rate: Double, _ interval: [Double]?) -> String {
        let ends = interval.map {
            " (" + $0.map { number(100 * $0, 2) }.joined(separator: "…") + ")"
        }
        return (percent(rate) + (ends ?? "")).padding(toLength: 26, withPad: " ", startingAt: 0)
    }

    private static func number(_ x: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", x)
    }
    private static func scientific(_ x: Double) -> String { String(format: "%.2e", x) }
    private static func percent(_ x: Double) -> String { String(format: "%.2f %%", 100 * x) }
    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func grouped(_ n: Int) -> String {
        var digits = Substring(String(n)), groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }
}
