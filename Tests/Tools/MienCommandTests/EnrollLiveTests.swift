import Foundation
import MienCore
import MienFace
import MienMedia
import MienTesting
import Testing

/// `mien face enroll NAME --camera | --video FILE` and `mien face pin`.
@Suite struct EnrollLiveTests {
    private static let settings = ["MIEN_TPM": "none:"]

    private func mien(
        _ home: TemporaryHome, _ arguments: String..., input: String = "",
        at location: SourceLocation = #_sourceLocation
    ) async throws -> MienProgram.Result {
        try await home.mien(
            arguments + ["--json"], settings: Self.settings, input: input, at: location)
    }

    @Test(.needsFaces, arguments: TemporaryHome.packs)
    func `a live enrollment takes each side from a head that turns there, and the PIN confirms it`(
        pack: String
    ) async throws {
        let home = try TemporaryHome(pack: pack), clips = try await ClipMaker(home)
        let (clip, poses) = try await clips.enrollment(
            EnrollmentSettings(
                mode: .livenessPassive, views: .full, countdownToCapture: .zero,
                framesToEnroll: 1, timeout: .seconds(60)), as: "full.mkv")
        // The rendered head turned to the person's right for the view `right`, and so on; the
        // pipeline measured its pose from the pictures.
        let right = try #require(poses[.right]), left = try #require(poses[.left])
        #expect(right.yaw < -14 && left.yaw > 14)
        let top = try #require(poses[.top]), bottom = try #require(poses[.bottom])
        #expect(top.pitch > 9 && bottom.pitch < -9)

        let enrolled = try await home.mien(
            [
                "face", "enroll", "ada", "--video", clip, "--mode", "passive", "--views", "full",
                "--frames", "1", "--json",
            ], settings: Self.settings, input: "4711\n")
        #expect(enrolled.status == 0, "\(enrolled.err)")
        let answer = try enrolled.json
        #expect(
            answer["unlocks"] as? Bool == true && answer["replaced"] as? Bool == false
                && answer["mode"] as? String == "liveness_passive" && answer["frames"] as? Int == 5)
        #expect(
            enrolled.err.contains("blink") && enrolled.err.contains("turn your head to your right"))
        // The same enrollment serves recognition.
        #expect(try await mien(home, "face", "verify", "ada", home.photo("obama2")).status == 0)
        #expect(try await mien(home, "face", "verify", "ada", home.photo("biden")).status == 1)
    }

    @Test(.needsFaces, arguments: TemporaryHome.packs)
    func `only a live enrollment with the right PIN can unlock something`(pack: String) async throws
    {
        let home = try TemporaryHome(pack: pack)
        let (clip, _) = try await ClipMaker(home).enrollment(
            EnrollmentSettings(
                mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 1),
            as: "blink.mkv")
        let words = [
            "face", "enroll", "ada", "--video", clip, "--mode", "passive", "--frames", "1",
            "--json",
        ]
        func enroll(_ input: String, _ more: String...) async throws -> MienProgram.Result {
            try await home.mien(words + more, settings: Self.settings, input: input)
        }
        func unlocks() async throws -> Bool? {
            (try await mien(home, "face", "list").json["faces"] as? [[String: Any]])?.first?[
                "unlocks"] as? Bool
        }
        // Without a PIN, nothing is stored. The first time, it is chosen.
        let without = try await enroll("")
        #expect(try without.status == 2 && without.error.code == "secret.missing")
        #expect(home.records.isEmpty)
        #expect(try await enroll("4711\n").status == 0)
        #expect(try await unlocks() == true)

        // Later, only the right PIN replaces it, and photos take the permission away.
        let wrong = try await enroll("1147\n")
        #expect(try wrong.status == 2 && wrong.error.code == "device.wrong-passcode")
        #expect(try await unlocks() == true)
        #expect(try await mien(home, "face", "enroll", "ada", home.photo("obama")).status == 0)
        #expect(try await unlocks() == false)
        let recognized = try await enroll("", "--recognition-only")
        #expect(try recognized.status == 0 && recognized.json["unlocks"] as? Bool == false)
        #expect(try await unlocks() == false)
        #expect(try await enroll("4711\n").json["replaced"] as? Bool == true)
        #expect(try await unlocks() == true)
        // Removing the PIN ends every confirmation.
        #expect(try await mien(home, "face", "pin", "--reset").status == 0)
        #expect(try await unlocks() == false)
        #expect(try await mien(home, "face", "verify", "ada", home.photo("obama2")).status == 0)
    }

    @Test(.needsFaces, arguments: TemporaryHome.packs)
    func `a camera that lights every second frame with infrared enrolls and recognizes`(
        pack: String
    ) async throws {
        let home = try TemporaryHome(pack: pack), maker = try await ClipMaker(home)
        let lit = try await maker.frames(
            enrolling: EnrollmentSettings(
                mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 2), further: 3
        ).frames
        // Gray, with a nearly black frame after each one, at twice the rate.
        let strobe = lit.flatMap { [$0.gray(percent: 100), $0.gray(percent: 3)] }
        let clip = try maker.write(strobe, "strobe.mkv", framesPerSecond: 20)
        let enrolled = try await mien(
            home, "face", "enroll", "ada", "--video", clip, "--mode", "passive", "--frames", "2",
            "--recognition-only")
        #expect(enrolled.status == 0, "\(enrolled)")
        let watched = try await mien(
            home, "face", "watch", "--video", clip, "--mode", "passive", "--name", "ada")
        #expect(watched.status == 0, "\(watched.out.suffix(2000))")
        #expect(!watched.out.contains("face_not_found"))
    }

    @Test(.needsFaces, arguments: TemporaryHome.packs)
    func `a held photo is not enrolled live, and the reason is told`(pack: String) async throws {
        let home = try TemporaryHome(pack: pack),
            clip = try await ClipMaker(home).still(as: "still.mkv")
        let refused = try await home.mien(
            ["face", "enroll", "ada", "--video", clip, "--mode", "passive"],
            settings: Self.settings, input: "4711\n")
        #expect(
            refused.status == 1 && refused.out.isEmpty
                && refused.err.contains("mien: not enrolled: "), "\(refused)")
        #expect(home.records.isEmpty)
        // The PIN that was chosen for it was not set.
        #expect(
            try await mien(home, "face", "pin", input: "9038\n").json["pin"] as? String == "set")
        // A wrong PIN is found out before the capture.
        let wrong = try await home.mien(
            ["face", "enroll", "ada", "--video", clip, "--mode", "passive", "--json"],
            settings: Self.settings, input: "4711\n")
        #expect(
            try wrong.status == 2 && wrong.error.code == "device.wrong-passcode"
                && !wrong.err.contains("look into"), "\(wrong)")
        // The guide's default takes pictures, for recognition only.
        let image = try await mien(
            home, "face", "enroll", "ada", "--video", clip, "--mode", "image",
            "--recognition-only")
        #expect(image.status == 0, "\(image.err)")
        #expect(try image.json["unlocks"] as? Bool == false && image.json["frames"] as? Int == 4)
    }

    @Test func `the device's PIN is set once and changed with the old one`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let weak = try await mien(home, "face", "pin", input: "1111\n")
        #expect(try weak.status == 2 && weak.error.code == "token.weak-pin")
        #expect(
            try await mien(home, "face", "pin", input: "4711\n").json["pin"] as? String == "set")
        let wrong = try await mien(home, "face", "pin", input: "1147\n9038\n")
        #expect(try wrong.status == 2 && wrong.error.code == "device.wrong-passcode")
        #expect(
            try await mien(home, "face", "pin", input: "4711\n9038\n").json["pin"] as? String
                == "changed")
        #expect(
            try await mien(home, "face", "pin", "--reset").json["pin"] as? String == "reset")
        #expect(
            try await mien(home, "face", "pin", input: "4711\n").json["pin"] as? String == "set")
    }

    @Test(arguments: [
        (["ada"], "one to eight photos"), (["ada", "a.jpg", "--video", "b.mp4"], "photos"),
        (["ada", "--video", "a", "--camera", "b"], "--camera"),
        (["ada", "a.jpg", "--mode", "passive"], "--mode"),
        (["ada", "a.jpg", "--recognition-only"], "--recognition-only"),
        (["ada", "--video", "a", "--mode", "image"], "--recognition-only"),
        (["ada", "--video", "a", "--frames", "9"], "--frames"),
        (["ada", "--video", "a", "--views", "full", "--frames", "5"], "--frames"),
        (["ada", "--video", "a", "--countdown", "-1"], "--countdown"),
    ])
    func `wrong arguments are reported`(words: [String], named: String) async throws {
        let home = try TemporaryHome(hasPack: false)
        let result = try await home.mien(["face", "enroll"] + words)
        #expect(result.status == 2 && result.err.contains(named), "\(result)")
    }

    @Test(.enabled(if: Camera.all().isEmpty, "this machine has a camera"), .needsPack)
    func `without a camera, --camera says so`() async throws {
        let home = try TemporaryHome()
        for words in [["--camera"], ["--camera", "front"]] {
            let result = try await home.mien(
                ["face", "enroll", "ada"] + words + ["--json"], settings: Self.settings)
            #expect(try result.status == 3 && result.error.code == "camera.none")
        }
    }
}
