import Foundation
import MienCore
import MienFace
import MienModels
import MienTesting
import Testing

/// The definitions in `Packs`, from which setup creates packs.
@Suite("Definitions of packs") struct PackDefinitionTests {
    private static func folder(_ name: String) -> URL {
        Repository.root.appending(path: "Packs/\(name)", directoryHint: .isDirectory)
    }

    @Test(
        "each definition is valid, and its own files match it",
        arguments: [PackLibrary.basicID, PackLibrary.betterID])
    func valid(id: PackID) throws {
        let folder = Self.folder(id.text)
        let manifest = try PackAssembly(definition: folder).manifest
        #expect(manifest.id == id && manifest.faults.isEmpty)
        for file in manifest.files {
            let url = folder.appending(path: file.name)
            guard let data = try? Data(contentsOf: url) else { continue }
            #expect(data.count == file.bytes, "\(file.name)")
        }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/calibration.json"))
        #expect(manifest.cohort == "cohort.bin")
        #expect(
            manifest.geometry.descriptor.likeness?.enrollment != nil,
            "its network's limits were measured")
    }

    @Test("setup downloads exactly the files that mien-default-2 needs from elsewhere")
    func downloads() throws {
        let manifest = try PackAssembly(definition: Self.folder("mien-default-2")).manifest
        let list = try String(
            contentsOf: Repository.root.appending(path: "scripts/model-files.txt"), encoding: .utf8)
        let listed = list.split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.first == "file" }.map { "\($0[2]) \($0[3])" }
        let needed = manifest.files.filter { $0.source.hasPrefix("Open Model Zoo") }
            .map { "\($0.bytes) \($0.sha256)" }
        #expect(needed.count == 4 && listed.sorted() == needed.sorted())
    }

    @Test("both packs find faces with the same networks")
    func sharedNetworks() throws {
        let basic = try PackAssembly(definition: Self.folder("mien-basic-1")).manifest
        let better = try PackAssembly(definition: Self.folder("mien-default-2")).manifest
        for network in FaceNetwork.allCases where network != .descriptor {
            let file = basic.file(of: network)
            #expect(better.file(of: network) == file)
            #expect(
                better.files.first { $0.name == file }?.sha256
                    == basic.files.first { $0.name == file }?.sha256)
        }
        #expect(better.geometry.descriptor.input.shape == [1, 3, 128, 128])
        #expect(better.file(of: .descriptor, in: .int8) == "descriptor-int8.xml")
    }
}
