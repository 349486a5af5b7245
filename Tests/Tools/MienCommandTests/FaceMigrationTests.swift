import Foundation
import MienClient
import MienCore
import MienFace
import MienMedia
import MienTesting
import Testing

/// `mien serve` with one model pack, and then with another.
@Suite struct FaceMigrationTests {
    private struct FaceLost: Error {}

    private static let better = TemporaryHome.Machine.folder.appending(
        path: "packs/mien-default-2", directoryHint: .isDirectory)
    private static let hasBetter = FileManager.default.fileExists(
        atPath: better.appending(path: "manifest.json").path)
    private static let settings = [
        "MIEN_FACE_LIVENESS_MODE": "liveness_passive", "MIEN_PASSWORD_MEMORY_KIB": "8192",
        // The test shows the same photo each time.
        "MIEN_FACE_LIVENESS_REPLAY_DAYS": "0",
    ]

    @Test(
        .needsFaces,
        .enabled(if: hasBetter, "needs both packs"),
        arguments: zip(TemporaryHome.packs, TemporaryHome.packs.reversed()))
    func `a person enrolled live is migrated by a live sign-in, and the old pack can go`(
        old: String, new: String
    ) async throws {
        let home = try TemporaryHome(pack: old), secret = "a password nobody has"
        let clips = try await ClipMaker(home)
        // The person does what each server asks: a sign-in with mien-basic-1, which has no network
        // against recordings, asks for actions in a random order.
        func capture(_ server: ServerProcess.Running, _ step: MienServiceResponse) async throws {
            let session = try CaptureSession(
                startToken: #require(step.startToken), MienOptions(serverPath: server.address))
            var person = SolidHead(clips.photo, mesh: clips.mesh, reach: 40)
            var answer = try await session.start(), number = 0
            let began = ContinuousClock.now
            while answer.isOpen {
                number += 1
                try await Task.sleep(until: began + .milliseconds(100 * number))
                let asked = answer.action.flatMap { LivenessAction(rawValue: $0.rawValue) },
                    image = person.image(asked: asked, at: Double(number) / 10)
                answer = try await session.submitLive([
                    CaptureFrame(JPEGEncoder.encode(image, quality: 92))
                ])
            }
            // A machine that does much else shows frames too rarely.
            if answer.reasons?.map(\.rawValue) == ["face_lost"] { throw FaceLost() }
            try #require(answer.hasPassed, "\(answer)")
        }
        /// Begins again, as a person does, if the face was lost.
        func persistently<Result>(_ body: () async throws -> Result) async throws -> Result {
            for _ in 0..<4 { do { return try await body() } catch is FaceLost { continue } }
            return try await body()
        }
        func signIn(_ server: ServerProcess.Running) async throws -> Bool {
            try await persistently {
                let journey = try await JourneyClient(MienOptions(serverPath: server.address))
                    .start("face-login")
                try await capture(server, await journey.respond("face", ["user_identifier": "ada"]))
                try await journey.respond(.clientInput)
                if case .success = await journey.outcome() { return true }
                return false
            }
        }
        var credential = ""
        func migration(_ server: ServerProcess.Running, json: Bool = true) async throws
            -> MienProgram.Result
        {
            try await home.mien(
                ["admin", "faces", "migration", "--server", server.adminAddress]
                    + (json ? ["--json"] : []), settings: ["MIEN_ADMIN_CREDENTIAL": credential])
        }

        try await ServerProcess.run(in: home, settings: Self.settings) { server in
            credential = server.credential
            let made = try await home.mien(
                [
                    "admin", "user", "create", "--username", "ada", "--password-stdin", "--server",
                    server.adminAddress,
                ], settings: ["MIEN_ADMIN_CREDENTIAL": credential], input: "\(secret)\n")
            try #require(made.status == 0, "\(made.err)")
            // Actions that a head rendered from a photo performs well enough.
            let chosen = try await home.mien(
                [
                    "admin", "app", "set", "default_application", "--setting",
                    #"liveness={"actions":["blink","turn_left"]}"#, "--server",
                    server.adminAddress,
                ], settings: ["MIEN_ADMIN_CREDENTIAL": credential])
            try #require(chosen.status == 0, "\(chosen.err)")
            try await persistently {
                let journey = try await JourneyClient(MienOptions(serverPath: server.address))
                    .start("face-registration")
                try await journey.respond(
                    "password", ["username": "ada", "password": .string(secret)])
                try await capture(server, await journey.respond(.clientInput))
                try await journey.respond(.clientInput)
                guard case .success = await journey.outcome() else {
                    throw MienError(.serverError, "the face was not registered")
                }
            }
        }

        // The better pack is the default as soon as it is installed; the other has to be chosen.
        try FileManager.default.createSymbolicLink(
            at: home.packs.appending(path: new),
            withDestinationURL: TemporaryHome.Machine.folder.appending(path: "packs/\(new)"))
        let settings =
            new == "mien-default-2"
            ? Self.settings : Self.settings.merging(["MIEN_FACE_PACK": new]) { $1 }
        try await ServerProcess.run(in: home, settings: settings, credential: credential) {
            server in
            let before = try await migration(server)
            #expect(
                try before.status == 0 && before.json["pack"] as? String == new
                    && before.json["remaining"] as? Int == 1, "\(before)")
            let shown = try await migration(server, json: false)
            #expect(
                shown.out.contains("1 person remains to be migrated to \(new).")
                    && shown.out.contains(old), "\(shown)")
            #expect(try await signIn(server))
            let after = try await migration(server)
            #expect(
                try after.json["remaining"] as? Int == 0
                    && after.json["former_templates"] as? Int == 1, "\(after)")
            let none = try await migration(server, json: false)
            #expect(none.out.contains("Nobody remains"), "\(none)")
        }

        // Without the old pack, the new template decides.
        try FileManager.default.removeItem(at: home.packs.appending(path: old))
        try await ServerProcess.run(in: home, settings: settings, credential: credential) {
            server in
            let isSignedIn = try await signIn(server)
            #expect(isSignedIn)
        }
    }

    @Test(.needsFaces, .enabled(if: hasBetter, "needs both packs"))
    func `a live token code migrates the face on this device, and the token and the PIN stay`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_SERVER": server.address, "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential, "MIEN_TPM": "none:",
            ]
            func json(
                _ arguments: String..., input: String = "",
                at location: SourceLocation = #_sourceLocation
            ) async throws -> [String: Any] {
                let result = try await home.mien(
                    arguments + ["--json"], settings: settings, input: input, at: location)
                #expect(result.status == 0, "\(arguments): \(result.err)", sourceLocation: location)
                return try result.json
            }
            _ = try await json(
                "admin", "user", "create", "--username", "ada", "--password-stdin",
                input: "a password nobody has\n")
            let offer = try await json(
                "admin", "authenticator", "offer-token", "ada", "default_application", "--kind",
                "hotp")
            _ = try await json(
                "token", "provision",
                input: "\(try #require(offer["registration_code"] as? String))\n4711\n")
            let (clip, _) = try await ClipMaker(home).enrollment(
                EnrollmentSettings(
                    mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 2),
                as: "blink.mkv")
            _ = try await json(
                "face", "enroll", "ada", "--video", clip, "--mode", "passive", "--frames", "2",
                input: "9038\n")
            _ = try await json("token", "upgrade", input: "4711\n")
            _ = try await json("token", "face", "on", "--name", "ada", input: "4711\n")

            func code(_ more: String...) async throws -> MienProgram.Result {
                try await home.mien(
                    ["token", "code", "--name", "ada", "--video", clip, "--mode", "passive"]
                        + more + ["--json"], settings: settings)
            }
            func enrolled() async throws -> [String: Any] {
                try #require(try await json("face", "list")["faces"] as? [[String: Any]])[0]
            }
            try FileManager.default.createSymbolicLink(
                at: home.packs.appending(path: "mien-default-2"), withDestinationURL: Self.better)
            // A named pack is used alone.
            let alone = try await code("--pack", "mien-basic-1")
            #expect(alone.status == 0 && !alone.err.contains("from now on"), "\(alone)")
            #expect(try await enrolled()["pack"] as? String == "mien-basic-1")

            let migrated = try await code()
            #expect(
                migrated.status == 0
                    && migrated.err.contains("from now on, “ada” is recognized with mien-default-2"),
                "\(migrated)")
            let face = try await enrolled()
            #expect(
                face["pack"] as? String == "mien-default-2" && face["unlocks"] as? Bool == true)

            try FileManager.default.removeItem(at: home.packs.appending(path: "mien-basic-1"))
            let after = try await code()
            #expect(after.status == 0 && !after.err.contains("from now on"), "\(after)")
            let codes = try [alone, migrated, after].map { try $0.json["code"] as? String }
            #expect(Set(codes).count == 3, "one counter for all of them")
        }
    }
}
