/// A point in time: milliseconds since 1970-01-01T00:00:00Z, never negative in stored forms.
public struct Instant: Sendable, Hashable, Comparable, Codable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}
