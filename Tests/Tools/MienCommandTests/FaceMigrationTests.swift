import Foundation
import MienClient
import MienFace
import MienTesting
import Testing

/// `mien serve` with one model pack, and then with another.
@Suite struct FaceMigrationTests {
    private static let better = TemporaryHome.Machine.folder.appending(
        path: "packs/mien-default-2", directoryHint: .isDirectory)
    private static let hasBetter = FileManager.default.fileExists(
        atPath: better.appending(path: "manifest.json").path)
    private static let settings = [
        "MIEN_FACE_LIVENESS_MODE": "liveness_passive", "MIEN_PASSWORD_MEMORY_KIB": "8192",
        // The test shows the same frames each time.
        "MIEN_FACE_LIVENESS_REPLAY_DAYS": "0",
    ]

    @Test(
        .needsFaces,
        .enabled(
            if: hasBetter && LiveCaptureClientTests.isThere, "needs both packs, and python3"))
    func `a person enrolled live is migrated by a live sign-in, and the old pack can go`()
        async throws
    {
        let home = try TemporaryHome(), secret = "a password nobody has"
        let frames = try LiveCaptureClientTests.folder(
            "live",
            try await ClipMaker(home).frames(
                enrolling: EnrollmentSettings(
                    mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 4),
                further: 20
            ).frames, in: home)
        func capture(_ server: ServerProcess.Running, _ step: MienServiceResponse) throws {
            let token = try #require(step.startToken).use { $0 }
            let result = try LiveCaptureClientTests.run(
                [server.address, frames, "--fps", "10"], startToken: token)
            try #require(result.status == 0, "\(result.lines.suffix(2))")
        }
        func signIn(_ server: ServerProcess.Running) async throws -> Bool {
            let journey = try await JourneyClient(MienOptions(serverPath: server.address))
                .start("face-login")
            try capture(server, await journey.respond("face", ["user_identifier": "ada"]))
            try await journey.respond(.clientInput)
            if case .success = await journey.outcome() { return true }
            return false
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
            let journey = try await JourneyClient(MienOptions(serverPath: server.address))
                .start("face-registration")
            try await journey.respond(
                "password", ["username": "ada", "password": .string(secret)])
            try capture(server, await journey.respond(.clientInput))
            try await journey.respond(.clientInput)
            guard case .success = await journey.outcome() else {
                throw MienError(.serverError, "the face was not registered")
            }
        }

        // The better pack is the default as soon as it is installed.
        try FileManager.default.createSymbolicLink(
            at: home.packs.appending(path: "mien-default-2"), withDestinationURL: Self.better)
        try await ServerProcess.run(in: home, settings: Self.settings, credential: credential) {
            server in
            let before = try await migration(server)
            #expect(
                try before.status == 0 && before.json["pack"] as? String == "mien-default-2"
                    && before.json["remaining"] as? Int == 1, "\(before)")
            let shown = try await migration(server, json: false)
            #expect(
                shown.out.contains("1 person remains to be migrated to mien-default-2.")
                    && shown.out.contains("mien-basic-1"), "\(shown)")
            #expect(try await signIn(server))
            let after = try await migration(server)
            #expect(
                try after.json["remaining"] as? Int == 0
                    && after.json["former_templates"] as? Int == 1, "\(after)")
            let none = try await migration(server, json: false)
            #expect(none.out.contains("Nobody remains"), "\(none)")
        }

        // Without the old pack, the new template decides.
        try FileManager.default.removeItem(at: home.packs.appending(path: "mien-basic-1"))
        try await ServerProcess.run(in: home, settings: Self.settings, credential: credential) {
            server in
            let isSignedIn = try await signIn(server)
            #expect(isSignedIn)
        }
    }
}
