import ArgumentParser
import Foundation
import MienCore
import MienModels

/// `mien-pack build …`
struct Build: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create a pack from its definition and published files, found by their hashes.",
        discussion: "The output folder is written completely or not at all.")

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
        try assembly.build(at: output, from: files)
        print(
            "\(assembly.manifest.id.text): \(assembly.manifest.files.count) files checked; written to \(output.path)"
        )
    }
}
