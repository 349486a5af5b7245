import Foundation
import MienCore
import MienFace
import MienModels
import MienTools

/// A calibration in the form of a pack's files.
struct CalibrationFiles {
    private let files: [(name: String, data: Data)]
    private static let table = "calibration.json", cohort = PackManifest.cohortName
    private let usesCohort: Bool

    init(_ calibration: Calibration) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let table = try? encoder.encode(calibration.table) else {
            preconditionFailure("the table can be encoded")
        }
        usesCohort = calibration.draw != nil
        files =
            [(Self.table, table + Data("\n".utf8))]
            + (calibration.draw.map { [(Self.cohort, Data($0.cohort.bytes))] } ?? [])
    }

    /// Writes each file completely or not at all.
    func write(to folder: URL) throws {
        try OutputFile.makeFolder(folder)
        for file in files {
            try OutputFile.write(file.data, to: folder.appending(path: file.name))
        }
    }

    /// Installs a copy of `pack` with another name and this calibration.
    func install(as id: PackID, from pack: ModelPack, in library: PackLibrary) throws {
        let work = try WorkFolder("calibrated"), staging = work.url
        let manifest = pack.manifest.calibrated(as: id, usesCohort: usesCohort)
        for file in manifest.files where !files.contains(where: { $0.name == file.name }) {
            try FileManager.default.copyItem(
                at: pack.folder.appending(path: file.name), to: staging.appending(path: file.name))
        }
        try write(to: staging)
        try manifest.recording(files).write(
            to: staging.appending(path: PackManifest.fileName))
        _ = try withExtendedLifetime(work) { try library.install(from: staging) }
    }
}
