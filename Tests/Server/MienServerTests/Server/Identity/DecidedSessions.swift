import MienCore
import MienIdentity
import MienTesting

@testable import MienServer

/// Verification sessions on a server whose documents a test decides.
enum DecidedSessions {
    /// The settings of an app that accepts photos of faces.
    static let still: [String: JSONValue] = ["accepts_still_faces": true]

    /// Runs a server that finds the simulator's person on each document.
    static func run(
        in scratch: ScratchFolder, _ verifier: DecidedVerifier = DecidedVerifier(needsFace: true),
        _ settings: [String: String] = [:],
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        verifier.set(
            DocumentFindings(
                isReadable: true, checks: IdentityChecks([.faceMatch: .passed]),
                data: try PersonalDataInput(VerifyingUser.john)))
        try await TestServer.run(
            in: scratch,
            settings: ["MIEN_IDENTITY_SOURCES": "simulator"].merging(settings) { $1 },
            documents: verifier, body)
    }

    /// Opens the session of a link.
    static func person(_ url: String, on server: TestServer) async throws -> CapturingPerson? {
        let code = url.split(separator: "#").last.map(String.init) ?? ""
        return try await server.server.parts.verifications.open(link: code).map {
            CapturingPerson(server: server, token: $0.startToken)
        }
    }
}
