internal import Foundation

/// A comparison score of two faces, on one scale for every model pack: −12·log10(false-match rate),
/// clamped to 0…72.
///
/// The score says how rarely two *different* people match at least this well: 24 is 1 in 100, 48 is
/// 1 in 10,000, 72 is 1 in 1,000,000. The scale is described in docs/facts.md §2; the Face ID
/// guide's `matchingThreshold` uses the same one.
public struct MatchScore: Sendable, Hashable, Comparable, Codable {
    public static let range = 0.0...72.0

    /// 48: a false-match rate of 1 in 10,000, the maximum that NIST SP 800-63B-4 §3.2.3 allows.
    public static let defaultThreshold = MatchScore(48)

    public let value: Double

    /// - Parameter value: any number; clamped to ``range``. Not-a-number counts as 0, so that a
    ///   fault never matches.
    public init(_ value: Double) {
        self.value = value.isNaN ? 0 : min(max(value, Self.range.lowerBound), Self.range.upperBound)
    }

    /// - Parameter rate: a probability. Rates of 0…1e-6 give 72, rates of 1 and more give 0.
    ///   Not-a-number and negative numbers count as 1, so that a fault never matches.
    public init(falseMatchRate rate: Double) {
        self.init(rate >= 0 ? -12 * log10(rate) : Self.range.lowerBound)
    }

    /// The false-match rate that this score stands for, 1e-6…1.
    public var falseMatchRate: Double { pow(10, -value / 12) }

    public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Double.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension MatchScore {
    /// ``value`` rounded down to one decimal, so that the displayed score passes a one-decimal
    /// threshold only if the score itself does.
    public var shown: Double {
        // The multiplication may round up to the next tenth.
        let tenths = (value * 10).rounded(.down)
        return tenths / 10 > value ? (tenths - 1) / 10 : tenths / 10
    }

    /// The share of strangers who match at least as well, for people: "about 1 in 10,000", "at most
    /// 1 in 1,000,000", "most", "no better than chance".
    public var falseMatchRateInWords: String {
        if value <= Self.range.lowerBound { return "no better than chance" }
        if value >= Self.range.upperBound { return "at most 1 in 1,000,000" }
        let oneIn = Self.twoDigits(1 / falseMatchRate)
        return oneIn < 2 ? "most" : "about 1 in \(Self.grouped(oneIn))"
    }

    /// Rounds to two significant digits. More digits would claim a precision that no calibration
    /// has.
    private static func twoDigits(_ n: Double) -> Int {
        guard n >= 10 else { return max(1, Int(n.rounded())) }
        let unit = pow(10, floor(log10(n)) - 1)
        return Int((n / unit).rounded() * unit)
    }

    private static func grouped(_ n: Int) -> String {
        var digits = String(n), groups: [Substring] = []
        while digits.count > 3 {
            groups.append(Substring(digits.suffix(3)))
            digits.removeLast(3)
        }
        return ([Substring(digits)] + groups.reversed()).joined(separator: ",")
    }
}
