package import CoreMetrics

/// The server's measurements of itself, sent to a swift-metrics backend.
///
/// Names and labels are a small fixed set: no client input becomes a name or a label.
package struct Metrics: Sendable {
    private let factory: any MetricsFactory

    /// - Parameter factory: The backend; `PrometheusRegistry` serves `/metrics`.
    package init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    package func count(_ metric: Metric, _ labels: KeyValuePairs<String, String> = [:]) {
        assert(labels.map(\.key) == metric.labels, "labels differ from those of the metric")
        Counter(label: metric.name, dimensions: labels.map { ($0, $1) }, factory: factory)
            .increment(by: Int64(1))
    }

    package func set(
        _ metric: Metric, to value: Double, _ labels: KeyValuePairs<String, String> = [:]
    ) {
        assert(labels.map(\.key) == metric.labels, "labels differ from those of the metric")
        Meter(label: metric.name, dimensions: labels.map { ($0, $1) }, factory: factory).set(value)
    }

    package func record(
        _ metric: Metric, _ duration: Duration, _ labels: KeyValuePairs<String, String> = [:]
    ) {
        assert(labels.map(\.key) == metric.labels, "labels differ from those of the metric")
        let (seconds, attoseconds) = duration.components
        Timer(label: metric.name, dimensions: labels.map { ($0, $1) }, factory: factory)
            .recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
