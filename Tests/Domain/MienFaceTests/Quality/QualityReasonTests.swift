import MienFace
import Testing

@Suite("Quality reasons")
struct QualityReasonTests {
    @Test("the words are these, and stay these: they are part of the wire protocol")
    func words() {
        #expect(
            QualityReason.allCases.map(\.rawValue) == [
                "noFace", "multipleFaces", "tooSmall", "tooLarge", "offCentre", "tooDark",
                "tooBright", "lowContrast", "blurred", "notFrontal",
                "eyesClosed", "occluded",
            ])
    }

    @Test("the aspects' words are these, and stay these")
    func aspects() {
        #expect(
            FaceQuality.Aspect.allCases.map(\.rawValue) == [
                "size", "sharpness", "exposure", "contrast", "pose", "eyes", "framing",
                "singleFace", "visibility",
            ])
    }

    @Test("each says what to do, in words of its own")
    func advice() {
        #expect(QualityReason.allCases.allSatisfy { $0.advice.contains(": ") })
        #expect(Set(QualityReason.allCases.map(\.advice)).count == QualityReason.allCases.count)
    }
}
