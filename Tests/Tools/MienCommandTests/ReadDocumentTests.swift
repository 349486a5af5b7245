import Foundation
import MienCore
import MienMedia
import MienTools
import Testing

/// `mien document read`, with drawn specimens.
@Suite struct ReadDocumentTests {
    private struct Answer: Decodable {
        struct Photo: Decodable {
            struct Zone: Decodable {
                var status: String
                var lines: [String]
            }
            var faults: [String]
            var zone: Zone?
            var copies: [String: String]
        }
        struct Check: Decodable {
            var name: String
            var verdict: String
        }
        struct Fields: Decodable {
            var source: String
            var number: String?
        }
        var photos: [Photo]
        var fields: [Fields]
        var checks: [Check]
        var recapture: String?
    }

    private func scene(
        _ subject: SpecimenScene.Subject, _ seed: UInt64,
        unknownBirth: SpecimenPerson.UnknownBirth = .nothing
    ) throws -> (specimen: Specimen, bytes: Data) {
        var random = SeededGenerator(seed: seed)
        var person = SpecimenPerson.ordinary(&random)
        person.unknownBirth = unknownBirth
        let specimen = Specimen(.td3, person, &random)
        let scene = SpecimenScene(subject, specimen, &random)
        return (specimen, Data(JPEGEncoder.encode(scene.image)))
    }

    @Test func `a passport is read, checked, and drawn`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let (specimen, bytes) = try scene(.good, 1)
        let photo = try home.write(bytes, as: "passport.jpg")
        let drawn = home.files.appending(path: "drawn.png").path
        let result = try await home.mien("document", "read", photo, "--draw", drawn, "--json")
        #expect(result.status == 0, "\(result.err)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let answer = try decoder.decode(Answer.self, from: Data(result.out.utf8))
        #expect(answer.photos[0].zone?.status == "valid" && answer.recapture == nil)
        #expect(answer.photos[0].zone?.lines == specimen.zone)
        #expect(answer.fields.first?.number == specimen.person.number)
        #expect(answer.checks.contains { $0.name == "composite_check_digit" })
        #expect(!answer.checks.contains { $0.verdict == "failed" })
        #expect(answer.photos[0].copies["document_not_photocopy"] == "passed")
        _ = try ImageFile.decode(drawn, limits: ImageLimits(maxBytes: 20 << 20))
        let words = try await home.mien("document", "read", photo)
        #expect(words.out.contains("machine-readable zone TD3, valid"))
    }

    @Test func `a date of birth that is not known is shown as such`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let photo = try home.write(
            scene(.good, 1, unknownBirth: .dayAndMonth).bytes, as: "passport.jpg")
        let result = try await home.mien("document", "read", photo)
        #expect(result.status == 0, "\(result)")
        #expect(result.out.contains(/\nbirth +mrz +not checked: partial/), "\(result.out)")
        // The issuer publishes no rule for its numbers.
        #expect(!result.out.contains("number_format"), "\(result.out)")
    }

    @Test func `a photo without a document asks for another`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let photo = try home.write(scene(.nothing, 5).bytes, as: "table.jpg")
        let result = try await home.mien("document", "read", photo)
        #expect(result.status == 2, "\(result.out)")
        #expect(result.out.contains("another photo is needed: image_missing"), "\(result.out)")
    }

    @Test func `more than four photos are refused`() async throws {
        let result = try await TemporaryHome(hasPack: false).mien(
            "document", "read", "a", "b", "c", "d", "e")
        #expect(result.status == 2 && result.err.contains("at most 4"))
    }
}
