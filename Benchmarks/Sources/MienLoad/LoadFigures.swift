/// The measurements of a run.
public struct LoadFigures: Sendable, Encodable {
    /// Milliseconds from the first byte sent to the last byte received.
    public struct Latency: Sendable, Encodable {
        public let count: Int
        public let p50, p95, p99, maximum: Double

        /// Returns a percentile by the nearest-rank method.
        public init(_ milliseconds: [Double]) {
            let sorted = milliseconds.sorted()
            func rank(_ part: Double) -> Double {
                sorted.isEmpty
                    ? 0 : sorted[max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1)]
            }
            (count, p50, p95, p99, maximum) = (
                sorted.count, rank(0.5), rank(0.95), rank(0.99), sorted.last ?? 0
            )
        }
    }

    public let seconds: Double
    /// The latencies by the names under which calls were measured.
    public let latencies: [String: Latency]

    public init(seconds: Double, latencies: [String: Latency]) {
        (self.seconds, self.latencies) = (seconds, latencies)
    }

    public func perSecond(_ name: String) -> Double {
        Double(latencies[name]?.count ?? 0) / seconds
    }
}
