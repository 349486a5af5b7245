import MienDocument
import Testing

@Suite struct CopyCheckTests {
    private let original = CopyMeasurements(
        colorSpread: 0.06, brightnessPattern: 1.3, colorPattern: 1.1)

    private func results(_ change: (inout CopyMeasurements) -> Void = { _ in }) -> [String] {
        var measurements = original
        change(&measurements)
        return CopyCheck.allCases.map { $0.result(measurements).rawValue }
    }

    @Test func `each sign of a copy has its check`() {
        #expect(results() == ["passed", "passed"])
        #expect(results { $0.colorSpread = 0.005 } == ["failed", "passed"])
        #expect(results { $0.colorSpread = 0.015 } == ["inconclusive", "passed"])
        #expect(results { $0.brightnessPattern = 4 } == ["passed", "inconclusive"])
        #expect(results { $0.colorPattern = 4 } == ["passed", "inconclusive"])
    }

    @Test func `what was not measured is not checked`() {
        #expect(results { $0.colorSpread = nil } == ["not_checked", "passed"])
        #expect(results { $0.brightnessPattern = nil } == ["passed", "not_checked"])
        #expect(results { $0.colorSpread = .nan } == ["not_checked", "passed"])
        #expect(results { $0.colorPattern = .infinity } == ["passed", "not_checked"])
        #expect(CopyCheck.allCases.allSatisfy { $0.result(nil) == .notChecked })
    }

    @Test func `a cue that documents have, too, never refuses`() {
        for value in stride(from: 0.0, through: 20, by: 0.5) {
            let results = results {
                $0.brightnessPattern = value
                $0.colorPattern = value
            }
            #expect(results[1] != "failed")
        }
    }
}
