/// A point in time: milliseconds since 1970-01-01T00:00:00Z, never negative in stored forms.
public struct Instant: Sendable, Hashable, Comparable, Codable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }

    /// Saturates at the ends of 64 bits.
    public static func + (a: Self, b: Duration) -> Self {
        Self(milliseconds: saturating(a.milliseconds.addingReportingOverflow(b.milliseconds)))
    }

    public static func - (a: Self, b: Duration) -> Self {
        Self(milliseconds: saturating(a.milliseconds.subtractingReportingOverflow(b.milliseconds)))
    }

    public static func - (a: Self, b: Self) -> Duration {
        .milliseconds(saturating(a.milliseconds.subtractingReportingOverflow(b.milliseconds)))
    }

    /// Whole seconds since 1970, as in JWTs.
    public var seconds: Int64 { milliseconds / 1000 }

    public init(seconds: Int64) {
        self.init(milliseconds: Self.saturating(seconds.multipliedReportingOverflow(by: 1000)))
    }

    private static func saturating(_ result: (partialValue: Int64, overflow: Bool)) -> Int64 {
        // An overflow has the opposite sign.
        result.overflow ? (result.partialValue < 0 ? .max : .min) : result.partialValue
    }
}

extension Duration {
    /// Whole milliseconds, saturating.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? .min : .max) : whole + attoseconds / 1_000_000_000_000_000
    }
}
