import MienCore
import MienDocument
import MienFace
import MienTools
import Testing

@testable import MienModels

@Suite struct TextReaderTests {
    @Test func `printed text is read, and its fields agree with the zone`() throws {
        // English data has no accents.
        var random = SeededGenerator(seed: 3), holder = SpecimenPerson.ordinary(&random)
        (holder.familyName, holder.givenNames) = ("WILKEMTOV", ["MARSILI", "NOVE"])
        let specimen = Specimen(.td2, holder, &random)
        var reader = try DocumentReader(Reading.network.get())
        let reading = try reader.read(specimen.image)
        let fields = reading.visualZone(), person = specimen.person
        #expect(fields.number == person.number && fields.familyName == person.familyName)
        #expect(fields.givenNames == person.givenNames && fields.birth == person.birth)
        let zone = try #require(reading.zone?.zone)
        let checks = IdentityDocument(zone: zone, visualZone: fields).checks(
            now: Instant(seconds: 1_790_000_000)
        ).filter { $0.sources.count == 2 }
        #expect(checks.filter { $0.verdict == .passed }.count >= 4)
        #expect(!checks.contains { $0.verdict == .failed })
    }

    @Test func `a picture that is too large, or empty, has an answer`() throws {
        var reader = try TextReader()
        #expect(throws: TextError(.size)) {
            try reader.read(
                RGBImage(width: 4001, height: 1000, filledWith: .white), dotsPerInch: 300)
        }
        #expect(
            try reader.read(RGBImage(width: 1, height: 1, filledWith: .black), dotsPerInch: 300)
                .isEmpty)
        #expect(
            try reader.read(RGBImage(width: 300, height: 9, filledWith: .white), dotsPerInch: 0)
                .isEmpty)
    }

    @Test func `reading stops when the time is over, and the reader can be used again`() throws {
        var reader = try TextReader()
        let (specimen, _) = DrawnSpecimens.scene(.good, seed: 1, kind: .td3)
        #expect(throws: TextError(.late)) {
            try reader.read(specimen.image, dotsPerInch: 300, milliseconds: 1)
        }
        let words = try reader.read(specimen.image, dotsPerInch: 300, milliseconds: 60_000)
        #expect(words.contains { $0.text == "PASSPORT" })
        for word in words {
            #expect(word.left >= 0 && word.right <= specimen.image.width && word.left < word.right)
        }
    }
}
