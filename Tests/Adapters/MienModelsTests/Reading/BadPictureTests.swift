import MienCore
import MienDocument
import MienFace
import MienMedia
import MienTools
import Testing

@testable import MienModels

/// Pictures that people send instead of a good one, and the answer to each.
@Suite struct BadPictureTests {
    private func read(_ image: RGBImage) throws -> DocumentReading {
        var reader = try DocumentReader(Reading.network.get())
        return try reader.read(image)
    }

    @Test func `a cat asks for a document`() throws {
        var canvas = Canvas(RGBImage(width: 800, height: 600, filledWith: RGBColor(150, 170, 140)))
        let fur = RGBColor(90, 70, 60)
        for (x, y, radius) in [(400.0, 380.0, 150.0), (400, 200, 90)] {
            for step in 0..<120 {
                let half = radius * (1 - Double(abs(step - 60)) / 60).squareRoot()
                canvas.filledRectangle(
                    Rectangle(
                        x: x - half, y: y + radius * (Double(step) / 60 - 1), width: 2 * half,
                        height: radius / 50), fur)
            }
        }
        for x in [360.0, 425] {
            canvas.filledRectangle(
                Rectangle(x: x, y: 180, width: 16, height: 12), RGBColor(220, 210, 90))
        }
        let reading = try read(canvas.image)
        #expect(reading.zone == nil && reading.barcode == nil && reading.text.isEmpty)
        #expect(reading.recapture == .imageMissing)
    }

    @Test func `a closed passport is not supported`() throws {
        var canvas = Canvas(RGBImage(width: 1250, height: 880, filledWith: RGBColor(96, 24, 34)))
        let gold = RGBColor(190, 160, 90)
        canvas.filledRectangle(Rectangle(x: 480, y: 320, width: 290, height: 250), gold)
        canvas.filledRectangle(Rectangle(x: 350, y: 120, width: 550, height: 50), gold)
        canvas.filledRectangle(Rectangle(x: 430, y: 700, width: 390, height: 60), gold)
        var random = SeededGenerator(seed: 5)
        let scene = SpecimenScene(of: canvas.image, &random)
        let reading = try read(scene.image)
        #expect(reading.place.count == 1 && reading.zone == nil)
        #expect(reading.recapture == .documentNotSupported || !reading.capture.isGood)
    }

    @Test func `a scan without edges is read, and its document found around the zone`() throws {
        var random = SeededGenerator(seed: 11)
        let specimen = Specimen(.td3, SpecimenPerson.random(&random), &random)
        let reading = try read(specimen.image)
        #expect(reading.zone?.status == .valid && reading.zone?.zone.lines == specimen.zone)
        #expect(reading.place.count == 1 && !reading.text.isEmpty && reading.recapture == nil)
        let corners = try #require(reading.uprightCorners)
        let w = Double(specimen.image.width), h = Double(specimen.image.height)
        for (corner, (x, y)) in zip(corners, [(0.0, 0.0), (w, 0), (w, h), (0, h)]) {
            #expect(corner.distance(to: Point(x: x, y: y)) < 0.04 * w)
        }
    }

    @Test func `two documents that can both be read ask for one`() throws {
        var found = 0
        for seed in 0..<6 {
            let (_, scene) = DrawnSpecimens.scene(.several, seed: seed, kind: .td3)
            let reading = try read(scene.image)
            if reading.place.count > 1, reading.zone?.status == .valid {
                found += 1
                #expect(reading.showsTwoDocuments && reading.recapture == .poorImageQuality)
            }
        }
        #expect(found > 0)
    }

    @Test func `a scan of 40 megapixels is read`() throws {
        var random = SeededGenerator(seed: 12)
        let specimen = Specimen(.td3, SpecimenPerson.random(&random), &random)
        let reading = try read(specimen.image.resized(width: 7500, height: 5300))
        #expect(reading.zone?.zone.lines == specimen.zone)
    }

    @Test func `a PDF is no picture`() {
        #expect(throws: ImageError.self) {
            try ImageDecoder.decode(Array("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>".utf8))
        }
    }

    @Test func `an expired document asks for another one`() throws {
        let (_, scene) = DrawnSpecimens.scene(.good, seed: 7, kind: .td3)
        let reading = try read(scene.image)
        #expect(reading.recapture(now: Instant(seconds: 1_790_000_000)) == nil)
        #expect(reading.recapture(now: Instant(seconds: 2_100_000_000)) == .documentExpired)
        // A drawn document has color. Its fine lines may look like a screen's, which never refuses.
        #expect(reading.copyChecks[.notPhotocopy] == .passed)
        #expect(reading.copyChecks[.notScreen] != .failed)
    }

    @Test func `a black-and-white copy is noticed`() throws {
        var random = SeededGenerator(seed: 21)
        let specimen = Specimen(.td3, SpecimenPerson.random(&random), &random)
        let scene = SpecimenScene(
            .photocopy, of: specimen.image, millimeters: specimen.width, &random)
        let place = CardPlace(corners: try #require(scene.corners))
        let measured = place.copyMeasurements(in: scene.image)
        #expect(CopyCheck.notPhotocopy.result(measured) == .failed)
    }
}
