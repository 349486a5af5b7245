import ArgumentParser
import Foundation
import MienCore
import MienModels
import MienPackBuilder

/// `mien-pack add-presentation …`
struct AddPresentation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-presentation",
        abstract:
            "Create a pack with the networks that tell a face from a print or a screen, from another pack and the published files.",
        discussion: """
            The new pack has the same ID, and templates of the other remain valid. The output folder is \
            written completely or not at all.
            """)

    @Argument(
        help: "The pack's folder.", transform: { URL(filePath: $0, directoryHint: .isDirectory) })
    var pack: URL

    @Option(
        help: "A folder with the published .pth files.",
        transform: { URL(filePath: $0, directoryHint: .isDirectory) })
    var networks: URL

    @Option(
        help: "The folder to create.", transform: { URL(filePath: $0, directoryHint: .isDirectory) }
    )
    var output: URL

    func run() throws {
        let old = try ModelPack(folder: pack), part = try PresentationPart(folder: networks)
        let manifest = try old.manifest.adding(
            presentationAttack: PresentationPart.geometry, network: PresentationPart.network,
            files: part.files)
        let names = Set(part.files.map(\.name))
        var largest = 0.0
        try StagedFolder.put(at: output) { staging in
            for file in try PackManifest(parsing: manifest).files where !names.contains(file.name) {
                try old.contents(of: file.name).write(to: staging.appending(path: file.name))
            }
            for file in part.files {
                try file.data.write(to: staging.appending(path: file.name))
            }
            try manifest.write(to: staging.appending(path: PackManifest.fileName))
            largest = try PresentationPart.largestDifference(from: ModelPack(folder: staging))
            guard largest <= PresentationReference.tolerance else {
                throw ValidationError(
                    "the converted networks differ from their reference by \(largest), more than \(PresentationReference.tolerance)"
                )
            }
        }
        print(
            "\(old.id.text): presentation networks within \(largest) of their reference; written to \(output.path)"
        )
    }
}
