import Foundation
import MienClient
import MienCore
import MienJourney
import MienTesting
import Testing

/// Compiles generated client code with this target, and runs it against a server.
/// `MIEN_UPDATE=1 scripts/test --filter GeneratedClientTests` writes it again.
@Suite("Generated client code", .enabled(if: Installed.isThere, Installed.reason))
struct GeneratedClientTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("the compiled code is the code that mien journey codegen generates")
    func isCurrent() throws {
        let journey = Repository.root.appending(path: "Examples/Journeys/face-login.json")
        let file = Repository.root.appending(
            path: "Tests/Server/MienServerTests/Server/Generated/FaceLoginJourney.swift")
        let code = SwiftClientCode.source(
            of: try JourneyDefinition.parse(Array(try Data(contentsOf: journey))))
        if ProcessInfo.processInfo.environment["MIEN_UPDATE"] == "1" {
            try Data(code.utf8).write(to: file)
        }
        // The formatter may break lines elsewhere.
        func words(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        #expect(try words(String(contentsOf: file, encoding: .utf8)) == words(code))
    }

    @Test("generated answers sign in with a password and with a face")
    func answers() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            let journey = try await server.client().start(FaceLoginJourney.id)
            for try await step in journey.steps {
                #expect(step.id == FaceLoginJourney.Form.stepID)
                try await step.respond(
                    with: FaceLoginJourney.Form.password(
                        username: "ada", password: Sensitive("a password nobody has")))
            }
            guard case .success(let token) = await journey.outcome() else {
                Issue.record("the password was refused")
                return
            }
            #expect(try token.use { try TokenClient.claims($0)["sub"]?.stringValue } == user.text)

            _ = try await server.registerFace()
            let face = try await server.client().start(FaceLoginJourney.id)
            for try await step in face.steps {
                switch step.id {
                case FaceLoginJourney.Selfie.stepID:
                    try await step.capture(Installed.frames(["obama2"]))
                    try await step.respond(with: FaceLoginJourney.Selfie.clientInput())
                default:
                    try await step.respond(
                        with: FaceLoginJourney.Form.face(userIdentifier: "ada"))
                }
            }
            guard case .success = await face.outcome() else {
                Issue.record("the face was refused")
                return
            }
            let words =
                "\(FaceLoginJourney.Form.password(username: "a", password: Sensitive("b c")))"
            #expect(!words.contains("b c"))
        }
    }
}
