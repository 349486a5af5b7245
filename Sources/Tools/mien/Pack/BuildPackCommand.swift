import ArgumentParser
import Foundation
import MienCore
import MienModels
import MienTools

/// `mien pack build …`
struct BuildPackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Create a pack from its definition and published files, found by their hashes.",
        discussion: """
            If the files include the networks that tell a face from a print or a screen, the pack \
            contains them, too. The output folder is written completely or not at all.
            """)

    @Option(
        help: "A folder with the pack's manifest and calibration.",
        transform: { URL(filePath: $0, directoryHint: .isDirectory) })
    var definition: URL

    @Option(
        help: "A folder that contains published files, under any name. May be repeated.",
        transform: { URL(filePath: $0, directoryHint: .isDirectory) })
    var files: [URL] = []

    @Option(
        help: "The folder to create.", transform: { URL(filePath: $0, directoryHint: .isDirectory) }
    )
    var output: URL

    func run() throws {
        let assembly = try PackAssembly(definition: definition)
        let presentation = try PresentationPart(in: files)
        try assembly.build(at: output, from: files) { _ = try presentation?.add(to: $0) }
        let with = presentation == nil ? "without" : "with"
        let count = try ModelPack.manifest(in: output).files.count
        print(
            "\(assembly.manifest.id.text): \(count) files checked; \(with) presentation networks; written to \(output.path)"
        )
    }
}
