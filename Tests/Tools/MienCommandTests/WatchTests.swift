import Foundation
import MienFace
import MienMedia
import MienModels
import MienTesting
import Testing

/// `mien face watch`
@Suite struct WatchTests {
    private static func lines(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func movie(_ home: TemporaryHome, of pictures: [RGBImage]) throws -> String {
        let file = home.files.appending(path: "clip.mkv")
        try MovieMaker(.mkv).write(pictures, to: file)
        return file.path
    }

    @Test(.needsPack, arguments: TemporaryHome.packs)
    func `a video without a face is an answer, not an error`(pack: String) async throws {
        let home = try TemporaryHome(pack: pack), file = home.files.appending(path: "clip.mp4")
        try MovieMaker(.mp4).write(
            Array(
                repeating: RGBImage(width: 160, height: 120, filledWith: RGBColor(90, 120, 150)),
                count: 5), to: file)
        let words = try await home.mien("face", "watch", "--video", file.path)
        #expect(words.status == 1 && words.err.isEmpty)
        #expect(words.out.contains("160 × 120, 25.0 frames a second, mpeg4"))
        #expect(words.out.contains("No face: 5 frames in 0.2 s, 0 with a face."))

        let json = try await home.mien("face", "watch", "--video", file.path, "--json")
        #expect(json.status == 1 && json.err.isEmpty)
        let lines = try Self.lines(json.out)
        #expect(
            lines.map { $0["event"] as? String } == ["start"] + Array(repeating: "frame", count: 5)
                + ["end"])
        #expect(
            lines[0].keys.sorted() == [
                "codec", "duration", "event", "frames_per_second", "height", "source", "width",
            ])
        #expect(
            lines[1].keys.sorted() == [
                "event", "faces", "frame", "guidance", "quality", "reasons", "time",
            ])
        #expect(
            lines[1...5].map { $0["frame"] as? Int } == [0, 1, 2, 3, 4]
                && lines[1]["reasons"] as? [String] == ["noFace"])
        #expect(lines[1]["guidance"] as? String == "face_not_found")
        #expect(
            lines[6].keys.sorted() == [
                "dropped", "event", "frames", "good", "quality", "with_face",
            ])
        #expect(
            lines[6]["frames"] as? Int == 5 && lines[6]["good"] as? Bool == false
                && lines[6]["dropped"] as? Int == 0)
    }

    @Test(.needsFaces, arguments: TemporaryHome.packs)
    func `the best frame of a face is graded, and compared with --name`(pack: String) async throws {
        let home = try TemporaryHome(pack: pack)
        let face = try ImageFile.decode(home.photo("obama2"))
        let empty = RGBImage(width: face.width, height: face.height, filledWith: .black)
        let clip = try movie(home, of: [empty, face, face, empty])
        try await home.mien("face", "enroll", "ada", home.photo("obama"))
        try await home.mien("face", "enroll", "joe", home.photo("biden"))

        let alone = try await home.mien("face", "watch", "--video", clip)
        #expect(
            alone.status == 0
                && alone.out.contains(
                    "Good enough: 4 frames in 0.1 s, 2 with a face; best at 0.04 s, quality ")
        )
        let match = try await home.mien("face", "watch", "--video", clip, "--name", "ada")
        #expect(match.status == 0 && match.out.contains("Match: the face is that of ada; "))
        let stranger = try await home.mien("face", "watch", "--video", clip, "--name", "joe")
        #expect(
            stranger.status == 1 && stranger.out.contains("No match: the face is not that of joe; ")
        )
        let poor = try await home.mien(
            "face", "watch", "--video", clip, "--name", "ada", "--quality", "100")
        #expect(
            poor.status == 1 && poor.out.contains("No frame is good enough to compare with ada: "))

        let json = try await home.mien("face", "watch", "--video", clip, "--name", "ada", "--json")
        let lines = try Self.lines(json.out)
        #expect(json.status == 0 && lines.count == 6)
        #expect(
            Set(lines[2].keys).subtracting(["guidance"]).sorted() == [
                "event", "eyes", "faces", "frame", "pose", "quality", "reasons", "time",
            ])
        let end = try #require(lines.last)
        #expect(
            end.keys.sorted() == [
                "best", "dropped", "event", "frames", "good", "match", "name", "quality", "result",
                "threshold", "with_face",
            ])
        #expect(
            end["match"] as? Bool == true && (end["best"] as? [String: Any])?["frame"] as? Int == 1)

        let short = try await home.mien(
            "face", "watch", "--video", clip, "--seconds", "1", "--json")
        #expect(try Self.lines(short.out).count == 6)
        #expect(
            try await home.mien("face", "watch", "--video", clip, "--name", "nobody").status == 2)
    }

    // MARK: Capture sessions

    /// Makes a video, ten frames per second, of a person from a demo photo who performs the
    /// requested actions, or of what `actor` makes of the photo.
    ///
    /// - Parameter seconds: The longest the video may be.
    private func session(
        _ home: TemporaryHome, _ actions: [LivenessAction], _ name: String = "session.mkv",
        seconds: Double = 40,
        actor: (RGBImage, FaceMesh) -> any LivenessActor
    ) async throws -> String {
        let whole = try ImageFile.decode(home.photo("obama"))
        let engine = try TestEngines.engine(home.pack)
        // The face and its surroundings, so that frames are small.
        let box = try #require(try await engine.analyze(whole).main).detection.box,
            side = min(whole.width, whole.height, Int(2.6 * box.width))
        let left = min(max(0, Int(box.center.x) - side / 2), whole.width - side),
            top = min(max(0, Int(box.center.y) - side / 2), whole.height - side)
        let photo = whole.reduced(by: 1, x: left, y: top, width: side, height: side).resized(
            width: 240, height: 240)
        let mesh = try #require(try await engine.analyze(photo).main).mesh
        let challenge = try LivenessChallenge(
            steps: actions.map { .init($0, pauseMilliseconds: 500) })
        let played = try await LivenessSession.played(
            actor(photo, mesh), challenge, settings: VerificationSettings(mode: .livenessActive),
            framesPerSecond: 10, seconds: seconds, reader: engine,
            keepingFrames: true)
        var maker = MovieMaker(.mkv)
        maker.framesPerSecond = 10
        let file = home.files.appending(path: name)
        // A camera continues after the last required frame.
        try maker.write(
            played.frames
                + played.frames.suffix(1).map {
                    $0.reduced(by: 1, x: 0, y: 0, width: $0.width, height: $0.height)
                }, to: file)
        return file.path
    }

    @Test(.needsFaces, arguments: TemporaryHome.packs)
    func `active mode accepts and compares requested actions, and refuses a recording of others`(
        pack: String
    ) async throws {
        let home = try TemporaryHome(pack: pack)
        let clip = try await session(home, [.turnLeft, .blink]) {
            SolidHead($0, mesh: $1, reach: 60)
        }
        try await home.mien("face", "enroll", "ada", home.photo("obama2"))
        try await home.mien("face", "enroll", "joe", home.photo("biden"))
        let mode = ["face", "watch", "--video", clip, "--mode", "active", "--actions"]

        let words = try await home.mien(mode + ["turn_left,blink"])
        #expect(
            words.status == 0
                && words.out.contains("Accepted: a person who performed the requested actions: "))
        #expect(
            words.out.contains("turn your head to your left") && words.out.contains("blink")
                && words.out.contains("  depth       passed"))
        #expect(words.out.contains("  not run: ") && words.out.contains("presentation_attack"))
        #expect(words.out.contains("this command shows no colors"))
        #expect(words.out.contains("  warning: the presentation check was not required"))

        let match = try await home.mien(mode + ["turn_left,blink", "--name", "ada", "--json"])
        let lines = try Self.lines(match.out), end = try #require(lines.last)
        #expect(match.status == 0 && lines.first?["event"] as? String == "start")
        #expect(
            end.keys.sorted() == [
                "checks", "dropped", "event", "frames", "good", "liveness_score", "match", "mode",
                "name", "not_run", "presentation", "refusals", "result", "taken", "threshold",
                "with_face",
            ])
        #expect(
            end["good"] as? Bool == true && end["match"] as? Bool == true
                && end["mode"] as? String == "liveness_active")
        let checks = try #require(end["checks"] as? [[String: Any]])
        #expect(checks.count >= 5 && checks.allSatisfy { $0["passed"] as? Bool == true })
        let frames = lines.dropFirst().dropLast()
        #expect(
            frames.count == end["frames"] as? Int
                && frames.allSatisfy { $0["event"] as? String == "frame" })
        let asked = frames.compactMap { $0["action"] as? String }.reduce(into: [String]()) {
            if $0.last != $1 { $0.append($1) }
        }
        #expect(asked == ["keep_still", "turn_left", "blink"])
        let keys: Set = [
            "event", "faces", "frame", "liveness_score", "progress", "quality", "reasons",
            "seconds_left", "status", "time",
        ]
        #expect(frames.allSatisfy { keys.isSubset(of: $0.keys) })
        #expect(
            frames.first?["seconds_left"] as? Double == 60
                && frames.last?["status"] as? String == "finished")

        let stranger = try await home.mien(mode + ["turn_left,blink", "--name", "joe"])
        #expect(
            stranger.status == 1 && stranger.out.contains("No match: the face is not that of joe: ")
        )
        for other in ["turn_right,blink", "blink,turn_left"] {
            let refused = try await home.mien(mode + [other, "--json"])
            let end = try #require(try Self.lines(refused.out).last)
            #expect(
                refused.status == 1 && end["good"] as? Bool == false
                    && (end["refusals"] as? [String])?.isEmpty == false, "\(other)")
        }
    }

    /// A person who keeps still and performs no action.
    private struct Idler: LivenessActor {
        var head: SolidHead

        mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
            head.image(asked: asked == .keepStill ? .keepStill : nil, at: time)
        }
    }

    @Test(.needsFaces, arguments: TemporaryHome.packs)
    func `omitted actions are not requested`(pack: String) async throws {
        let home = try TemporaryHome(pack: pack)
        // Whatever the head did by itself could end the session before its first request.
        // The first request comes after a second of stillness and a pause of at most 1.5 s. What follows
        // shows nothing more, because the person does not do it.
        let clip = try await session(home, [.turnLeft, .blink], seconds: 6) {
            Idler(head: SolidHead($0, mesh: $1, reach: 60))
        }
        let omitted: Set = ["blink", "look_up"]
        for _ in 0..<5 {
            let result = try await home.mien(
                "face", "watch", "--video", clip, "--mode", "active", "--omit",
                omitted.joined(separator: ","), "--json")
            let asked = try Set(Self.lines(result.out).compactMap { $0["action"] as? String })
            #expect(result.status == 0 || result.status == 1)
            #expect(asked.count > 1 && asked.contains("keep_still"), "an action was requested")
            #expect(asked.isDisjoint(with: omitted))
        }
    }

    @Test(.needsPack, arguments: TemporaryHome.packs)
    func `a video that ends early and a timeout are refusals`(pack: String) async throws {
        let home = try TemporaryHome(pack: pack), file = home.files.appending(path: "clip.mp4")
        try MovieMaker(.mp4).write(
            Array(
                repeating: RGBImage(width: 160, height: 120, filledWith: RGBColor(90, 120, 150)),
                count: 50), to: file)
        let ended = try await home.mien("face", "watch", "--video", file.path, "--mode", "passive")
        #expect(
            ended.status == 1
                && ended.out.contains(
                    "Refused: the video ended first (source_ended): 50 frames in 2.0 s, 0 with a face."
                ))
        #expect(ended.out.contains("face the camera, with the whole face in the picture"))
        let short = try await home.mien(
            "face", "watch", "--video", file.path, "--mode", "passive", "--seconds", "1", "--json")
        let end = try #require(try Self.lines(short.out).last)
        #expect(end["frames"] as? Int == 25 && end["refusals"] as? [String] == ["source_ended"])
    }

    @Test func `a source that cannot be watched is reported`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let silence = home.files.appending(path: "silence.mkv")
        try MovieMaker.writeSilence(to: silence)
        let cases = [
            (home.files.appending(path: "none.mp4").path, "file.not-found"),
            (home.files.path, "file.is-directory"),
            (try home.write("no video".utf8, as: "text.mp4"), "media.not-video"),
            (silence.path, "media.no-video-stream"),
            (try home.write([], as: "empty.mp4"), "media.empty"),
            ("http://127.0.0.1:9/x.mp4", "file.not-found"),
        ]
        for (path, code) in cases {
            let result = try await home.mien("face", "watch", "--video", path, "--json")
            #expect(result.status == 2 && result.out.split(separator: "\n").count == 1)
            let error = try result.error
            #expect(
                error.code == code && error.message.hasPrefix("\(path): ")
                    && result.err == "mien: \(error.message)\n")
        }
    }

    @Test func `wrong arguments are reported`() async throws {
        let home = try TemporaryHome(hasPack: false)
        for words in [
            ["--video", "a", "--camera", "b"], ["--quality", "101"], ["--threshold", "73"],
            ["--threshold", "48.05"], ["--seconds", "0"],
            ["--actions", "blink"], ["--mode", "active", "--actions", "jump"],
            ["--mode", "active", "--actions", "blink,blink"],
            ["--mode", "asleep"],
            ["--mode", "passive", "--omit", "blink"], ["--mode", "active", "--omit", "jump"],
            ["--mode", "active", "--omit", "keep_still"],
            ["--mode", "active", "--omit", "turn_left,turn_right"],
            ["--mode", "active", "--omit", "blink,look_up,look_down"],
            ["--mode", "active", "--actions", "turn_left,blink", "--omit", "blink"],
        ] {
            let result = try await home.mien(["face", "watch"] + words)
            #expect(
                result.status == 2
                    && result.err.contains(words.dropLast().last { $0.hasPrefix("--") } ?? ""))
        }
        let help = try await home.mien("face", "watch", "--help")
        #expect(
            help.status == 0 && help.out.contains("mien face watch --video clip.mp4 --name ada"))
    }

    @Test(.enabled(if: Camera.all().isEmpty, "this machine has a camera"))
    func `a machine without a camera reports that`() async throws {
        let home = try TemporaryHome(hasPack: false)
        for words in [["face", "watch"], ["face", "watch", "--camera", "front"]] {
            let result = try await home.mien(words + ["--json"])
            #expect(try result.status == 3 && result.error.code == "camera.none")
        }
        let list = try await home.mien("face", "watch", "--cameras")
        #expect(list.status == 0 && list.out == "This computer has no camera.\n")
        #expect(
            try await home.mien("face", "watch", "--cameras", "--json").out == "{\"cameras\":[]}\n")
    }
}
