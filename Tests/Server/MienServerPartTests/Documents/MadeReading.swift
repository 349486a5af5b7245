import MienCore
import MienDocument
import MienFace
import MienTesting
import MienTools

@testable import MienModels

/// Readings of documents as a test needs them, without pictures.
enum MadeReading {
    static let today = Instant(milliseconds: 1_795_000_000_000)

    static func person(_ change: (inout SpecimenPerson) -> Void = { _ in }) -> SpecimenPerson {
        var person = SpecimenPerson(
            familyName: "SMITH", givenNames: ["JOHN"], sex: .male,
            birth: CalendarDate(year: 1975, month: 2, day: 28)!,
            issue: CalendarDate(year: 2021, month: 5, day: 4)!,
            expiry: CalendarDate(year: 2031, month: 5, day: 3)!, number: "C01X0006H",
            street: "222333 PEACHTREE PLACE", city: "ATLANTA", postalCode: "30318")
        change(&person)
        return person
    }

    private static func specimen(_ kind: Specimen.Kind, _ person: SpecimenPerson) -> Specimen {
        var random = SeededGenerator(seed: 7)
        return Specimen(kind, person, issuer: kind.isLicense ? "UTO" : "D<<", &random)
    }

    static func reading(
        _ measurements: CaptureMeasurements = good, zone: ZoneReading? = nil,
        barcode: BarcodeReading? = nil
    ) -> DocumentReading {
        let picture = RGBImage(width: 32, height: 20, filledWith: .white)
        return DocumentReading(
            place: CardPlace(filling: picture), capture: CaptureVerdict(measurements), zone: zone,
            barcode: barcode)
    }

    static let good = CaptureMeasurements(documents: 1, width: 1000, brightness: 200)

    /// A picture of a document with a machine-readable zone.
    static func zone(
        _ kind: Specimen.Kind = .td3, _ person: SpecimenPerson = person(),
        _ status: ZoneReading.Status = .valid, altered: (([String]) -> [String]) = { $0 }
    ) throws -> DocumentReading {
        let lines = altered(specimen(kind, person).zone ?? [])
        return reading(zone: ZoneReading(try MachineReadableZone(lines: lines), status))
    }

    /// A picture of the back of a license.
    static func license(_ person: SpecimenPerson = person()) -> DocumentReading {
        var person = person
        person.number = "S530460752280"
        return reading(barcode: BarcodeReading(specimen(.licenseBack, person).barcode ?? []))
    }
}
