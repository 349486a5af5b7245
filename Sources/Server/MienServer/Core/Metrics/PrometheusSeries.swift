internal import CoreMetrics
internal import MienAPI
internal import Synchronization

/// The values of one metric with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Adds the series' lines to the exposition.
    func write(_ name: String, _ labels: String, to text: inout String)

    func answer(_ labels: [String: String]) -> MetricSeriesAnswer
}

/// A count that only grows.
final class PrometheusCounter: PrometheusSeries, CounterHandler {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }

    func answer(_ labels: [String: String]) -> MetricSeriesAnswer {
        MetricSeriesAnswer(labels: labels, value: Double(count.load(ordering: .relaxed)))
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(count.load(ordering: .relaxed))\n"
    }
}

/// A number that may grow and shrink.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler,
    FloatingPointCounterHandler
{
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    func reset() { set(0.0) }

    func answer(_ labels: [String: String]) -> MetricSeriesAnswer {
        MetricSeriesAnswer(labels: labels, value: value.withLock { $0 })
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let value = value.withLock { $0 }
        text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }
}

/// Counts of the values at or below each bound, and their sum. The bounds suit durations in
/// seconds, from a millisecond to ten seconds.
final class PrometheusHistogram: PrometheusSeries, TimerHandler, RecorderHandler {
    static let bounds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private struct State {
        /// One for each bound, and one for larger values.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.sum += value
        }
    }

    func answer(_ labels: [String: String]) -> MetricSeriesAnswer {
        let state = state.withLock { $0 }
        let bounds = Self.bounds.map { Optional($0) } + [nil]
        return MetricSeriesAnswer(
            labels: labels, value: state.sum, count: state.counts.reduce(0, +),
            buckets: zip(bounds, state.counts).map { MetricBucketAnswer(atMost: $0, count: $1) })
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let state = state.withLock { $0 }, prefix = labels.isEmpty ? "" : labels + ","
        var count = 0
        for (bound, more) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], state.counts) {
            count += more
            text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(count)\n"
        }
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(suffix) \(state.sum)\n\(name)_count\(suffix) \(count)\n"
    }
}
