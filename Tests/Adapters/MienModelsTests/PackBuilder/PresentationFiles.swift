import Foundation
import MienCore
import MienModels
import MienTesting
import MienTools
import Testing

/// Published files and samples beside the repository, and the installed pack.
enum PresentationFiles {
    private static let shared: URL =
        ProcessInfo.processInfo.environment["MIEN_SHARED"].map {
            URL(filePath: $0, directoryHint: .isDirectory)
        } ?? Repository.file("../shared")
    static let networks = shared.appending(path: "data/models/minifasnet")
    static let samples = shared.appending(path: "data/liveness/minivision-samples")
    static let names = ["2.7_80x80_MiniFASNetV2.pth", "4_0_0_80x80_MiniFASNetV1SE.pth"]

    static let pack: ModelPack? = {
        let environment = ProcessInfo.processInfo.environment
        let home =
            environment["MIEN_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/mien"
        return try? ModelPack(folder: URL(filePath: home).appending(path: "packs/mien-basic-1"))
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: networks.appending(path: name)))
    }

    static func network(_ index: Int) async throws -> PresentationNetwork {
        try await WorkerThread.run(name: "test.torch") {
            let source = PresentationPart.sources[index]
            return try PresentationNetwork(
                TorchFile(networks.appending(path: source.name), sha256: source.sha256))
        }
    }

    static let areThere = names.allSatisfy {
        FileManager.default.fileExists(atPath: networks.appending(path: $0).path)
    }
}

extension Trait where Self == ConditionTrait {
    static var needsPresentationFiles: Self {
        .enabled(
            if: PresentationFiles.areThere,
            "needs the published networks: ../shared/data/models/minifasnet, or MIEN_SHARED")
    }

    static var needsSamplesAndPack: Self {
        .enabled(
            if: PresentationFiles.areThere && PresentationFiles.pack != nil
                && FileManager.default.fileExists(atPath: PresentationFiles.samples.path),
            "needs ../shared/data (models, liveness), or MIEN_SHARED, and the default model pack: scripts/setup"
        )
    }
}
