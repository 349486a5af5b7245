import MienDocument
import Testing

@Suite struct ReflectionCheckTests {
    private let good = TiltMeasurements(frames: 8, tilt: 20, likeness: 0.8, reflections: 0.3)

    private func check(_ change: (inout TiltMeasurements) -> Void = { _ in }) -> ReflectionCheck {
        var measurements = good
        change(&measurements)
        return ReflectionCheck(measurements)
    }

    @Test func `reflections that move across a tilted document pass`() {
        #expect(check().result == .passed && check().faults.isEmpty)
        #expect(check { $0.likeness = nil }.result == .passed, "without a picture to compare with")
    }

    @Test func `a series that proves nothing says why, the most important reason first`() {
        #expect(check { $0.frames = 3 }.faults == [.noDocument])
        #expect(check { $0.tilt = 5 }.faults == [.tiltMore])
        #expect(check { $0.likeness = 0.1 }.faults == [.otherDocument])
        #expect(check { $0.reflections = 0.001 }.faults == [.noReflection])
        let all = check {
            ($0.tilt, $0.likeness, $0.reflections) = (0, 0, 0)
        }
        #expect(all.faults == [.otherDocument, .tiltMore, .noReflection])
        #expect(all.result == .inconclusive)
        #expect(ReflectionCheck(TiltMeasurements(frames: 0)).faults == [.noDocument])
    }

    @Test func `a number that is not one never passes`() {
        #expect(check { $0.tilt = .nan }.result == .inconclusive)
        #expect(check { $0.likeness = .nan }.result == .inconclusive)
        #expect(check { $0.reflections = .nan }.result == .inconclusive)
    }

    @Test func `without pictures, nothing is checked`() {
        #expect(ReflectionCheck(nil).result == .notChecked && ReflectionCheck(nil).faults.isEmpty)
    }

    @Test func `the least number of pictures is within the range of a series`() {
        let limits = ReflectionCheck.Limits.standard
        #expect(ReflectionCheck.frameRange.contains(limits.frames))
        #expect(check { $0.frames = limits.frames }.result == .passed)
    }
}
