import Foundation
import MienImage
import MienMedia
import MienMediaTesting
import MienPixels
import Testing

/// `mien face watch`
@Suite struct WatchTests {
    private static func lines(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    private func movie(_ home: TemporaryHome, of pictures: [RGBImage]) throws -> String {
        let file = home.files.appending(path: "clip.mkv")
        try MovieMaker(.mkv).write(pictures, to: file)
        return file.path
    }

    @Test(.needsPack) func `a video without a face is an answer, not an error`() async throws {
        let home = try TemporaryHome(), file = home.files.appending(path: "clip.mp4")
        try MovieMaker(.mp4).write(Array(repeating: RGBImage(width: 160, height: 120, filledWith: RGBColour(90, 120, 150)), count: 5), to: file)
        let words = try await home.mien("face", "watch", "--video", file.path)
        #expect(words.status == 1 && words.err.isEmpty)
        #expect(words.out.contains("160 × 120, 25.0 frames a second, mpeg4"))
        #expect(words.out.contains("No face: 5 frames in 0.2 s, 0 with a face."))

        let json = try await home.mien("face", "watch", "--video", file.path, "--json")
        #expect(json.status == 1 && json.err.isEmpty)
        let lines = try Self.lines(json.out)
        #expect(lines.map { $0["event"] as? String } == ["start"] + Array(repeating: "frame", count: 5) + ["end"])
        #expect(lines[0].keys.sorted() == ["codec", "duration", "event", "framesPerSecond", "height", "source", "width"])
        #expect(lines[1].keys.sorted() == ["event", "faces", "frame", "guidance", "quality", "reasons", "time"])
        #expect(lines[1...5].map { $0["frame"] as? Int } == [0, 1, 2, 3, 4] && lines[1]["reasons"] as? [String] == ["noFace"])
        #expect(lines[1]["guidance"] as? String == "face_not_found")
        #expect(lines[6].keys.sorted() == ["dropped", "event", "frames", "good", "quality", "withFace"])
        #expect(lines[6]["frames"] as? Int == 5 && lines[6]["good"] as? Bool == false && lines[6]["dropped"] as? Int == 0)
    }

    @Test(.needsFaces) func `the best frame of a face is judged, and compared when asked for`() async throws {
        let home = try TemporaryHome()
        let face = try ImageFile.decode(home.photo("obama2"))
        let empty = RGBImage(width: face.width, height: face.height, filledWith: .black)
        let clip = try movie(home, of: [empty, face, face, empty])
        try await home.mien("face", "enroll", "ada", home.photo("obama"))
        try await home.mien("face", "enroll", "joe", home.photo("biden"))

        let alone = try await home.mien("face", "watch", "--video", clip)
        #expect(alone.status == 0 && alone.out.contains("Good enough: 4 frames in 0.1 s, 2 with a face; best at 0.04 s, quality "))
        let match = try await home.mien("face", "watch", "--video", clip, "--name", "ada")
        #expect(match.status == 0 && match.out.contains("Match: the face is that of ada; "))
        let stranger = try await home.mien("face", "watch", "--video", clip, "--name", "joe")
        #expect(stranger.status == 1 && stranger.out.contains("No match: the face is not that of joe; "))
        let poor = try await home.mien("face", "watch", "--video", clip, "--name", "ada", "--quality", "100")
        #expect(poor.status == 1 && poor.out.contains("No frame is good enough to compare with ada: "))

        let json = try await home.mien("face", "watch", "--video", clip, "--name", "ada", "--json")
        let lines = try Self.lines(json.out)
        #expect(json.status == 0 && lines.count == 6)
        #expect(Set(lines[2].keys).subtracting(["guidance"]).sorted() == ["event", "eyes", "faces", "frame", "pose", "quality", "reasons", "time"])
        let end = try #require(lines.last)
        #expect(
            end.keys.sorted() == ["best", "dropped", "event", "frames", "good", "match", "name", "quality", "result", "threshold", "withFace"])
        #expect(end["match"] as? Bool == true && (end["best"] as? [String: Any])?["frame"] as? Int == 1)

        let short = try await home.mien("face", "watch", "--video", clip, "--seconds", "1", "--json")
        #expect(try Self.lines(short.out).count == 6)
        #expect(try await home.mien("face", "watch", "--video", clip, "--name", "nobody").status == 2)
    }

    @Test func `what cannot be watched is told`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let silence = home.files.appending(path: "silence.mkv")
        try MovieMaker.writeSilence(to: silence)
        let cases = [
            (home.files.appending(path: "none.mp4").path, "file.not-found"), (home.files.path, "file.is-directory"),
            (try home.write("no video".utf8, as: "text.mp4"), "media.not-video"), (silence.path, "media.no-video-stream"),
            (try home.write([], as: "empty.mp4"), "media.empty"), ("http://127.0.0.1:9/x.mp4", "file.not-found"),
        ]
        for (path, code) in cases {
            let result = try await home.mien("face", "watch", "--video", path, "--json")
            #expect(result.status == 2 && result.out.split(separator: "\n").count == 1)
            let error = try result.error
            #expect(error.code == code && error.message.hasPrefix("\(path): ") && result.err == "mien: \(error.message)\n")
        }
    }

    @Test func `wrong words are told`() async throws {
        let home = try TemporaryHome(hasPack: false)
        for words in [
            ["--video", "a", "--camera", "b"], ["--quality", "101"], ["--threshold", "73"], ["--threshold", "48.05"], ["--seconds", "0"],
        ] {
            let result = try await home.mien(["face", "watch"] + words)
            #expect(result.status == 2 && result.err.contains(words.dropLast().last { $0.hasPrefix("--") } ?? ""))
        }
        let help = try await home.mien("face", "watch", "--help")
        #expect(help.status == 0 && help.out.contains("mien face watch --video clip.mp4 --name ada"))
    }

    @Test(.enabled(if: Camera.all().isEmpty, "this machine has a camera")) func `a machine without a camera says so`() async throws {
        let home = try TemporaryHome(hasPack: false)
        for words in [["face", "watch"], ["face", "watch", "--camera", "front"]] {
            let result = try await home.mien(words + ["--json"])
            #expect(try result.status == 3 && result.error.code == "camera.none")
        }
        let list = try await home.mien("face", "watch", "--cameras")
        #expect(list.status == 0 && list.out == "There is no camera on this machine.\n")
        #expect(try await home.mien("face", "watch", "--cameras", "--json").out == "{\"cameras\":[]}\n")
    }
}
