import MienInference
import Testing

@Suite("Run-time")
struct InferenceRuntimeTests {
    @Test("it says its version")
    func version() throws {
        #expect(InferenceRuntime.version.split(separator: ".").first.flatMap { Int($0) } != nil)
    }

    @Test("it says what the CPU can, single floats at least")
    func capabilities() throws { #expect(try InferenceRuntime().capabilities.contains("FP32")) }
}
