import Foundation
import MienCore
import MienDocument
import MienFace
import MienMedia
import MienModels
import MienTools

/// Measures the checks for copies on drawn photos of documents and of simulated copies.
struct CopyBench {
    /// Photos of one kind.
    struct Row: Encodable {
        var subject: String
        var photos = 0
        /// Photos in which the document was found by its edges. In the others, its place is given, as
        /// a zone that was read gives it.
        var found = 0
        /// For each check, how often it passed, failed, and so on.
        var results: [String: [String: Int]] = [:]
        /// For each measurement, its least, its quartiles, and its greatest value.
        var measurements: [String: [Double]] = [:]
    }

    let seeds: Range<Int>
    /// Pictures of other documents, instead of drawn ones: a name, and all of the document.
    var pictures: [(name: String, image: RGBImage)] = []

    private static let subjects = [nil] + SpecimenCopy.allCases.map { $0 as SpecimenCopy? }

    func run() -> [Row] {
        Self.subjects.map { copy in
            var row = Row(subject: copy?.rawValue ?? "document")
            var measured: [CopyMeasurements] = []
            for seed in seeds {
                row.photos += 1
                var random = SeededGenerator(seed: UInt64(seed) &+ 7_000_000)
                let scene = scene(copy, seed, &random)
                var place = CardPlace(in: scene.image)
                if place.count > 0, !place.isCutOff {
                    row.found += 1
                } else if let corners = scene.corners {
                    place = CardPlace(corners: corners)
                }
                let found = place.copyMeasurements(in: scene.image)
                for check in CopyCheck.allCases {
                    row.results[check.rawValue, default: [:]][
                        check.result(found).rawValue, default: 0] += 1
                }
                if let found { measured.append(found) }
            }
            row.measurements["color_spread"] = Self.spread(measured.compactMap(\.colorSpread))
            row.measurements["brightness_pattern"] = Self.spread(
                measured.compactMap(\.brightnessPattern))
            row.measurements["color_pattern"] = Self.spread(measured.compactMap(\.colorPattern))
            return row
        }
    }

    /// The same document and table for the same seed, whatever the copy.
    private func scene(
        _ copy: SpecimenCopy?, _ seed: Int, _ random: inout SeededGenerator
    ) -> SpecimenScene {
        let document: RGBImage, millimeters: Double
        if pictures.isEmpty {
            let kinds = Specimen.Kind.allCases
            let kind = kinds[Int(random.next() % UInt64(kinds.count))]
            let specimen = Specimen(kind, SpecimenPerson.random(&random), &random)
            (document, millimeters) = (specimen.image, specimen.width)
        } else {
            // Published pictures show passports' pages mostly.
            (document, millimeters) = (pictures[seed % pictures.count].image, 125)
        }
        guard let copy else { return SpecimenScene(of: document, &random) }
        return SpecimenScene(copy, of: document, millimeters: millimeters, &random)
    }

    static func spread(_ values: [Double]) -> [Double] {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return [] }
        return [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1].map {
            sorted[Int(($0 * Double(sorted.count - 1)).rounded())]
        }
    }

    /// The pictures of a folder that show a document and are at least 450 pixels wide.
    static func pictures(in folder: String) throws -> [(name: String, image: RGBImage)] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap { name in
            guard ["jpg", "png"].contains(name.split(separator: ".").last.map(String.init)) else {
                return nil
            }
            let image = try ImageFile.decode(
                folder + "/" + name, limits: ImageLimits(maxBytes: 20 << 20))
            let aspect = Double(image.width) / Double(image.height)
            return image.width >= 450 && (1.25...1.75).contains(aspect) ? (name, image) : nil
        }
    }
}
