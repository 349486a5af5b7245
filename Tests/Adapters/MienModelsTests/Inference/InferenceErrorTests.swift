import MienModels
import Testing

@Suite("Inference errors")
struct InferenceErrorTests {
    @Test("the codes are stable")
    func codes() {
        #expect(
            InferenceError.Code.allCases.map(\.rawValue) == [
                "inference.no-runtime", "inference.unreadable-model",
                "inference.uncompilable-model", "inference.unsuitable-model",
                "inference.failed", "inference.busy", "inference.stopped",
            ])
    }

    @Test("errors are equal by code and print code and reason")
    func equality() {
        #expect(InferenceError(.busy, "a") == InferenceError(.busy, "b"))
        #expect(InferenceError(.busy, "a") != InferenceError(.failed, "a"))
        #expect("\(InferenceError(.busy, "10 jobs wait"))" == "inference.busy: 10 jobs wait")
    }
}
