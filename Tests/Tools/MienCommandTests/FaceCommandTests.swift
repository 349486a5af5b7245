import Foundation
import MienFace
import MienMedia
import Testing

/// Enroll, verify, identify, list, remove.
@Suite(.needsFaces) struct FaceCommandTests {
    @Test func `a face is enrolled, verified, identified, listed, and removed`() async throws {
        let home = try TemporaryHome()
        let empty = try await home.mien("face", "list")
        #expect(empty.status == 0 && empty.out.contains("Nobody is enrolled."))

        let enrolled = try await home.mien("face", "enroll", "Ada", home.photo("obama"))
        #expect(
            enrolled.status == 0 && enrolled.out.contains("Enrolled Ada from one photo.")
                && enrolled.err.isEmpty)
        let match = try await home.mien("face", "verify", "ada", home.photo("obama2"))
        #expect(
            match.status == 0 && match.out.hasPrefix("Match: ") && match.out.contains("shows Ada."))
        let stranger = try await home.mien("face", "verify", "ada", home.photo("biden"))
        #expect(
            stranger.status == 1 && stranger.out.hasPrefix("No match: ")
                && stranger.out.contains("does not show Ada."))
        let known = try await home.mien("face", "identify", home.photo("obama3"))
        #expect(known.status == 0 && known.out.contains("shows Ada."))
        let unknown = try await home.mien("face", "identify", home.photo("biden"))
        #expect(
            unknown.status == 1 && unknown.out.contains("does not show the one enrolled person."))
        let list = try await home.mien("face", "list")
        #expect(list.status == 0 && list.out.contains("Ada") && list.out.contains("mien-basic-1"))

        let removed = try await home.mien("face", "remove", "ada")
        #expect(removed.status == 0 && removed.out == "Removed ada.\n")
        #expect(home.records.isEmpty)
        #expect(try await home.mien("face", "remove", "ada").status == 2)
        #expect(try await home.mien("face", "verify", "ada", home.photo("obama2")).status == 2)
    }

    @Test func `JSON output has the documented keys`() async throws {
        let home = try TemporaryHome()
        let enrolled = try await home.mien(
            "face", "enroll", "Ada", home.photo("obama"), home.photo("obama2"), "--json"
        ).json
        #expect(enrolled.keys.sorted() == ["name", "pack", "photos", "replaced"])
        #expect(
            enrolled["name"] as? String == "Ada" && enrolled["replaced"] as? Bool == false
                && enrolled["pack"] as? String == "mien-basic-1")
        let photos = try #require(enrolled["photos"] as? [[String: Any]])
        #expect(
            photos.map { $0["photo"] as? String } == [home.photo("obama"), home.photo("obama2")])
        #expect(photos.allSatisfy { $0.keys.sorted() == ["photo", "quality", "reasons"] })

        for (photo, matches) in [("obama3", true), ("biden", false)] {
            let verified = try await home.mien("face", "verify", "ada", home.photo(photo), "--json")
            #expect(verified.status == (matches ? 0 : 1))
            let object = try verified.json
            #expect(
                object.keys.sorted() == [
                    "match", "name", "photo", "quality", "reasons", "result", "threshold",
                ])
            #expect(
                object["match"] as? Bool == matches && object["name"] as? String == "Ada"
                    && object["threshold"] as? Double == 48)
            try Self.checkResult(object["result"], matches: matches)

            let identified = try await home.mien(
                "face", "identify", home.photo(photo), "--top", "3", "--json")
            #expect(identified.status == (matches ? 0 : 1))
            let search = try identified.json
            #expect(
                search.keys.sorted() == [
                    "candidates", "match", "photo", "quality", "reasons", "search", "searched",
                    "threshold",
                ])
            #expect(search["match"] as? Bool == matches && search["searched"] as? Int == 1)
            let candidates = try #require(search["candidates"] as? [[String: Any]])
            #expect(
                candidates.count == 1 && candidates[0].keys.sorted() == ["match", "name", "result"])
            #expect(
                candidates[0]["name"] as? String == "Ada"
                    && candidates[0]["match"] as? Bool == matches)
            try Self.checkResult(candidates[0]["result"], matches: matches)
        }

        let list = try await home.mien("face", "list", "--json").json
        #expect(list.keys.sorted() == ["damaged", "faces"])
        let faces = try #require(list["faces"] as? [[String: Any]])
        #expect(
            faces.count == 1
                && faces[0].keys.sorted() == [
                    "enrolled", "name", "pack", "photos", "unlocks",
                ])
        #expect(faces[0]["photos"] as? Int == 2)
        let enrolledAt = try #require(
            try? Date(faces[0]["enrolled"] as? String ?? "", strategy: .iso8601))
        #expect(abs(enrolledAt.timeIntervalSinceNow) < 3600)
        #expect(
            try await home.mien("face", "remove", "Ada", "--json").json as? [String: String] == [
                "removed": "Ada"
            ])
    }

    private static func checkResult(
        _ result: Any?, matches: Bool, at location: SourceLocation = #_sourceLocation
    ) throws {
        let result = try #require(result as? [String: Any], sourceLocation: location)
        #expect(
            result.keys.sorted() == ["false_match_rate", "in_words", "score"],
            sourceLocation: location
        )
        let score = try #require(result["score"] as? Double),
            rate = try #require(result["false_match_rate"] as? Double)
        #expect(
            (0...72).contains(score) && (score >= 48) == matches && (0...1).contains(rate),
            sourceLocation: location)
    }

    @Test(arguments: TemporaryHome.packs)
    func `a photo matches in any direction, with a note of it of any type or without one`(
        pack: String
    ) async throws {
        let home = try TemporaryHome(pack: pack)
        try await home.mien("face", "enroll", "ada", home.photo("obama"), home.photo("obama2"))
        // Half its size, which is enough for a face, and is decoded faster.
        let whole = try ImageFile.decode(home.photo("obama3"))
        let photo = whole.resized(width: whole.width / 2, height: whole.height / 2)
        func file(_ quarters: Int, _ exif: [UInt8], as name: String) throws -> String {
            let jpeg = JPEGEncoder.encode(photo.turned(byQuarters: quarters), quality: 90)
            return try home.write(jpeg.prefix(2) + exif + jpeg.dropFirst(2), as: name)
        }
        /// An EXIF block with orientation 6: to be turned by a quarter, clockwise.
        func exif(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
            let tiff: [UInt8] =
                [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, type, 0, 0, 0, 1] + value
                + [0, 0, 0, 0]
            let block = Array("Exif\0\0".utf8) + tiff
            return [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block
        }
        var files = try (1...3).map { try file($0, [], as: "turned-\($0).jpg") }
        for (type, value) in [(1, [6, 0, 0, 0]), (3, [0, 6, 0, 0]), (4, [0, 0, 0, 6])]
            as [(UInt8, [UInt8])]
        {
            files.append(try file(3, exif(type, value), as: "exif-\(type).jpg"))
        }
        for file in files {
            let match = try await home.mien("face", "verify", "ada", file)
            #expect(match.status == 0, "\(file): \(match)")
        }
        // A clear answer about a picture without a face.
        let wall = try home.write(
            PNGEncoder.encode(RGBImage(width: 320, height: 240, filledWith: .white)), as: "wall.png"
        )
        #expect(try await home.mien("face", "verify", "ada", wall).status == 2)
    }

    @Test func `the threshold decides about a match`() async throws {
        let home = try TemporaryHome()
        try await home.mien("face", "enroll", "ada", home.photo("obama"))
        #expect(
            try await home.mien("face", "verify", "ada", home.photo("biden"), "--threshold", "0")
                .status == 0)
        #expect(
            try await home.mien("face", "identify", home.photo("biden"), "--threshold", "0").status
                == 0)
    }

    @Test func `an unknown name exits with 2, without revealing other names`() async throws {
        let home = try TemporaryHome()
        try await home.mien("face", "enroll", "Secretary", home.photo("obama"))
        let result = try await home.mien("face", "verify", "bob", home.photo("obama2"), "--json")
        #expect(
            result.status == 2 && result.err.contains("“bob”")
                && result.err.contains("mien face list"))
        let error = try result.error
        #expect(error.code == "name.unknown" && !(error.message + result.err).contains("Secretary"))
    }

    @Test func `two people in one enrollment are refused, and the previous enrollment stays`()
        async throws
    {
        let home = try TemporaryHome()
        let first = try await home.mien(
            "face", "enroll", "ada", home.photo("obama"), home.photo("biden"), "--json")
        #expect(first.status == 2 && home.records.isEmpty)
        let error = try first.error
        #expect(
            error.code == "enroll.different-people" && error.message.contains(home.photo("obama"))
                && error.message.contains(home.photo("biden")))

        try await home.mien("face", "enroll", "ada", home.photo("obama"))
        let before = try home.records.map { try Data(contentsOf: $0) }
        #expect(
            try await home.mien("face", "enroll", "ada", home.photo("biden"), home.photo("obama2"))
                .status == 2)
        #expect(try home.records.map { try Data(contentsOf: $0) } == before)
    }

    @Test func `enrolling again replaces the enrollment`() async throws {
        let home = try TemporaryHome()
        try await home.mien("face", "enroll", "ada", home.photo("obama"))
        let again = try await home.mien("face", "enroll", "ADA", home.photo("biden"), "--json")
        #expect(try again.status == 0 && again.json["replaced"] as? Bool == true)
        #expect(home.records.count == 1)
        #expect(try await home.mien("face", "verify", "ada", home.photo("biden")).status == 0)
        #expect(try await home.mien("face", "verify", "ada", home.photo("obama2")).status == 1)
    }

    @Test func `enrollment refuses a dark photo and a small face, with the reasons`()
        async throws
    {
        let home = try TemporaryHome()
        let image = try ImageFile.decode(home.photo("obama"))
        let half = image.resized(width: image.width / 2, height: image.height / 2)
        let dark = try RGBImage(
            width: half.width, height: half.height, pixels: half.pixels.map { $0 / 6 })
        let small = image.resized(width: image.width / 16, height: image.height / 16)
        for (name, image, code, words) in [
            ("dark.png", dark, "tooDark", "the face is too dark"),
            ("small.png", small, "tooSmall", "too small"),
        ] {
            let path = try home.write(PNGEncoder.encode(image), as: name)
            let result = try await home.mien(
                "face", "enroll", "ada", home.photo("obama2"), path, "--json")
            #expect(result.status == 2 && home.records.isEmpty)
            let error = try result.error
            #expect(
                error.code == code && error.message.contains(path) && error.message.contains(words),
                "\(error)")
        }
    }

    @Test func `enrollment ignores a much smaller passer-by, but refuses a second person`()
        async throws
    {
        let home = try TemporaryHome()
        let photo = try ImageFile.decode(home.photo("obama"))
        let person = photo.resized(width: photo.width / 2, height: photo.height / 2)
        for (part, accepted) in [(3, true), (1, false)] {
            let other = person.resized(width: person.width / part, height: person.height / part)
            var both = RGBImage(
                width: person.width + other.width, height: person.height, filledWith: .white)
            for (image, left) in [(person, 0), (other, person.width)] {
                for y in 0..<image.height {
                    for x in 0..<image.width { both[left + x, y] = image[x, y] }
                }
            }
            let result = try await home.mien(
                "face", "enroll", "ada", home.write(PNGEncoder.encode(both), as: "both.png"),
                "--json")
            #expect(result.status == (accepted ? 0 : 2), "1/\(part): \(result.err)")
            if !accepted { #expect(try result.error.code == "multipleFaces") }
        }
    }

    @Test func `a search prints its own false-match rate`() async throws {
        let home = try TemporaryHome()
        for (name, photo) in [("ada", "obama"), ("bob", "biden")] {
            try await home.mien("face", "enroll", name, home.photo(photo))
        }
        let result = try await home.mien("face", "identify", home.photo("obama2"), "--json")
        let object = try result.json
        let search = try #require(object["search"] as? [String: Any]),
            rate = try #require(search["false_match_rate"] as? Double)
        let best = try #require(
            ((object["candidates"] as? [[String: Any]])?.first?["result"] as? [String: Any])?[
                "false_match_rate"] as? Double)
        #expect(
            search.keys.sorted() == ["false_match_rate", "in_words"]
                && abs(rate - 2 * best) < 1e-3 * best)
        let text = try await home.mien("face", "identify", home.photo("obama2"))
        #expect(
            text.out.contains("In a search of 2 people, ")
                && text.out.contains("strangers would match someone this well."))
        let odd = try await home.mien(
            "face", "identify", home.photo("obama2"), "--threshold", "47.95")
        #expect(odd.status == 2 && odd.err.contains("one decimal"))
    }

    @Test func `a photo without a face is refused`() async throws {
        let home = try TemporaryHome()
        let path = try home.write(
            PNGEncoder.encode(
                RGBImage(width: 320, height: 240, filledWith: RGBColor(90, 120, 150))),
            as: "wall.png")
        for command in [["enroll", "ada", path], ["identify", path]] {
            let result = try await home.mien(["face"] + command + ["--json"])
            #expect(
                try result.status == 2 && result.error.code == "noFace" && result.err.contains(path)
            )
        }
        let inspected = try await home.mien("face", "inspect", path, "--json")
        #expect(inspected.status == 1)
        #expect(
            try inspected.json["faces"] as? [String] == []
                && inspected.json["reasons"] as? [String] == ["noFace"])
    }

    @Test func `inspect measures, gives reasons, and draws`() async throws {
        let home = try TemporaryHome()
        let drawn = home.files.appending(path: "drawn.png").path
        let result = try await home.mien("face", "inspect", home.photo("obama"), "--draw", drawn)
        #expect(
            result.status == 0 && result.out.contains("one face") && result.out.contains("quality")
                && result.out.contains("Drawn: \(drawn)"))
        for measured in [
            #/box +\d+ × \d+ px at/#, #/size +[0-9.]+  px between the eyes +\d+/#,
            #/pose +[0-9.]+  ° off the camera +\d+/#, #/exposure +[0-9.]+  of 255 +\d+/#,
        ] {
            #expect(result.out.contains(measured), "\(result.out)")
        }
        let (picture, photo) = (
            try ImageFile.decode(drawn), try ImageFile.decode(home.photo("obama"))
        )
        #expect(picture.width == photo.width && picture.height == photo.height && picture != photo)

        let object = try await home.mien("face", "inspect", home.photo("obama"), "--json").json
        #expect(
            object.keys.sorted() == [
                "eyes", "faces", "parts", "photo", "pose", "quality", "reasons",
            ])
        let faces = try #require(object["faces"] as? [[String: Any]])
        #expect(faces.count == 1 && faces[0].keys.sorted() == ["box", "confidence"])
        #expect(
            (faces[0]["box"] as? [String: Any])?.keys.sorted() == ["height", "width", "x", "y"])
        #expect((object["pose"] as? [String: Any])?.keys.sorted() == ["pitch", "roll", "yaw"])
        #expect((object["eyes"] as? [String: Any])?.keys.sorted() == ["left", "right"])
        let parts = try #require(object["parts"] as? [[String: Any]])
        #expect(
            parts.count == 9
                && parts.allSatisfy { $0.keys.sorted() == ["aspect", "grade", "reason", "value"] })

        let strict = try await home.mien(
            "face", "inspect", home.photo("obama_partial_face"), "--quality", "100", "--json")
        #expect(try strict.status == 1 && (strict.json["reasons"] as? [String])?.isEmpty == false)
        let nowhere = try await home.mien(
            "face", "inspect", home.photo("obama"), "--draw", "/nowhere/at/all.png", "--json")
        #expect(try nowhere.status == 2 && nowhere.error.message.contains("/nowhere/at/all.png"))
    }

    @Test func `a key that others could read is refused, with the remedy`() async throws {
        let home = try TemporaryHome()
        try await home.mien("face", "enroll", "ada", home.photo("obama"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: home.key.path)
        for arguments in [["verify", "ada", home.photo("obama2")], ["list"]] {
            let result = try await home.mien(["face"] + arguments + ["--json"])
            #expect(
                try result.status == 3 && result.error.code == "key.mode"
                    && result.err.contains("chmod 600 \(home.key.path)"))
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: home.key.path)
        #expect(try await home.mien("face", "verify", "ada", home.photo("obama2")).status == 0)
    }

    @Test func `a damaged record is named by its file, not its person`() async throws {
        let home = try TemporaryHome()
        try await home.mien("face", "enroll", "Secretary", home.photo("obama"))
        let record = try #require(home.records.first)
        var bytes = try Data(contentsOf: record)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: record)
        let list = try await home.mien("face", "list", "--json")
        #expect(list.status == 0 && list.err.contains(record.lastPathComponent))
        let damaged = try #require(try list.json["damaged"] as? [[String: String]])
        #expect(damaged.count == 1 && damaged[0].keys.sorted() == ["file", "reason"])
        let identified = try await home.mien("face", "identify", home.photo("obama2"))
        #expect(identified.status == 1 && identified.err.contains(record.lastPathComponent))
        let verified = try await home.mien("face", "verify", "bob", home.photo("obama2"), "--json")
        #expect(try verified.status == 3 && verified.error.code == "faces.damaged")
        for result in [list, identified, verified] {
            #expect(!(result.out + result.err).contains("Secretary"))
        }
    }

    @Test func `several processes can start with an empty cache`() async throws {
        let home = try TemporaryHome()
        try FileManager.default.removeItem(at: home.mienHome.appending(path: "cache"))
        let photo = home.photo("obama")
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<4 {
                let home = UncheckedHome(home)
                group.addTask {
                    try await home.home.mien("face", "inspect", photo, "--json").status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [0, 0, 0, 0])
    }
}

/// A home is only read while several tasks use it.
private struct UncheckedHome: @unchecked Sendable {
    let home: TemporaryHome
    init(_ home: TemporaryHome) { self.home = home }
}
