package import CoreMetrics
package import MienAPI
internal import Synchronization

/// A swift-metrics backend that keeps every series in memory and writes them in Prometheus's text
/// format, version 0.0.4.
///
/// Counters and gauges are exported as such, timers and aggregating recorders as histograms. Timers
/// are exported in seconds.
package final class PrometheusRegistry: MetricsFactory {
    /// A metric's series, by their labels as text: `result="sent"`.
    private struct Family {
        let type: String
        var series: [String: any PrometheusSeries] = [:]
        /// The labels of each series, by their text.
        var labels: [String: [String: String]] = [:]
    }

    private let help: [String: String]
    private let families = Mutex<[String: Family]>([:])

    /// - Parameter metrics: Metrics whose help is exported. Others are exported without help.
    package init(_ metrics: [Metric] = Metric.all) {
        help = Dictionary(uniqueKeysWithValues: metrics.map { ($0.name, $0.help) })
    }

    /// All series, sorted by name and labels.
    package var text: String {
        let families = families.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            if let help = help[name] { text += "# HELP \(name) \(help)\n" }
            text += "# TYPE \(name) \(family.type)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name, labels, to: &text)
            }
        }
        return text
    }

    /// All series, sorted by name and labels.
    package var answer: [MetricAnswer] {
        families.withLock { $0 }.sorted { $0.key < $1.key }.map { name, family in
            MetricAnswer(
                name: name, help: help[name], type: family.type,
                series: family.series.sorted { $0.key < $1.key }.map { key, series in
                    series.answer(family.labels[key] ?? [:])
                })
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series("counter", label, dimensions) { PrometheusCounter() }
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series("counter", label, dimensions) { PrometheusGauge() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series("gauge", label, dimensions) { PrometheusGauge() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate
            ? series("histogram", label, dimensions) { PrometheusHistogram() }
            : series("gauge", label, dimensions) { PrometheusGauge() }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series("histogram", label, dimensions) { PrometheusHistogram() }
    }

    // Series live as long as the server: a counter that is made again continues.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// - Returns: The series of a name and labels, new on first use. A name that is already used by
    ///   another kind of metric gets a series that is not exported.
    private func series<Series: PrometheusSeries>(
        _ type: String, _ name: String, _ labels: [(String, String)], _ new: () -> Series
    ) -> Series {
        let key = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        return families.withLock { families in
            var family = families[name] ?? Family(type: type)
            if let known = family.series[key] as? Series { return known }
            let made = new()
            guard family.type == type, family.series[key] == nil else { return made }
            family.series[key] = made
            family.labels[key] = Dictionary(labels) { first, _ in first }
            families[name] = family
            return made
        }
    }

    private static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else {
            return value
        }
        return value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
