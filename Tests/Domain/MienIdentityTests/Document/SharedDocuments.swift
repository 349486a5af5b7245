import Foundation
import MienTesting

/// The specimens in `../shared/data/documents`, which are not part of the repository.
enum SharedDocuments {
    static let folder =
        (ProcessInfo.processInfo.environment["MIEN_SHARED"].map { URL(filePath: $0) }
        ?? Repository.root.deletingLastPathComponent().appending(path: "shared"))
        .appending(path: "data/documents")

    /// File name → lines and whether every check digit is right, as people transcribed them.
    static let zones: [String: (lines: [String], isRight: Bool)] = {
        guard
            let data = try? Data(
                contentsOf: folder.appending(path: "passporteye/mrz_truth_transcribed.json")),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return [:] }
        return object.compactMapValues {
            guard let entry = $0 as? [String: Any], let lines = entry["mrz"] as? [String],
                let isRight = entry["all_check_digits_valid"] as? Bool
            else { return nil }
            return (lines, isRight)
        }
    }()

    /// File name → the bytes of a card's barcode.
    static let cards: [String: [UInt8]] = {
        let folder = Self.folder.appending(path: "aamva")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return Dictionary(
            uniqueKeysWithValues: names.filter { $0.hasSuffix(".txt") }.compactMap { name in
                (try? Data(contentsOf: folder.appending(path: name))).map { (name, Array($0)) }
            })
    }()
}
