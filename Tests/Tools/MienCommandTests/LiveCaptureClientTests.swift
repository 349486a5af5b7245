import Foundation
import MienClient
import MienFace
import MienMedia
import MienTesting
import Testing

/// Examples/LiveCapture/live_capture.py, the reference for clients in other languages.
@Suite struct LiveCaptureClientTests {
    private static let python = "/usr/bin/python3"
    static let isThere = FileManager.default.isExecutableFile(atPath: python)
    private static let client = Repository.root.appending(
        path: "Examples/LiveCapture/live_capture.py")

    struct Result {
        let status: Int32
        let lines: [String]
    }

    static func run(_ arguments: [String], startToken: String? = nil) async throws -> Result {
        let ended = try await ProgramRun.run(
            URL(filePath: python), ["-B", client.path] + arguments,
            environment: startToken.map { ["START_TOKEN": $0] } ?? [:])
        return Result(
            status: ended.status,
            lines: (ended.out + ended.err).split(separator: "\n").map(String.init))
    }

    @Test(.enabled(if: isThere, "needs python3"))
    func `the client has at most 150 lines and computes the published vectors`() async throws {
        let text = try String(contentsOf: Self.client, encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
        let vectors = Repository.root.appending(path: "docs/live-capture.vectors.json")
        let good = try await Self.run(["--vectors", vectors.path])
        #expect(good.status == 0, "\(good.lines)")
        let home = try TemporaryHome(hasPack: false)
        let changed = try String(contentsOf: vectors, encoding: .utf8).replacing(
            "\"milliseconds\": 258", with: "\"milliseconds\": 259")
        let bad = try await Self.run(["--vectors", home.write(changed.utf8, as: "changed.json")])
        #expect(bad.status == 2 && bad.lines.last?.contains("link of frame 2") == true)
    }

    @Test(
        .needsFaces, .enabled(if: isThere, "needs python3"), arguments: TemporaryHome.packs)
    func
        `a live face passes and registers, a still picture does not, and a wrong token is refused`(
            pack: String
        ) async throws
    {
        let home = try TemporaryHome(pack: pack)
        let pictures = try await ClipMaker(home).frames(
            enrolling: EnrollmentSettings(
                mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 4), further: 20
        ).frames
        let live = try Self.folder("live", pictures, in: home),
            still = try Self.folder("still", Array(repeating: pictures[0], count: 60), in: home)
        let settings = [
            "MIEN_FACE_LIVENESS_MODE": "liveness_passive", "MIEN_PASSWORD_MEMORY_KIB": "8192",
            "MIEN_FACE_LIVENESS_TIMEOUT_SECONDS": "60",
        ]
        try await ServerProcess.run(in: home, settings: settings) { server in
            let made = try await home.mien(
                [
                    "admin", "user", "create", "--username", "ada", "--password-stdin", "--server",
                    server.adminAddress,
                ], settings: ["MIEN_ADMIN_CREDENTIAL": server.credential],
                input: "a password nobody has\n")
            try #require(made.status == 0, "\(made.err)")
            for (frames, isLive) in [(still, false), (live, true)] {
                let journey = try await JourneyClient(MienOptions(serverPath: server.address))
                    .start("face-registration")
                try await journey.respond(
                    "password", ["username": "ada", "password": "a password nobody has"])
                let step = try await journey.respond(.clientInput)
                let token = try #require(step.startToken).use { $0 }
                let result = try await Self.run(
                    [server.address, frames, "--fps", "10"], startToken: token)
                #expect(result.status == (isLive ? 0 : 1), "\(result.lines.suffix(2))")
                #expect(
                    result.lines.last?.contains("\"status\": \"passed\"") == isLive,
                    "\(result.lines.suffix(2))")
                guard isLive else { continue }
                try await journey.respond(.clientInput)
                guard case .success = await journey.outcome() else {
                    Issue.record("the face was not registered")
                    continue
                }
            }
            let denied = try await Self.run([server.address, live], startToken: "cap_wrong.token")
            #expect(
                denied.status == 2 && denied.lines.last?.contains("invalid_credentials") == true,
                "\(denied.lines)")
        }
    }

    /// Writes pictures that the client sends in this order.
    static func folder(_ name: String, _ pictures: [RGBImage], in home: TemporaryHome) throws
        -> String
    {
        let folder = home.files.appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (number, picture) in pictures.enumerated() {
            let digits = String(1000 + number)
            try Data(JPEGEncoder.encode(picture, quality: 92)).write(
                to: folder.appending(path: "\(digits).jpg"))
        }
        return folder.path
    }
}
