import ArgumentParser
import Foundation
import MienCore
import MienDocument
import MienFace
import MienMedia
import MienModels
import MienTools

/// `mien document read PHOTO…`
struct ReadDocumentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read a passport, an identity card, or a driver license.",
        discussion: """
            Reads the machine-readable zone, the barcode, and the printed text, and checks digits, \
            dates, and what occurs twice. Several photos show sides of the same document. Exits with \
            0 if no check failed, 1 if one did, and 2 if another photo is needed. It does not tell \
            whether a document is genuine.

            EXAMPLE
              mien document read passport.jpg
              mien document read license-front.jpg license-back.jpg --json
            """)

    @Argument(help: "Photos: PNG, JPEG, or GIF.") var photos: [String]
    @Option(
        help: ArgumentHelp(
            "Draw the outline and the lines that were read onto the first photo and write it to this file.",
            valueName: "out.png")) var draw: String?
    @OptionGroup var photoOptions: PhotoOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard photos.count <= 4 else {
            throw ValidationError("a document has at most 4 photos, not \(photos.count)")
        }
    }

    func run() async throws {
        if let draw { try OutputFile.check(file: draw) }
        let images = try photos.map { try photoOptions.decode($0) }
        let readings = try Self.read(images)
        if let draw {
            let png = PNGEncoder.encode(Self.drawn(readings[0], on: images[0]))
            try OutputFile.write(Data(png), to: URL(filePath: draw))
        }
        let report = DocumentReport(
            photos, readings, now: Instant(seconds: Int64(Date().timeIntervalSince1970)))
        if output.json { JSON.print(report) } else { print(report.text) }
        if report.recapture != nil { throw Outcome.badInput }
        if report.hasFailures { throw Outcome.noMatch }
    }

    private static func read(_ images: [RGBImage]) throws -> [DocumentReading] {
        do {
            var reader = try DocumentReader(LineNetwork(runtime: InferenceRuntime()))
            var readings: [DocumentReading] = []
            for image in images { readings.append(try reader.read(image)) }
            return readings
        } catch let error as TextError {
            throw Failure(.notSetUp, error.code.rawValue, error.reason)
        } catch is BarcodeError {
            throw Failure(.notSetUp, "barcode.failed", "the barcode library failed")
        }
    }

    private static func drawn(_ reading: DocumentReading, on image: RGBImage) -> RGBImage {
        var canvas = Canvas(image)
        let width = max(2, Double(max(image.width, image.height)) / 400)
        if let corners = reading.uprightCorners ?? reading.place.corners {
            canvas.polyline(
                corners + [corners[0]], RGBColor(0, 170, 80), width: width)
            canvas.dot(corners[0], radius: 2 * width, RGBColor(0, 170, 80))
        }
        for line in reading.zone?.lines ?? [] {
            canvas.line(
                from: Point(x: line.start.x, y: line.start.y),
                to: Point(x: line.end.x, y: line.end.y), RGBColor(220, 40, 40), width: width,
                opacity: 0.6)
        }
        if let corners = reading.barcode?.corners.map({ Point(x: Double($0.x), y: Double($0.y)) }) {
            canvas.polyline(corners + [corners[0]], RGBColor(220, 40, 40), width: width)
        }
        return canvas.image
    }
}
