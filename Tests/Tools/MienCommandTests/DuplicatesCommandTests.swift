import Foundation
import MienClient
import MienCore
import MienTesting
import Testing

@testable import mien

/// `mien admin faces duplicates` against a server.
@Suite struct DuplicatesCommandTests {
    private static let password = "a password nobody has"

    /// Registers a user's face with a photo.
    private static func register(_ name: String, _ photo: [UInt8], at address: String) async throws
    {
        let client = try JourneyClient(
            MienOptions(serverPath: address, applicationId: "default_application"))
        let journey = try await client.start("face-registration")
        for try await step in journey.steps {
            switch step.id {
            case .loginForm:
                try await step.respond(
                    "password", ["username": .string(name), "password": .string(password)])
            case .identityVerification, .selfieAcquisition:
                try await step.capture(
                    AsyncStream<CaptureFrame> { stream in
                        stream.yield(CaptureFrame(photo, .jpeg))
                        stream.finish()
                    })
                try await step.respond(.clientInput)
            default: try await step.respond(.clientInput)
            }
        }
        guard case .success = await journey.outcome() else {
            Issue.record("\(name) was not registered")
            return
        }
    }

    @Test(.needsFaces) func `cases are listed, shown, and decided, and unknown ones are refused`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ]
            func mien(_ arguments: String..., input: String = "") async throws
                -> MienProgram.Result
            {
                try await home.mien(
                    ["admin"] + arguments, settings: settings, input: input)
            }
            func duplicates(_ arguments: String...) async throws -> MienProgram.Result {
                try await home.mien(
                    ["admin", "faces", "duplicates"] + arguments, settings: settings)
            }
            #expect(try await duplicates("list").out == "No case waits for a decision.\n")
            let set = try await mien(
                "app", "set", "default_application", "--setting", "liveness.mode=image",
                "--setting", "duplicate_faces.min_score=48")
            #expect(set.status == 0, "\(set)")
            for (name, photo) in [("ada", "obama"), ("eve", "obama2")] {
                let made = try await mien(
                    "user", "create", "--username", name, "--password-stdin",
                    input: Self.password + "\n")
                #expect(made.status == 0, "\(made)")
                let bytes = try Data(contentsOf: URL(filePath: home.photo(photo)))
                try await Self.register(name, [UInt8](bytes), at: server.address)
            }
            // The search runs behind the responses.
            let listed = try await Patience.see {
                try await duplicates("list", "--json")
            } until: {
                try ($0.json["cases"] as? [Any])?.isEmpty == false
            }
            let cases = try #require(try listed.json["cases"] as? [[String: Any]])
            let id = try #require(cases.first?["id"] as? String)
            #expect(cases.count == 1 && id.hasPrefix("dup_"))
            let table = try await duplicates("list").out
            #expect(table.hasPrefix("case") && table.contains(id), "\(table)")

            let shown = try await duplicates("show", id)
            #expect(
                shown.status == 0 && shown.out.contains("strangers look as much alike")
                    && shown.out.components(separatedBy: "identity verified").count == 3,
                "\(shown)")
            let wrong = try await duplicates("decide", id, "twins")
            #expect(
                wrong.status != 0 && wrong.err.contains("distinct or duplicate"), "\(wrong)")
            let unknown = try await duplicates("show", "dup_0c9JkYH2dTq4m8wXzR1aBg", "--json")
            #expect(try unknown.status != 0 && unknown.error.code == "server.not-found")

            let decided = try await duplicates("decide", id, "duplicate")
            #expect(decided.out == "Decided: duplicate.\n", "\(decided)")
            #expect(try await duplicates("list").out == "No case waits for a decision.\n")
            let again = try await duplicates("decide", id, "distinct")
            #expect(again.status != 0, "a decision is final")
        }
    }
}
