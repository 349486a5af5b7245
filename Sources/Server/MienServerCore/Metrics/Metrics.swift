internal import Synchronization

/// Counters and histograms in Prometheus text format. Names and labels are a small fixed set: no
/// client input becomes a name or label.
package final class Metrics: Sendable {
    private struct Histogram {
        /// Upper bounds in seconds.
        static let bounds = [
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
        ]
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    private struct State {
        var counters: [String: [String: Int]] = [:]
        var histograms: [String: [String: Histogram]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// - Parameter labels: `name="value"` pairs, separated by commas.
    package func count(_ name: String, _ labels: String = "", by amount: Int = 1) {
        state.withLock { $0.counters[name, default: [:]][labels, default: 0] += amount }
    }

    func observe(_ name: String, _ labels: String, seconds: Double) {
        state.withLock { state in
            let bucket = Histogram.bounds.firstIndex { seconds <= $0 } ?? Histogram.bounds.count
            state.histograms[name, default: [:]][labels, default: Histogram()].counts[bucket] += 1
            state.histograms[name]![labels]!.sum += seconds
        }
    }

    /// All metrics in the exposition format, version 0.0.4.
    package var text: String {
        let (counters, histograms) = state.withLock { ($0.counters, $0.histograms) }
        var lines: [String] = []
        for (name, series) in counters.sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(name) counter")
            for (labels, value) in series.sorted(by: { $0.key < $1.key }) {
                lines.append("\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)")
            }
        }
        for (name, series) in histograms.sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(name) histogram")
            for (labels, histogram) in series.sorted(by: { $0.key < $1.key }) {
                let prefix = labels.isEmpty ? "" : labels + ","
                var sum = 0
                for (bound, count) in zip(
                    Histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts)
                {
                    sum += count
                    lines.append("\(name)_bucket{\(prefix)le=\"\(bound)\"} \(sum)")
                }
                lines.append("\(name)_sum{\(labels)} \(histogram.sum)")
                lines.append("\(name)_count{\(labels)} \(sum)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
