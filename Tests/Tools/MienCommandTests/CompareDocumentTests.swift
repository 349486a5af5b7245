import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools
import Testing

@testable import mien

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

    /// Cards on a table without a zone, so that the document may be upside down: a face that is
    /// upside down, or a pattern, resembles a larger one than the portrait.
    @Test(
        arguments: ["obama", "biden"],
        [
            (share: 0.55, quarters: 0), (share: 0.8, quarters: 0), (share: 0.3, quarters: 0),
            (share: 0.8, quarters: 2), (share: 0.3, quarters: 1),
        ])
    func `a printed portrait is found on a card in any size and direction`(
        name: String, print: (share: Double, quarters: Int)
    ) async throws {
        let home = try TemporaryHome(), photo = try ImageFile.decode(home.photo(name))
        let width = photo.width * 3 / 5
        let portrait = photo.reduced(
            by: 1, x: photo.width / 5, y: photo.height / 20, width: width, height: width * 9 / 7)
        var scene = RGBImage(width: 1800, height: 1350, filledWith: RGBColor(120, 100, 80))
        for y in 270..<1078 {
            for x in 260..<1540 {
                // Fine lines of security printing.
                let isLine = (3 * y - x) % 42 < 4
                scene[x, y] = isLine ? RGBColor(205, 215, 222) : RGBColor(222, 228, 232)
            }
        }
        let height = Int(808 * print.share)
        let printed = portrait.resized(width: height * 7 / 9, height: height)
        for y in 0..<printed.height {
            for x in 0..<printed.width { scene[x + 320, y + 300] = printed[x, y] }
        }
        let card = try home.write(
            JPEGEncoder.encode(scene.turned(byQuarters: print.quarters), quality: 90),
            as: "card.jpg")
        // The steps of the command, in this process: it would read the card and load the networks for
        // each photo again.
        let engine = try TestEngines.engine(home.pack)
        let matcher = try ModelPack(folder: home.pack).matcher()
        let views = try CompareDocumentCommand.views(of: ImageFile.decode(card))
        let found = try await CompareDocumentCommand.portrait(in: views, of: card, engine)
        let printedFace = try matcher.reference(for: found)
        for other in ["obama", "biden"] {
            let photo = try ImageFile.decode(home.photo(other))
            let face = try #require(try await engine.describe(photo))
            let score = matcher.score(
                printedFace, try matcher.reference(for: face.description.descriptor))
            #expect((score >= .portraitMatch) == (other == name), "\(other): \(score)")
        }
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
