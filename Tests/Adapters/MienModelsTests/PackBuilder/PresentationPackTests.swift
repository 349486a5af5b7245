import Foundation
import MienModels
import MienTesting
import Testing

@testable import MienTools

/// The networks against prints and screens in packs that setup creates.
@Suite("Packs with presentation networks")
struct PresentationPackTests {
    private static let definition = Repository.file("Packs/mien-default-2")

    @Test("setup downloads exactly the published files")
    func list() throws {
        let list = try String(
            contentsOf: Repository.file("scripts/presentation-files.txt"), encoding: .utf8)
        let listed = list.split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.first == "file" }.map { "\($0[1]) \($0[2]) \($0[3])" }
        #expect(listed == PresentationPart.sources.map { "\($0.name) \($0.bytes) \($0.sha256)" })
    }

    @Test("without both published files, there is no part to add")
    func nothing() throws {
        let scratch = try ScratchFolder()
        #expect(try PresentationPart(in: [scratch("")]) == nil)
        // Of the right size and name, but of other content.
        for source in PresentationPart.sources {
            try scratch.write(Data(count: source.bytes), to: source.name)
        }
        #expect(try PresentationPart(in: [scratch("")]) == nil)
    }

    @Test(
        "mien-default-2 has the networks if their files are found, under any name",
        .needsSamplesAndPack)
    func build() async throws {
        let scratch = try ScratchFolder(), basic = try #require(PresentationFiles.pack)
        let descriptor = PresentationFiles.networks.deletingLastPathComponent().appending(
            path: "face-reidentification-retail-0095")
        for (index, name) in PresentationFiles.names.enumerated() {
            try scratch.write(Data(PresentationFiles.bytes(name)), to: "files/\(index)")
        }
        for (more, hasNetwork) in [([], false), (["--files", scratch("files").path], true)] {
            let output = scratch("pack \(hasNetwork)")
            let program = try await MienPackProgram.run(
                [
                    "build", "--definition", Self.definition.path, "--files", basic.folder.path,
                    "--files", descriptor.path, "--output", output.path,
                ] + more)
            #expect(program.status == 0, "\(program.err)")
            #expect(
                program.out.contains("\(hasNetwork ? "with" : "without") presentation networks"))
            let pack = try ModelPack(folder: output)
            #expect(pack.id == PackLibrary.betterID)
            let geometry = pack.manifest.geometry.presentationAttack
            #expect((geometry != nil) == hasNetwork)
            #expect((pack.manifest.file(of: .presentationAttack) != nil) == hasNetwork)
            guard let geometry else { continue }
            #expect(
                geometry.minContext == 2 && geometry.limit == 0.5 && geometry.strictLimit == 0.3)
            #expect(geometry.faults.isEmpty)
        }
    }
}
