import Foundation
import MienAPI
import MienClient
import MienCore
import MienDocument
import MienFace
import MienIdentity
import MienMedia
import MienTools

/// Documents over HTTP: passports of an invented person, drawn around a demo photo. Another photo of
/// the same person passes; an altered digit and another person's photo are refused.
struct DocumentDemo {
    typealias Step = LoginDemo.Step

    static let environment = [
        "MIEN_IDENTITY_DOCUMENTS": "passport", "MIEN_IDENTITY_DOCUMENT_WAIT_SECONDS": "60",
    ]

    /// The part of a photo that is printed.
    let portrait: RGBImage
    /// Photo files.
    let genuine, stranger: URL

    private static let input = VerifyIdentityInput(
        firstName: "Robin", lastName: "Alderwood", address: "12 Juniper Street",
        postalCode: "30318", country: "US", dateOfBirth: "1985-03-14")

    private static func date(_ year: Int, _ month: Int, _ day: Int) -> CalendarDate {
        // All callers pass valid dates.
        CalendarDate(year: year, month: month, day: day)!
    }

    /// The head and shoulders around a face, in the format of portraits.
    static func portrait(of photo: RGBImage, around face: Rectangle) -> RGBImage {
        let width = min(face.width * 2, Double(photo.width))
        let height = min(width * 9 / 7, Double(photo.height))
        let x = min(max(face.center.x - width / 2, 0), Double(photo.width) - width)
        let y = min(max(face.center.y - height * 0.52, 0), Double(photo.height) - height)
        return photo.reduced(
            by: 1, x: Int(x), y: Int(y), width: Int(width), height: Int(height))
    }

    /// A photo of a passport on a table.
    private func passport(altered: Bool) -> [UInt8] {
        let person = SpecimenPerson(
            familyName: "ALDERWOOD", givenNames: ["ROBIN"], sex: .unspecified,
            birth: Self.date(1985, 3, 14), issue: Self.date(2024, 6, 1),
            expiry: Self.date(2034, 5, 31), number: "A10293847", street: "12 JUNIPER STREET",
            city: "MARLOW", postalCode: "30318")
        var random = SeededGenerator(seed: 7)
        let specimen = Specimen(
            .td3, person, portrait: portrait, issuer: "USA",
            altered: altered
                ? { [$0[0], $0[1].replacing("850314", with: "860314")] } : nil, &random)
        return JPEGEncoder.encode(SpecimenScene(.good, specimen, &random).image, quality: 85)
    }

    func run(on server: LoopbackServer) async throws -> [Step] {
        _ = try await server.admin.createApp(
            AppRequest(
                id: "passports", name: "Passports", isFirstParty: true,
                settings: [
                    "identity": ["required": "GOVERNMENT_ID", "accepts_still_faces": true]
                ]))
        var steps: [Step] = []
        for (name, what, altered, photo, expected) in [
            ("robin-1", "a passport, and another photo of the person", false, genuine, "succeeded"),
            ("robin-2", "the same with a digit altered", true, genuine, "failed"),
            ("robin-3", "another person's photo", false, stranger, "failed"),
        ] {
            let picture = passport(altered: altered), face = [UInt8](try Data(contentsOf: photo))
            let client = try await IdentityDemo().client(name, app: "passports", server)
            _ = try await client.verifyIdentity(input: Self.input)
            let started = ContinuousClock.now
            var answer = try await client.verifyIdentityDocument(
                input: VerifyIdentityDocument(
                    image: picture, backImage: nil, faceImage: face, country: "US",
                    documentType: .passport))
            // A slow machine judges in the background.
            while answer.documentVerificationStatus == .known(.pending),
                ContinuousClock.now - started < .seconds(60)
            {
                try await Task.sleep(for: .milliseconds(100))
                answer = try await client.checkIdentityVerification(option: .remoteOnly)
            }
            steps.append(
                Step(
                    what: what, expected: expected,
                    got: answer.documentVerificationStatus.rawValue,
                    milliseconds: (ContinuousClock.now - started) / .milliseconds(1)))
        }
        return steps
    }
}
