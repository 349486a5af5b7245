/// The most that servers with one limit may admit together.
///
/// In every span of time, they admit at most what the bucket holds, and what flows into it during the
/// span and the greatest difference between two servers' clocks: a server that is ahead sees a bucket
/// that is fuller by what flows in during that difference, once. The time from reading the clock to
/// the commit counts as difference, because the clock of a server that waits is behind.
public struct RateBound: Sendable {
    /// The tokens of a full bucket.
    public let burst: Int
    /// The time between two tokens, in milliseconds.
    public let interval: Int64
    /// In milliseconds.
    public let clockDifference: Int64
    /// How long servers may keep tokens that they have taken, in milliseconds.
    public let holdTime: Int64

    public init(burst: Int, interval: Int64, clockDifference: Int64, holdTime: Int64 = 0) {
        (self.burst, self.interval) = (burst, interval)
        (self.clockDifference, self.holdTime) = (clockDifference, holdTime)
    }

    /// - Parameters:
    ///   - grants: When requests were admitted, in milliseconds and in any order.
    ///   - returned: Tokens that came back because a power loss undid that they were taken.
    /// - Returns: the first span in which too many were admitted; `nil` if there is none.
    public func violation(
        of grants: [Int64], returned: [(at: Int64, tokens: Int)] = []
    ) -> String? {
        let times = grants.sorted()
        for first in times.indices {
            for last in first..<times.count {
                let admitted = last - first + 1, span = times[last] - times[first]
                let back = returned.filter {
                    // A server may still have the tokens that came back.
                    (times[first] - holdTime...times[last] + clockDifference).contains($0.at)
                }
                let most =
                    burst + Int((span + clockDifference) / interval)
                    + back.reduce(0) { $0 + $1.tokens }
                if admitted > most {
                    return
                        "\(admitted) requests were admitted from \(times[first]) to \(times[last]) ms, and at most \(most) may be"
                }
            }
        }
        return nil
    }
}
