import MienCore
import MienDocument
import MienImage
import MienPixels
import MienSpecimens

/// Photos of drawn documents around a demo photo.
enum DrawnDocument {
    /// The simulator's person, with a document of that name.
    static func john(_ change: (inout SpecimenPerson) -> Void = { _ in }) -> SpecimenPerson {
        var person = SpecimenPerson(
            familyName: "SMITH", givenNames: ["JOHN"], sex: .male,
            birth: CalendarDate(year: 1975, month: 2, day: 28)!,
            issue: CalendarDate(year: 2021, month: 5, day: 4)!,
            expiry: CalendarDate(year: 2031, month: 5, day: 3)!, number: "C01X0006H",
            street: "222333 PEACHTREE PLACE", city: "ATLANTA", postalCode: "30318")
        change(&person)
        return person
    }

    /// The head and shoulders of a demo photo.
    static func portrait(_ name: String = "obama") throws -> RGBImage {
        let photo = try ImageDecoder.decode(Installed.photo(name))
        // The photo is a portrait already, with room below.
        let width = photo.width * 3 / 5
        return photo.reduced(
            by: 1, x: photo.width / 5, y: photo.height / 20, width: width, height: width * 9 / 7)
    }

    static func specimen(
        _ kind: Specimen.Kind, _ person: SpecimenPerson = john(), issuer: String = "D<<",
        portrait: RGBImage? = nil, hasGhost: Bool = false,
        altered: (([String]) -> [String])? = nil, seed: UInt64 = 7
    ) throws -> Specimen {
        var random = SeededGenerator(seed: seed)
        let face = kind.hasPortrait ? try portrait ?? Self.portrait() : nil
        return Specimen(
            kind, person, portrait: face, hasGhost: hasGhost, issuer: issuer, altered: altered,
            &random)
    }

    /// A photo of 1600×1200 pixels, as JPEG.
    static func photo(
        _ specimen: Specimen, _ subject: SpecimenScene.Subject = .good, seed: UInt64 = 7
    ) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return JPEGEncoder.encode(SpecimenScene(subject, specimen, &random).image, quality: 85)
    }

    /// A closed passport on a table: a dark cover with an emblem.
    static func cover() -> [UInt8] {
        var canvas = Canvas(RGBImage(width: 1600, height: 1200, filledWith: RGBColor(196, 190, 180)))
        canvas.filledRectangle(
            Rectangle(x: 420, y: 130, width: 660, height: 940), RGBColor(96, 24, 36))
        canvas.dot(Point(x: 750, y: 520), radius: 130, RGBColor(190, 160, 80))
        canvas.dot(Point(x: 750, y: 520), radius: 100, RGBColor(96, 24, 36))
        return JPEGEncoder.encode(canvas.image, quality: 85)
    }

    /// Something that is no document, with as many edges as a photo.
    static func cat() -> [UInt8] {
        var random = SeededGenerator(seed: 3)
        return JPEGEncoder.encode(
            SpecimenScene(
                .nothing, Specimen(.td1, .random(&random), &random), &random
            ).image, quality: 85)
    }
}
