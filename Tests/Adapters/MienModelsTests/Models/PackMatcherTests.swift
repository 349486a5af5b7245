import Foundation
import MienCore
import MienFace
import MienModels
import MienTesting
import Testing

@Suite("Matcher of a pack") struct PackMatcherTests {
    private let small: SmallPack

    init() throws { small = try SmallPack() }

    /// A pack with this calibration, without a cohort.
    private func pack(_ normalization: ScoreNormalization) throws -> ModelPack {
        let table = try CalibrationTable.made([(0, -1), (0.5, -4)], normalization: normalization)
        var text = ManifestText()
        text["id"] = "small-1"
        text["cohort"] = nil
        // The made-up seed is larger than what packs may contain.
        let json = String(decoding: try JSONEncoder().encode(table), as: UTF8.self)
        let data = Data(json.replacing("\(UInt64.max)", with: "1").utf8)
        let contents = try text.manifest().files.map { file in
            let name = file.name
            return (
                name: name,
                data: name == "calibration.json"
                    ? data : try Data(contentsOf: small.folder.appending(path: name))
            )
        }
        for (name, data) in contents { try data.write(to: small.folder.appending(path: name)) }
        try text.manifest().recording(contents).write(
            to: small.folder.appending(path: PackManifest.fileName))
        return try ModelPack(folder: small.folder)
    }

    @Test("a calibration by plain cosine needs no cohort")
    func plainCosine() throws {
        let matcher = try pack(.none).matcher()
        #expect(matcher.cohort == nil && matcher.dimension == 128)
        #expect(matcher.calibration.normalization == .none)
    }

    @Test("a calibration that needs a cohort is refused without one")
    func missingCohort() throws {
        let pack = try pack(.asNorm)
        let error = #expect(throws: PackError.self) { try pack.matcher() }
        #expect(error?.code == .badManifest)
        #expect(error?.reason.contains("uses as-norm, but the manifest names no cohort") == true)
    }
}
