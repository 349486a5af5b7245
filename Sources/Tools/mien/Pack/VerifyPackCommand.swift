import ArgumentParser
import Foundation
import MienCore
import MienModels

/// `mien pack verify FOLDER`
struct VerifyPackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every file of a pack against its manifest.")

    @Argument(
        help: "The pack's folder.", transform: { URL(filePath: $0, directoryHint: .isDirectory) })
    var folder: URL

    func run() throws {
        let pack = try ModelPack(folder: folder)
        print("\(pack.id.text): \(pack.manifest.files.count) files match the manifest")
    }
}
