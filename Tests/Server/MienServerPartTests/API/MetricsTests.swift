import CoreMetrics
import Foundation
import MienTesting
import Testing

@testable import MienServer

@Suite struct MetricsTests {
    @Test func `series are written with help, type, and sorted labels`() {
        let registry = PrometheusRegistry(), metrics = Metrics(registry)
        metrics.count(.mails, ["result": "sent"])
        metrics.count(.mails, ["result": "failed"])
        metrics.count(.mails, ["result": "sent"])
        metrics.count(.journeysStarted)
        #expect(
            registry.text == """
                # HELP mien_journeys_started_total Journey runs started.
                # TYPE mien_journeys_started_total counter
                mien_journeys_started_total 1
                # HELP mien_mails_total Emails, by result.
                # TYPE mien_mails_total counter
                mien_mails_total{result="failed"} 1
                mien_mails_total{result="sent"} 2

                """)
    }

    @Test func `a duration counts in its bucket and in all larger ones`() {
        let registry = PrometheusRegistry([]), metrics = Metrics(registry)
        for milliseconds in [1, 2, 60, 11_000] {
            metrics.record(.requestSeconds, .milliseconds(milliseconds), ["route": "/healthz"])
        }
        let lines = registry.text.split(separator: "\n").map(String.init)
        let counts = lines.compactMap { $0.wholeMatch(of: /.*_bucket\{.*\} (\d+)/)?.output.1 }
        #expect(lines.first == "# TYPE mien_http_request_duration_seconds histogram")
        #expect(
            counts == ["1", "2", "2", "2", "2", "2", "3", "3", "3", "3", "3", "3", "3", "4"])
        #expect(
            lines.suffix(3) == [
                #"mien_http_request_duration_seconds_bucket{route="/healthz",le="+Inf"} 4"#,
                #"mien_http_request_duration_seconds_sum{route="/healthz"} 11.063"#,
                #"mien_http_request_duration_seconds_count{route="/healthz"} 4"#,
            ])
    }

    @Test func `every kind of swift-metrics instrument is exported`() {
        let registry = PrometheusRegistry([])
        Gauge(label: "gauge", factory: registry).record(2.5)
        let meter = Meter(label: "meter", factory: registry)
        meter.set(4)
        meter.decrement(by: 1)
        FloatingPointCounter(label: "float", factory: registry).increment(by: 0.5)
        Recorder(label: "sizes", factory: registry).record(3)
        #expect(registry.text.contains("# TYPE gauge gauge\ngauge 2.5\n"))
        #expect(registry.text.contains("# TYPE meter gauge\nmeter 3.0\n"))
        #expect(registry.text.contains("# TYPE float counter\nfloat 0.5\n"))
        #expect(registry.text.contains("sizes_bucket{le=\"5\"} 1") == false)
        #expect(registry.text.contains("sizes_bucket{le=\"5.0\"} 1\n"))
    }

    @Test func `label values are escaped`() {
        let registry = PrometheusRegistry([])
        Counter(label: "c", dimensions: [("l", "a\"b\\c\nd")], factory: registry).increment()
        #expect(registry.text == "# TYPE c counter\nc{l=\"a\\\"b\\\\c\\nd\"} 1\n")
    }

    @Test func `a name keeps the kind with which it was first used`() {
        let registry = PrometheusRegistry([])
        Counter(label: "n", factory: registry).increment(by: 3)
        Timer(label: "n", factory: registry).recordSeconds(1)
        Counter(label: "n", factory: registry).increment()
        #expect(registry.text == "# TYPE n counter\nn 4\n")
    }

    @Test func `no increment of concurrent tasks is lost`() async {
        let registry = PrometheusRegistry(), metrics = Metrics(registry)
        await withTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    for _ in 0..<2_000 {
                        metrics.count(.mails, ["result": index.isMultiple(of: 2) ? "a" : "b"])
                        metrics.record(.requestSeconds, .milliseconds(1), ["route": "/"])
                    }
                }
            }
        }
        #expect(registry.text.contains("mien_mails_total{result=\"a\"} 8000\n"))
        #expect(registry.text.contains("mien_mails_total{result=\"b\"} 8000\n"))
        #expect(
            registry.text.contains(
                "mien_http_request_duration_seconds_count{route=\"/\"} 16000\n"))
    }

    @Test func `docs/spec/metrics.md lists every metric`() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/spec/metrics.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let wanted = Metric.all.map { metric in
            let kind =
                metric.name.hasSuffix("_seconds")
                    && !metric.name.hasSuffix("_timestamp_seconds")
                ? "histogram" : metric.name.hasSuffix("_total") ? "counter" : "gauge"
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(metric.name)` | \(kind) | \(labels.isEmpty ? "" : labels + " ")| "
                + "\(metric.help) |"
        }
        #expect(rows == wanted)
    }
}
