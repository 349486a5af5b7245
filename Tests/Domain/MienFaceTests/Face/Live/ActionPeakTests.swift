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

    @Test("the frames around a peak between two of them show its height")
    func between() {
        // Out and back, at 1.2 after 250 ms, in frames at 0, 167, 334, and 501 ms.
        let values = [0.0, 167, 334, 501].map { 1.2 - 0.004 * abs($0 - 250) }
        let found = Self.peak(values, every: 167)
        #expect(values.max()! < 1 && abs(found - (values.max()! + 1.2) / 2) < 1e-9)
    }

    @Test(
        "nothing is concluded from fast frames, distant ones, low progress, or a rise",
        arguments: [
            ([0.5, 0.95, 0.9, 0.4], 80), ([0.5, 0.95, 0.9, 0.4], 300),
            ([0.1, 0.84, 0.83, 0.2], 167), ([0.5, 0.9, 0.95], 167), ([0.4, 0.5, 0.9, 0.95], 167),
            ([0.9, 0.9, 0.9, 0.9], 167), ([0.5, 0.9, 0.9, 0.9], 167),
        ])
    func not(values: [Double], milliseconds: Int) {
        #expect(Self.peak(values, every: milliseconds) == values.max())
    }
}
