import ArgumentParser
import Foundation
import MienCore
import MienModels
import MienTools

/// `mien models build --files DIR`
struct BuildPack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Create mien-default-2 from a folder with its network, without internet access.",
        discussion: """
            scripts/setup downloads the network itself where it can. Elsewhere, copy the files that \
            scripts/model-files.txt lists into a folder, and those of scripts/presentation-files.txt, \
            without which live captures are not checked for prints and screens by a network. They are \
            found there by their hashes, under any name; all other networks are taken from the packs \
            that are installed.

            EXAMPLE
              mien models build --files ./models
              mien face verify ada today.jpg --pack mien-default-2
            """)

    @Option(
        help: ArgumentHelp(
            "The folder with the network (default: the environment variable MIEN_MODEL_FILES).",
            valueName: "dir"))
    var files: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
        let named =
            files
            ?? ProcessInfo.processInfo.environment["MIEN_MODEL_FILES"].flatMap {
                $0.isEmpty ? nil : $0
            }
        guard let named else {
            throw ValidationError("name the folder with --files, or in MIEN_MODEL_FILES")
        }
        let folder = URL(filePath: named, directoryHint: .isDirectory)
        guard (try? folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true else {
            throw Failure(
                .badInput, "folder.missing", "\(named): the folder does not exist")
        }
        let packs = MienHome.current.packs, id = PackLibrary.betterID
        let definition = MienHome.current.definitions.appending(
            path: id.text, directoryHint: .isDirectory)
        guard FileManager.default.fileExists(atPath: definition.path) else {
            throw Failure(
                .notSetUp, PackError.Code.notInstalled.rawValue,
                "\(definition.path) is missing: scripts/setup creates this definition of the pack, and the networks that it needs besides; run it first"
            )
        }
        let assembly = try PackAssembly(definition: definition)
        let target = packs.appending(path: id.text, directoryHint: .isDirectory)
        let presentation = try PresentationPart(in: [folder])
        try assembly.build(at: target, from: [folder, packs]) {
            _ = try presentation?.add(to: $0)
        }
        let count = try ModelPack.manifest(in: target).files.count
        if output.json {
            JSON.print(
                BuiltPack(id: id.text, folder: target.path, presentation: presentation != nil))
        } else {
            Terminal.say(
                "Built \(id.text): \(count) files match their hashes. Use it with --pack \(id.text), or set face.pack for a server."
            )
            if presentation == nil {
                Terminal.say(
                    "It does not detect prints and screens: \(PackLibrary.presentationAdvice)")
            }
        }
    }
}

/// The JSON answer of `mien models build`.
private struct BuiltPack: Encodable {
    let id: String
    let folder: String
    /// Whether the pack has the networks against prints and screens.
    let presentation: Bool
}
