import ArgumentParser
import Foundation
import MienCore
import MienModels
import MienTools

/// `mien pack assemble …`
struct AssemblePackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assemble",
        abstract:
            "Create a pack: copy the published networks, convert the descriptor network, compare it with its reference, and check every hash.",
        discussion: "The output folder is written completely or not at all.")

    @Option(
        help: "The descriptor network as published, a .dat file.", transform: { URL(filePath: $0) })
    var modelsArchive: URL

    @Option(
        help: "A folder with the published .tflite files.",
        transform: { URL(filePath: $0, directoryHint: .isDirectory) })
    var mediapipe: URL

    @Option(
        help: "A folder with the pack's manifest, calibration, cohort, and reference outputs.",
        transform: { URL(filePath: $0, directoryHint: .isDirectory) })
    var definition: URL

    @Option(
        help: "The folder to create.", transform: { URL(filePath: $0, directoryHint: .isDirectory) }
    )
    var output: URL

    @Flag(
        help: "For maintainers: write the actual sizes and hashes into the definition's manifest.")
    var record = false

    func run() throws {
        if record { try recordHashes() }
        let manifest = try ModelPack.manifest(in: definition)
        var largest = 0.0
        try StagedFolder.put(at: output) { staging in
            for (name, data) in try contents(of: manifest) {
                try data.write(to: staging.appending(path: name))
            }
            try FileManager.default.copyItem(
                at: definition.appending(path: PackManifest.fileName),
                to: staging.appending(path: PackManifest.fileName))
            let pack = try ModelPack(folder: staging)
            let reference = try ReferenceOutputs(
                file: definition.appending(path: ReferenceOutputs.fileName))
            largest = try reference.largestDifference(from: pack)
            guard largest <= ReferenceOutputs.tolerance else {
                throw ValidationError(
                    "the converted descriptor network differs from its reference by \(largest), more than \(ReferenceOutputs.tolerance)"
                )
            }
        }
        print(
            "\(manifest.id.text): descriptor within \(largest) of its reference; \(manifest.files.count) files checked; written to \(output.path)"
        )
    }

    /// Collects the pack's files from the definition, the published files, and the conversion.
    private func contents(of manifest: PackManifest) throws -> [(name: String, data: Data)] {
        let converted = try convertDescriptor(dat: [UInt8](Data(contentsOf: modelsArchive)))
        return try manifest.files.map { file in
            switch file.name {
            case "descriptor.xml": return (file.name, Data(converted.xml))
            case "descriptor.bin": return (file.name, Data(converted.bin))
            default:
                let here = definition.appending(path: file.name)
                let source =
                    FileManager.default.fileExists(atPath: here.path)
                    ? here : mediapipe.appending(path: file.name)
                do { return (file.name, try Data(contentsOf: source)) } catch {
                    throw ValidationError(
                        "\(file.name) is neither in \(definition.path) nor in \(mediapipe.path)")
                }
            }
        }
    }

    private func recordHashes() throws {
        let url = definition.appending(path: PackManifest.fileName)
        let manifest = try ModelPack.manifest(in: definition)
        let found = try contents(of: manifest)
        try manifest.recording(found).write(to: url, options: .atomic)
        print("recorded \(found.count) hashes in \(url.path)")
    }
}
