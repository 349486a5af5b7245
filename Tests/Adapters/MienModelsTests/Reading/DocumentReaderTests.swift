import MienDocument
import MienFace
import MienTools
import Testing

@testable import MienModels

@Suite struct DocumentReaderTests {
    private func read(_ image: RGBImage) throws -> DocumentReading {
        var reader = try DocumentReader(Reading.network.get())
        return try reader.read(image)
    }

    /// The same picture, turned clockwise by quarters.
    private func turned(_ image: RGBImage, quarters: Int) throws -> RGBImage {
        let w = Double(image.width), h = Double(image.height)
        let corners = [
            Point(x: 0, y: 0), Point(x: w, y: 0), Point(x: w, y: h), Point(x: 0, y: h),
        ]
        let isUpright = quarters.isMultiple(of: 2)
        return try #require(
            image.rectified(
                (0..<4).map { corners[($0 + 4 - quarters) % 4] },
                width: isUpright ? image.width : image.height,
                height: isUpright ? image.height : image.width))
    }

    @Test(arguments: [(0, Specimen.Kind.td3), (1, .td1), (2, .td2), (3, .td3)])
    func `a page is read in every orientation`(quarters: Int, kind: Specimen.Kind) throws {
        let (specimen, scene) = DrawnSpecimens.scene(.good, seed: 7, kind: kind)
        let reading = try read(turned(scene.image, quarters: quarters))
        #expect(reading.zone?.zone.lines == specimen.zone)
        #expect(reading.zone?.status == .valid && reading.recapture == nil)
        // The top left corner of the text, turned with the picture.
        let corner = try #require(scene.corners)[0]
        let w = Double(scene.image.width), h = Double(scene.image.height)
        let expected = [
            corner, Point(x: h - corner.y, y: corner.x), Point(x: w - corner.x, y: h - corner.y),
            Point(x: corner.y, y: w - corner.x),
        ][quarters]
        #expect(try #require(reading.uprightCorners)[0].distance(to: expected) < 40)
    }

    @Test func `a barcode is read through the card that was found`() throws {
        let (specimen, scene) = DrawnSpecimens.scene(.good, seed: 1003, kind: .licenseBack)
        // The library alone finds no symbol at this angle.
        #expect(try BarcodeReading(in: scene.image) == nil)
        let reading = try read(scene.image)
        #expect(reading.barcode?.bytes == specimen.barcode)
        let card = try #require(reading.card)
        #expect(card.number == specimen.person.number && card.birth == specimen.person.birth)
        #expect(
            try #require(reading.uprightCorners)[0].distance(to: try #require(scene.corners)[0])
                < 40)
        #expect(reading.recapture == nil && "\(reading)" == "‹document›")
    }

    @Test func `a picture without a document asks for one`() throws {
        let reading = try read(DrawnSpecimens.scene(.nothing, seed: 9).scene.image)
        #expect(reading.zone == nil && reading.barcode == nil && reading.uprightCorners == nil)
        #expect(reading.recapture == .imageMissing)
    }

    @Test func `a blurred page is not read, and asks for a better picture`() throws {
        let reading = try read(DrawnSpecimens.scene(.blurred, seed: 4, kind: .td3).scene.image)
        #expect(reading.zone?.status != .valid && reading.recapture == .poorImageQuality)
    }

    @Test func `a good picture of something else is not supported`() throws {
        var reading: DocumentReading?
        for seed in 1...5 where reading?.capture.isGood != true {
            reading = try read(DrawnSpecimens.scene(.good, seed: seed, kind: .license).scene.image)
        }
        let good = try #require(reading)
        #expect(good.capture.isGood && good.recapture == .documentNotSupported)
    }
}
