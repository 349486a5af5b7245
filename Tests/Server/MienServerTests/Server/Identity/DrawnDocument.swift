import MienCore
import MienDocument
import MienFace
import MienMedia
import MienTools

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

    /// A closed passport on a table: a cover with an emblem.
    static func cover() -> [UInt8] {
        var canvas = Canvas(
            RGBImage(width: 1600, height: 1200, filledWith: RGBColor(196, 190, 180)))
        canvas.filledRectangle(
            Rectangle(x: 420, y: 130, width: 660, height: 940), RGBColor(150, 62, 70))
        canvas.dot(Point(x: 750, y: 520), radius: 130, RGBColor(190, 160, 80))
        canvas.dot(Point(x: 750, y: 520), radius: 100, RGBColor(150, 62, 70))
        return JPEGEncoder.encode(canvas.image, quality: 85)
    }

    /// A drawn cat: a picture without a document.
    static func cat() -> [UInt8] {
        let fur = RGBColor(120, 100, 84), eye = RGBColor(190, 200, 90)
        var canvas = Canvas(
            RGBImage(width: 1600, height: 1200, filledWith: RGBColor(206, 210, 200)))
        canvas.dot(Point(x: 800, y: 640), radius: 300, fur)
        for x in [610.0, 990] { canvas.dot(Point(x: x, y: 390), radius: 110, fur) }
        for x in [690.0, 910] { canvas.dot(Point(x: x, y: 580), radius: 46, eye) }
        canvas.dot(Point(x: 800, y: 720), radius: 30, RGBColor(60, 40, 40))
        return JPEGEncoder.encode(canvas.image, quality: 85)
    }
}
