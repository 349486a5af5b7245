import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Refusals that require no credential.
extension HostileTests {
    @Test("a stranger fills the audit log with refusals")
    func fillingTheAuditLog() async throws {
        let server = try await ServeProcess.start(
            in: scratch,
            ["MIEN_LIMIT_GUESSES_PER_MINUTE": "10000", "MIEN_LIMIT_STARTS_PER_MINUTE": "10000"])
        let admin = try server.admin(try #require(server.credential))
        let user = try await admin.createUser(
            UserRequest(
                username: "ada", email: "ada@example.org", password: "a password nobody has"))
        let before = try await admin.audit().items.count
        let rounds = 60
        try await withThrowingTaskGroup { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    let connection = try await RawConnection.open(server.address)
                    for round in 0..<(rounds / 4) {
                        // A password, a code, a passkey, and a device key of unknown users.
                        _ = try await Self.answer(
                            "password-login", "password",
                            #"{"username": "nobody\#(round)", "password": "wrong"}"#, connection)
                        _ = try await Self.answer(
                            "recovery-email", "email_code",
                            #"{"user_identifier": "nobody\#(round)"}"#, connection)
                        let passkey =
                            #"{"client_id": "default_application", "credential": {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": {"clientDataJSON": "e30", "authenticatorData": "AAAA", "signature": "AAAA"}}}"#
                        _ = try await connection.post("/v1/webauthn/login", passkey)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        // A locked user's password: after five guesses, no more are evaluated.
        let connection = try await RawConnection.open(server.address)
        for _ in 0..<20 {
            _ = try await Self.answer(
                "password-login", "password", #"{"username": "ada", "password": "wrong"}"#,
                connection)
        }
        let entries = try await admin.audit().items.dropFirst(before)
        #expect(entries.count < 20, "\(entries.map(\.event))")
        func count(_ event: String, of user: String?) -> Double {
            entries.filter { $0.event == event && $0.userID == user }.reduce(0) {
                $0 + ($1.detail["count"]?.numberValue ?? 1)
            }
        }
        // Nothing is lost: the entries contain the counts.
        #expect(
            count("password.refused", of: nil) == Double(rounds)
                && count("code.not-sent", of: nil) == Double(rounds))
        #expect(count("password.refused", of: user.id) == 20)
        #expect(try await admin.verifyAudit().isWhole)
        #expect(await server.stop() == 0)
    }

    @Test("a stranger who is refused just before the server is killed leaves no trace")
    func killedAfterRefusals() async throws {
        let server = try await ServeProcess.start(in: scratch),
            credential = try #require(server.credential)
        let connection = try await RawConnection.open(server.address)
        for _ in 0..<5 {
            _ = try await Self.answer(
                "password-login", "password", #"{"username": "nobody", "password": "wrong"}"#,
                connection)
        }
        server.signal(SIGKILL)
        await server.ended()
        let again = try await ServeProcess.start(in: scratch), admin = try again.admin(credential)
        let refused = try await admin.audit().items.filter { $0.event == "password.refused" }
        #expect(refused.count == 1 && refused.first?.detail["count"] == 5)
        #expect(try await admin.verifyAudit().isWhole)
        #expect(await again.stop() == 0)
    }

    private static func answer(
        _ journey: String, _ option: String, _ data: String, _ connection: RawConnection
    ) async throws -> RawAnswer {
        let start = try await connection.post(
            "/v1/journeys/\(journey)/start", #"{"client_id": "default_application"}"#)
        let state = try #require(try start.json["state"]?.stringValue, "\(start.status)")
        return try await connection.post(
            "/v1/journeys/respond",
            #"{"state": "\#(state)", "option": "\#(option)", "data": \#(data)}"#)
    }
}
