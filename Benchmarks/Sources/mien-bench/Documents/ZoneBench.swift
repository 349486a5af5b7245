import Foundation
import MienCore
import MienDocument
import MienFace
import MienMedia
import MienModels

/// Reads the machine-readable zones of published specimens, and of synthetic photos of them at three
/// resolutions.
struct ZoneBench {
    struct Row: Encodable {
        var pictures: String
        /// Whether nothing was developed with these pictures.
        var isUnseen: Bool
        var count = 0
        /// Every character is right, whatever the status.
        var right = 0
        var valid = 0
        var invalid = 0
        /// Unsure, or no zone was found.
        var unsure = 0
        /// A wrong reading that is shown as valid, or as invalid as printed.
        var acceptedWrong = 0
        /// Processor time for each picture, and the most that one took.
        var milliseconds = 0.0
        var longest = 0.0
    }

    /// A reading that is not right.
    struct Failure: Encodable {
        var specimen: String
        var pictures: String
        var status: String
        var read: [String]
        var printed: [String]
    }

    struct Result: Encodable {
        var rows: [Row]
        var failures: [Failure]
    }

    /// The photos of each specimen in each style: the last third of them was never looked at.
    private static let developed = 0..<2, unseen = 2..<3
    /// Parts of the full resolution.
    private static let resolutions = [("full", 1), ("half", 2), ("a third", 3)]

    let folder: String
    /// Whether to read the photos of the unseen seeds.
    var readsUnseen = true

    func run() throws -> Result {
        let specimens = try Self.specimens(in: folder)
        var reader = try ZoneReader(LineNetwork(runtime: InferenceRuntime()))
        var rows = [Row(pictures: "specimens", isUnseen: false)], failures: [Failure] = []
        for specimen in specimens {
            try rows[0].read({ specimen.image }, specimen, &reader, &failures)
        }
        rows.append(Row(pictures: "specimens of 12 megapixels, with decoding", isUnseen: false))
        for specimen in specimens {
            let photo = JPEGEncoder.encode(Self.enlarged(specimen.image), quality: 90)
            try rows[1].read(
                { try ImageDecoder.decode(photo) }, specimen, &reader, &failures)
        }
        for (range, isUnseen) in [(Self.developed, false), (Self.unseen, true)]
        where !isUnseen || readsUnseen {
            var own = Self.resolutions.map {
                Row(pictures: "photos, \($0.0) resolution", isUnseen: isUnseen)
            }
            for (index, specimen) in specimens.enumerated() {
                for (number, style) in ZonePhoto.Style.allCases.enumerated() {
                    for seed in range {
                        var random = SeededGenerator(
                            seed: UInt64(1000 * index + 100 * number + seed) &+ 9_000_000)
                        let photo = ZonePhoto(style, of: specimen.image, &random).image
                        for (k, (_, part)) in Self.resolutions.enumerated() {
                            let picture =
                                part == 1
                                ? photo
                                : photo.resized(
                                    width: photo.width / part, height: photo.height / part)
                            try own[k].read(
                                { picture }, specimen, &reader, &failures,
                                " (\(style.rawValue) \(seed))")
                        }
                    }
                }
            }
            rows += own
        }
        for i in rows.indices { rows[i].milliseconds /= Double(max(rows[i].count, 1)) }
        return Result(rows: rows, failures: failures)
    }

    /// The picture as a camera of 12 megapixels would show it.
    private static func enlarged(_ image: RGBImage) -> RGBImage {
        let scale = (12_000_000 / Double(image.width * image.height)).squareRoot()
        return image.resized(
            width: Int(Double(image.width) * scale), height: Int(Double(image.height) * scale))
    }

    struct Specimen {
        var name: String
        var image: RGBImage
        /// The printed lines, transcribed by eye.
        var lines: [String]
    }

    static func specimens(in folder: String) throws -> [Specimen] {
        let root = URL(filePath: folder)
        let data = try Data(contentsOf: root.appending(path: "mrz_truth_transcribed.json"))
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        return try object.compactMap { name, entry -> Specimen? in
            guard let lines = (entry as? [String: Any])?["mrz"] as? [String] else { return nil }
            let image = try ImageFile.decode(
                root.appending(path: name).path, limits: ImageLimits(maxBytes: 20 << 20))
            return Specimen(name: name, image: image, lines: lines)
        }.sorted { $0.name < $1.name }
    }
}

extension ZoneBench.Row {
    fileprivate mutating func read(
        _ picture: () throws -> RGBImage, _ specimen: ZoneBench.Specimen,
        _ reader: inout ZoneReader, _ failures: inout [ZoneBench.Failure], _ detail: String = ""
    ) throws {
        let watch = Stopwatch()
        let reading = try reader.read(picture())
        let time = watch.reading.cpuMilliseconds
        milliseconds += time
        longest = max(longest, time)
        count += 1
        let status = reading?.status ?? .unsure
        switch status {
        case .valid: valid += 1
        case .invalid: invalid += 1
        case .unsure: unsure += 1
        }
        guard reading?.zone.lines != specimen.lines else {
            right += 1
            return
        }
        if status != .unsure { acceptedWrong += 1 }
        // Nobody learns from what is unseen.
        guard !isUnseen else { return }
        failures.append(
            ZoneBench.Failure(
                specimen: specimen.name + detail, pictures: pictures,
                status: reading?.status.rawValue ?? "nothing", read: reading?.zone.lines ?? [],
                printed: specimen.lines))
    }
}
