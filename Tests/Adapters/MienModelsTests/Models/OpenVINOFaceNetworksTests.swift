import MienFace
import MienModels
import MienTesting
import Testing

@Suite("Networks of a pack")
struct OpenVINOFaceNetworksTests {
    @Test("a pack with invalid networks cannot be compiled, and the reason names the file")
    func noNetworks() throws {
        let small = try SmallPack(), pack = try ModelPack(folder: small.folder)
        let error = try #require(throws: InferenceError.self) {
            try FaceEngine(pack: pack, compilingAll: true)
        }
        #expect(error.code == .unreadableModel)
        #expect(error.reason.contains(".tflite"))
    }
}
