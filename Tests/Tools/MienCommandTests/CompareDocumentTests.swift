import Foundation
import MienCore
import MienImage
import MienPixels
import MienSpecimens
import Testing

/// `mien document compare`, with specimens that are drawn around a demo photo.
@Suite(.needsFaces) struct CompareDocumentTests {
    private struct Answer: Decodable {
        var match: Bool
        var verdict: String
        var threshold: Double
    }

    /// A photo of a passport with a portrait and a small, pale copy of it.
    private func passport(_ home: TemporaryHome, seed: UInt64 = 1) throws -> String {
        let photo = try ImageFile.decode(home.photo("obama"))
        let width = photo.width * 3 / 5
        let portrait = photo.reduced(
            by: 1, x: photo.width / 5, y: photo.height / 20, width: width, height: width * 9 / 7)
        var random = SeededGenerator(seed: seed)
        let specimen = Specimen(
            .td3, .random(&random), portrait: portrait, hasGhost: true, &random)
        let scene = SpecimenScene(.good, specimen, &random)
        return try home.write(Data(JPEGEncoder.encode(scene.image)), as: "passport.jpg")
    }

    @Test func `a passport's portrait is compared with photos`() async throws {
        let home = try TemporaryHome(), passport = try passport(home)
        let same = try await home.mien(
            "document", "compare", passport, home.photo("obama2"), "--json")
        #expect(same.status == 0, "\(same.err)")
        let answer = try JSONDecoder().decode(Answer.self, from: Data(same.out.utf8))
        #expect(answer.match && answer.verdict == "match" && answer.threshold == 46)
        let other = try await home.mien("document", "compare", passport, home.photo("biden"))
        #expect(other.status == 1 && other.out.contains("shows somebody else"), "\(other.out)")
        let reversed = try await home.mien(
            "document", "compare", home.photo("biden"), passport, "--threshold", "23")
        #expect(reversed.status == 2 && reversed.err.contains("24 to 72"), "\(reversed.err)")
    }

    @Test func `without a portrait or a face, another photo is needed`() async throws {
        let home = try TemporaryHome(), passport = try passport(home)
        let wall = RGBImage(width: 320, height: 240, filledWith: .white)
        let empty = try home.write(Data(PNGEncoder.encode(wall)), as: "wall.png")
        let noPortrait = try await home.mien("document", "compare", empty, passport)
        #expect(noPortrait.status == 2 && noPortrait.err.contains("no portrait was found"))
        let noFace = try await home.mien("document", "compare", passport, empty)
        #expect(noFace.status == 2 && noFace.err.contains("no face was found"), "\(noFace.err)")
    }
}
