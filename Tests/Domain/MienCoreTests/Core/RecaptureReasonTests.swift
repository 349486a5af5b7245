import MienCore
import Testing

@Suite struct RecaptureReasonTests {
    @Test func `sessions spell reasons in their own way`() {
        #expect(
            RecaptureReason.allCases.map(\.sessionWord)
                == [
                    "imageMissing", "docExpired", "docNotSupported", "docDamaged",
                    "poorImageQuality",
                ])
    }
}
