import Foundation
import MienModels
import MienTesting
import Testing

@Suite("Assembly of a pack") struct PackAssemblyTests {
    private let small: SmallPack
    private var scratch: ScratchFolder { small.scratch }
    private var output: URL { scratch("out/pack") }

    init() throws { small = try SmallPack() }

    /// A definition of the small pack: its manifest and its calibration.
    private func definition() throws -> PackAssembly {
        for name in [PackManifest.fileName, "calibration.json"] {
            try scratch.write(
                Data(contentsOf: small.folder.appending(path: name)), to: "definition/\(name)")
        }
        return try PackAssembly(definition: scratch("definition"))
    }

    @Test("files are found by their hashes, under any name and in any folder")
    func found() throws {
        let assembly = try definition()
        for (n, name) in try small.fileNames.filter({ $0 != "calibration.json" }).enumerated() {
            try FileManager.default.createDirectory(
                at: scratch("files/deep/er"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: small.folder.appending(path: name),
                to: scratch(n % 2 == 0 ? "files/\(n).x" : "files/deep/er/\(n).y"))
        }
        try assembly.build(at: output, from: [scratch("nothing"), scratch("files")])
        let built = try ModelPack(folder: output)
        #expect(try built.fingerprint == ModelPack(folder: small.folder).fingerprint)
    }

    @Test("a missing file is named, with its source, and no pack is left")
    func missing() throws {
        let assembly = try definition()
        try scratch.write([1, 2, 3], to: "files/other")
        let error = #expect(throws: PackError.self) {
            try assembly.build(at: output, from: [scratch("files")])
        }
        #expect(error?.code == .notFound)
        #expect(error?.reason.contains("face_detection_short_range.tflite of small-1") == true)
        #expect(error?.reason.contains("its source is mediapipe") == true)
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    @Test("a file of the right size with another content does not count")
    func otherContent() throws {
        let assembly = try definition()
        for name in try small.fileNames where name != "calibration.json" {
            var data = try Data(contentsOf: small.folder.appending(path: name))
            if name == "iris_landmark.tflite" { data[0] ^= 1 }
            try scratch.write(data, to: "files/\(name)")
        }
        let error = #expect(throws: PackError.self) {
            try assembly.build(at: output, from: [scratch("files")])
        }
        #expect(error?.reason.hasPrefix("iris_landmark.tflite") == true)
    }

    @Test("a definition whose own file differs from its manifest makes no pack")
    func damagedDefinition() throws {
        _ = try definition()
        try scratch.write([1], to: "definition/calibration.json")
        let assembly = try PackAssembly(definition: scratch("definition"))
        let error = #expect(throws: PackError.self) {
            try assembly.build(at: output, from: [small.folder])
        }
        #expect(error?.code == .damaged)
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }
}
