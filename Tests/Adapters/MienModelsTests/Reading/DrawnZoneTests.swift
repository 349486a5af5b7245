import Foundation
import MienFace
import MienMedia
import Testing

@testable import MienModels

/// Networks are compiled once for all tests.
enum Reading {
    static let network = Result { try LineNetwork(runtime: InferenceRuntime()) }

    static func zone(in image: RGBImage) throws -> ZoneReading? {
        var reader = try ZoneReader(network.get())
        return try reader.read(image)
    }
}

@Suite struct DrawnZoneTests {
    static let td3 = [
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
        "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
    ]
    static let td1 = [
        "I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6",
        "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
    ]
    static let td2 = [
        "I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6",
    ]

    private func picture(_ name: String) throws -> RGBImage {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "jpg", subdirectory: "Vectors"))
        return try ImageFile.decode(url.path)
    }

    @Test(arguments: [
        ("td3", td3), ("td3-upside-down", td3), ("td2-sideways", td2), ("td1-tilted", td1),
    ])
    func `drawn zones are read in every direction`(name: String, lines: [String]) throws {
        let image = try picture(name)
        let reading = try #require(try Reading.zone(in: image))
        #expect(reading.status == .valid && reading.zone.lines == lines)
        #expect(reading.clarity > -0.05 && reading.lines.count == lines.count)
        for line in reading.lines {
            for point in [line.start, line.end] {
                #expect((0...Double(image.width)).contains(point.x))
                #expect((0...Double(image.height)).contains(point.y))
            }
        }
    }

    @Test func `an altered digit is shown as printed and never repaired`() throws {
        let reading = try #require(try Reading.zone(in: picture("td3-altered")))
        #expect(reading.status == .invalid && !reading.zone.hasRightCheckDigits)
        #expect(
            reading.zone.lines == [
                Self.td3[0], Self.td3[1].replacing("7408122F", with: "7508122F"),
            ])
    }

    @Test func `a zone that is too blurred is not accepted`() throws {
        let reading = try Reading.zone(in: picture("td3-blurred"))
        #expect(reading?.status ?? .unsure == .unsure)
    }

    @Test(arguments: [(1, 1), (3, 700), (300, 200), (5000, 2)])
    func `pictures without a zone have none`(width: Int, height: Int) throws {
        var image = RGBImage(width: width, height: height, filledWith: .white)
        for x in stride(from: 0, to: width, by: 7) { image[x, height / 2] = .black }
        #expect(try Reading.zone(in: image) == nil)
    }
}
