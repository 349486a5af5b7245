import Foundation
import MienFace
import MienMedia
import MienTesting
import Testing

@testable import MienModels

/// The specimens in `../shared/data/documents`, which are not part of the repository.
@Suite struct SharedDocumentTests {
    private static let folder =
        (ProcessInfo.processInfo.environment["MIEN_SHARED"].map { URL(filePath: $0) }
        ?? Repository.root.deletingLastPathComponent().appending(path: "shared"))
        .appending(path: "data/documents")
    private static let exists = FileManager.default.fileExists(atPath: folder.path)
    private static let skip: Comment =
        "needs the specimens: ../shared/data/documents, or MIEN_SHARED"
    private static let limits = ImageLimits(maxBytes: 20 << 20)

    private static func truth() throws -> [(String, [String])] {
        let data = try Data(
            contentsOf: folder.appending(path: "passporteye/mrz_truth_transcribed.json"))
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        return object.compactMap { name, entry in
            ((entry as? [String: Any])?["mrz"] as? [String]).map { (name, $0) }
        }.sorted { $0.0 < $1.0 }
    }

    @Test(.enabled(if: exists, skip))
    func `specimens are read, and no wrong reading is accepted`() throws {
        let specimens = try Self.truth().prefix(100)
        var right = 0
        for (name, lines) in specimens {
            let path = Self.folder.appending(path: "passporteye/" + name).path
            let reading = try Reading.zone(in: ImageFile.decode(path, limits: Self.limits))
            if reading?.zone.lines == lines {
                right += 1
            } else {
                #expect(reading?.status ?? .unsure == .unsure, "\(name)")
            }
        }
        #expect(right >= specimens.count - 2)
    }

    @Test(.enabled(if: exists, skip))
    func `PDF417 symbols are decoded`() throws {
        var decoded = 0
        for group in ["pdf417-1", "pdf417-2"] {
            let folder = Self.folder.appending(path: "pdf417/" + group)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            where name.hasSuffix(".png") {
                let image = try ImageFile.decode(
                    folder.appending(path: name).path, limits: Self.limits)
                let reading = try #require(try BarcodeReading(in: image), "\(group)/\(name)")
                decoded += 1
                let file = folder.appending(path: name.replacing(".png", with: ".bin"))
                if let bytes = try? Data(contentsOf: file) {
                    #expect(Data(reading.bytes) == bytes, "\(group)/\(name)")
                } else {
                    let text = try String(
                        contentsOf: folder.appending(path: name.replacing(".png", with: ".txt")),
                        encoding: .utf8)
                    let found = String(reading.bytes.map { Character(Unicode.Scalar($0)) })
                    #expect(
                        found.hasPrefix(text.trimmingCharacters(in: .newlines)), "\(group)/\(name)")
                }
            }
        }
        #expect(decoded == 39)
    }

    @Test func `a picture without a symbol has none`() throws {
        #expect(try BarcodeReading(in: RGBImage(width: 64, height: 48, filledWith: .white)) == nil)
        #expect(try BarcodeReading(in: RGBImage(width: 1, height: 1, filledWith: .white)) == nil)
    }
}
