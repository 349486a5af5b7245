import MienModels
import Testing

@Suite("Runtime")
struct InferenceRuntimeTests {
    @Test("the runtime reports its version")
    func version() throws {
        #expect(InferenceRuntime.version.split(separator: ".").first.flatMap { Int($0) } != nil)
    }

    @Test("the runtime reports the CPU's capabilities, at least FP32")
    func capabilities() throws { #expect(try InferenceRuntime().capabilities.contains("FP32")) }
}
