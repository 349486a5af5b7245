import MienFace
import Testing

@Suite("Quality reasons")
struct QualityReasonTests {
    @Test("the wire values of reasons are stable")
    func words() {
        #expect(
            QualityReason.allCases.map(\.rawValue) == [
                "noFace", "multipleFaces", "tooSmall", "tooLarge", "offCentre", "tooDark",
                "tooBright", "lowContrast", "blurred", "notFrontal",
                "eyesClosed", "occluded", "indistinct",
            ])
    }

    @Test("the raw values of aspects are stable")
    func aspects() {
        #expect(
            FaceQuality.Aspect.allCases.map(\.rawValue) == [
                "size", "sharpness", "exposure", "contrast", "pose", "eyes", "framing",
                "singleFace", "visibility", "strength",
            ])
    }

    @Test("each reason has its own advice")
    func advice() {
        #expect(QualityReason.allCases.allSatisfy { $0.advice.contains(": ") })
        #expect(Set(QualityReason.allCases.map(\.advice)).count == QualityReason.allCases.count)
    }
}
