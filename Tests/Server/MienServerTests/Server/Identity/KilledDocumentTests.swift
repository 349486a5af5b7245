import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Kills a real server that judges documents in the background.
@Suite("Documents of a killed server", .enabled(if: Installed.isThere, Installed.reason))
struct KilledDocumentTests {
    private static let kills = 4
    private static let settings = [
        "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID",
        "MIEN_IDENTITY_DOCUMENTS": "driverLicense", "MIEN_IDENTITY_FACE_IMAGE": "false",
        // Every document is answered as pending, and judged afterwards.
        "MIEN_IDENTITY_DOCUMENT_WAIT_SECONDS": "0",
    ]

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("an attempt that was counted gets one judgment, whenever the server is killed")
    func killed() async throws {
        var holder = DrawnDocument.john()
        holder.number = "S530460752280"
        let front = DrawnDocument.photo(try DrawnDocument.specimen(.license, holder)),
            back = DrawnDocument.photo(try DrawnDocument.specimen(.licenseBack, holder))
        var generator = TestSeed.generator(63)
        var server = try await AttackedServer.start(in: scratch, Self.settings)
        let credential = server.credential
        var interrupted = 0
        for number in 0..<Self.kills {
            let id = try await server.makeUser("user\(number)")
            let access = try await server.signIn("user\(number)")["access_token"]
            let user = VerifyingUser(server: server, access: try #require(access))
            try await user.consent()
            let running = server
            let life = Duration.milliseconds(Int.random(in: 0...700, using: &generator))
            let sending = Task {
                try await user.document(
                    "/captured-document", ["image": front, "backImage": back])
            }
            // Some are killed while the pictures arrive, most while they are judged.
            if number > 0 { _ = await sending.result }
            try await Task.sleep(for: life)
            running.process.signal(SIGKILL)
            #expect(await running.process.ended() == -SIGKILL)
            let answer = try? await sending.value
            server = try await AttackedServer.start(
                in: scratch, Self.settings, credential: credential)
            let again = VerifyingUser(server: server, access: user.access)
            var state = try await again.send(.get).body
            if state["documentVerificationStatus"] == "pending" { interrupted += 1 }
            for _ in 0..<600 where state["documentVerificationStatus"] == "pending" {
                try await Task.sleep(for: .milliseconds(100))
                state = try await again.send(.get).body
            }
            let status = state["documentVerificationStatus"]
            if answer?.status == 200 || status != "notAttempted" {
                #expect(
                    status == "succeeded" && state["verified"] == true, "\(number): \(state)")
            }
            let events = try await server.admin.audit(user: id).items.map(\.event)
            let attempts = events.filter { $0 == "identity.attempted" }.count
            #expect(attempts <= 1 && (answer?.status != 200 || attempts == 1))
            #expect(events.filter { $0 == "identity.judged" }.count == attempts)
        }
        #expect(interrupted > 0, "a kill interrupted a judgment")
        #expect(await server.process.stop() == 0)
    }
}
