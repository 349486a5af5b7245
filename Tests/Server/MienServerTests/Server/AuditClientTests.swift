import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

@Suite("The audit log and clients' addresses", .enabled(if: Installed.isThere, Installed.reason))
struct AuditClientTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func useful(_ server: TestServer, from address: String? = nil) async throws {
        try await server.makeUser()
        let connection = try await RawConnection.open(server.address)
        let headers = address.map { ["x-forwarded-for": $0] } ?? [:]
        let start = try await connection.post(
            "/v1/journeys/password-login/start", #"{"client_id": "default_application"}"#, headers)
        let body: JSONValue = [
            "state": try start.json["state"] ?? .null, "option": "password",
            "data": ["username": "ada", "password": "a wrong password"],
        ]
        #expect(
            try await connection.post("/v1/journeys/respond", JSONText.write(body), headers).status
                == 200)
    }

    @Test(
        "when enabled, entries of requests have an address, the server's own entries have none, and the log is intact"
    )
    func noted() async throws {
        try await TestServer.run(
            in: scratch, settings: ["MIEN_AUDIT_CLIENTS": "true", "MIEN_TRUST_PROXY": "true"]
        ) { server in
            try await Self.useful(server, from: "198.51.100.9, 2001:db8::7")
            let entries = try await server.admin.audit().items
            #expect(entries.first { $0.event == "user.created" }?.detail["client"] == "127.0.0.1")
            #expect(
                entries.first { $0.event == "password.refused" }?.detail["client"] == "2001:db8::7")
            for event in ["server.first-start", "signing-key.made"] {
                let entry = try #require(entries.first { $0.event == event })
                #expect(entry.detail["client"] == nil)
            }
            #expect(try await server.admin.verifyAudit().isWhole)
        }
    }

    @Test("by default, no address is in the audit log or in a log line")
    func silent() async throws {
        try await TestServer.run(in: scratch, settings: ["MIEN_TRUST_PROXY": "true"]) { server in
            try await Self.useful(server, from: "198.51.100.9")
            let entries = try await server.admin.audit().items
            #expect(
                entries.contains { $0.event == "password.refused" }
                    && entries.allSatisfy { $0.detail["client"] == nil })
            #expect(!server.logs.text.contains("198.51.100.9"))
        }
    }
}
