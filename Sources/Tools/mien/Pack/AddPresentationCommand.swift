import ArgumentParser
import Foundation
import MienCore
import MienModels
import MienTools

/// `mien pack add-presentation …`
struct AddPresentationCommand: ParsableCommand {
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
        help: "A folder with the published .pth files, under any name.",
        transform: { URL(filePath: $0, directoryHint: .isDirectory) })
    var networks: URL

    @Option(
        help: "The folder to create.", transform: { URL(filePath: $0, directoryHint: .isDirectory) }
    )
    var output: URL

    func run() throws {
        let old = try ModelPack(folder: pack)
        guard let part = try PresentationPart(in: [networks]) else {
            let names = PresentationPart.sources.map {
                "\($0.name) (sha256 \($0.sha256.prefix(12))…)"
            }
            throw PackError(
                .notFound,
                "\(networks.path) does not contain the published files \(names.joined(separator: " and "))"
            )
        }
        var largest = 0.0
        try StagedFolder.put(at: output) { staging in
            for name in old.manifest.files.map(\.name) {
                try old.contents(of: name).write(to: staging.appending(path: name))
            }
            try FileManager.default.copyItem(
                at: old.folder.appending(path: PackManifest.fileName),
                to: staging.appending(path: PackManifest.fileName))
            largest = try part.add(to: staging)
        }
        print(
            "\(old.id.text): presentation networks within \(largest) of their reference; written to \(output.path)"
        )
    }
}
