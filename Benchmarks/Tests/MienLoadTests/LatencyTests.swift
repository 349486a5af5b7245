import MienLoad
import Testing

/// Percentiles of measured calls.
@Suite struct LatencyTests {
    @Test func `percentiles are nearest ranks`() {
        // In any order; 1 to 200 ms.
        let latency = LoadFigures.Latency((1...200).reversed().map(Double.init))
        #expect(latency.count == 200)
        #expect(latency.p50 == 100 && latency.p95 == 190 && latency.p99 == 198)
        #expect(latency.maximum == 200)
    }

    @Test func `a single call is every percentile`() {
        let latency = LoadFigures.Latency([7])
        #expect([latency.p50, latency.p95, latency.p99, latency.maximum] == [7, 7, 7, 7])
    }

    @Test func `without calls all percentiles are 0`() {
        let latency = LoadFigures.Latency([])
        #expect(latency.count == 0)
        #expect([latency.p50, latency.p95, latency.p99, latency.maximum] == [0, 0, 0, 0])
    }

    @Test func `the rate counts the calls of one name`() {
        let figures = LoadFigures(
            seconds: 2,
            latencies: ["one": .init([1, 1, 1]), "other": .init([1, 1, 1, 1, 1])])
        #expect(figures.perSecond("one") == 1.5 && figures.perSecond("other") == 2.5)
        #expect(figures.perSecond("none") == 0)
    }
}
