import MienTesting
import Testing

@testable import MienFace

@Suite("Peak of an action")
struct ActionPeakTests {
    /// Returns the largest progress that was concluded.
    private static func peak(_ values: [Double], every milliseconds: Int) -> Double {
        var peak = ActionPeak()
        return values.enumerated().map {
            peak.see($1, at: .milliseconds(milliseconds * $0))
        }.max() ?? 0
    }

    @Test("the parabola through three frames shows a peak between them")
    func between() {
        // 1.05 at 250 ms, in frames at 0, 167, and 334 ms.
        let values = [0.0, 167, 334].map { 1.05 - 4e-6 * ($0 - 250) * ($0 - 250) }
        let found = Self.peak(values.map { $0 - 0.05 }, every: 167)
        #expect(values[1] - 0.05 < 1 && abs(found - 1) < 1e-9)
    }

    @Test(
        "nothing is concluded from fast frames, distant ones, low progress, or a rise",
        arguments: [
            ([0.5, 0.95, 0.9], 80), ([0.5, 0.95, 0.9], 300), ([0.1, 0.84, 0.83], 167),
            ([0.5, 0.9, 0.95], 167), ([0.9, 0.9, 0.9], 167), ([0.95, 0.9, 0.95], 167),
        ])
    func not(values: [Double], milliseconds: Int) {
        #expect(Self.peak(values, every: milliseconds) == values.max())
    }
}
