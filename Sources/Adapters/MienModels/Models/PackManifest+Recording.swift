public import Foundation
public import MienCore

extension PackManifest {
    /// Returns the same pack under another name, for a calibration made again.
    ///
    /// - Parameter usesCohort: whether the calibration needs a cohort; the pack then has the file
    ///   `cohort.bin`, whose size and hash are still to be recorded.
    public func calibrated(as id: PackID, usesCohort: Bool) -> PackManifest {
        var copy = renamed(id)
        copy.files.removeAll { $0.name == cohort }
        copy.cohort = usesCohort ? cohort ?? Self.cohortName : nil
        if let name = copy.cohort {
            copy.files.append(
                File(
                    name: name, bytes: 0, sha256: String(repeating: "0", count: 64),
                    license: "CC0-1.0", source: "synthetic; mien face calibrate"))
        }
        return copy
    }

    /// The usual name of a cohort's file.
    public static let cohortName = "cohort.bin"

    /// Returns this manifest as JSON, with the sizes and hashes of the given files. For maintainers
    /// of a pack.
    public func recording(_ contents: [(name: String, data: Data)]) throws -> Data {
        var files = files
        for (name, data) in contents {
            guard let i = files.firstIndex(where: { $0.name == name }) else { continue }
            files[i].bytes = data.count
            files[i].sha256 = ModelPack.sha256(data)
        }
        var copy = self
        copy.files = files
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(copy)
    }
}
