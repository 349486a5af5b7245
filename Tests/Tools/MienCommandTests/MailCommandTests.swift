import MienTesting
import Testing

/// `mien admin mail` against a server.
@Suite struct MailCommandTests {
    @Test(.needsPack)
    func `a test shows the conversation, and its exit code says whether it was accepted`()
        async throws
    {
        let home = try TemporaryHome(), relay = try StubRelay()
        let mail = [
            "MIEN_MAIL_HOST": "127.0.0.1", "MIEN_MAIL_PORT": "\(relay.port)",
            "MIEN_MAIL_SECURITY": "none", "MIEN_MAIL_FROM": "login@example.com",
        ]
        try await ServerProcess.run(in: home, settings: mail) { server in
            let settings = [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ]
            func test(_ arguments: String...) async throws -> MienProgram.Result {
                try await home.mien(["admin", "mail", "test"] + arguments, settings: settings)
            }
            let sent = try await test("ada@example.org")
            #expect(sent.status == 0, "\(sent)")
            #expect(sent.out.hasPrefix("* 127.0.0.1:\(relay.port), mail.security: none\n"))
            for line in [
                "< 220 relay.example.org", "> MAIL FROM:<login@example.com>",
                "> RCPT TO:<ada@example.org>", "< 250 queued", "> QUIT",
            ] {
                #expect(sent.out.contains("\n\(line)"), "\(line): \(sent)")
            }
            #expect(sent.out.hasSuffix("\nWorking: the relay accepted the test.\n"))

            let refused = try await test("taken@example.org")
            #expect(refused.status == 1, "\(refused)")
            #expect(
                refused.out.hasSuffix(
                    "\n< 550 no such mailbox\nNot working: the relay replied to RCPT TO with 550.\n"
                ), "\(refused)")
            let json = try await test("taken@example.org", "--json")
            #expect(
                try json.status == 1 && json.json["is_working"] as? Bool == false
                    && (json.json["dialog"] as? [String])?.last == "< 550 no such mailbox",
                "\(json)")
            let wrong = try await test("ada", "--json")
            #expect(
                try wrong.status == 2 && wrong.error.code == "server.invalid-request"
                    && wrong.err.contains("address"), "\(wrong)")
        }
    }

    @Test(.needsPack)
    func `without a relay, a test says what is missing and how to set it`() async throws {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            func test(_ arguments: String...) async throws -> MienProgram.Result {
                try await home.mien(
                    ["admin", "mail", "test", "ada@example.org"] + arguments,
                    settings: [
                        "MIEN_ADMIN_SERVER": server.adminAddress,
                        "MIEN_ADMIN_CREDENTIAL": server.credential,
                    ])
            }
            let refused = try await test()
            #expect(refused.status == 2 && refused.out.isEmpty, "\(refused)")
            for words in [
                "no mail relay", "mail.host", "MIEN_MAIL_HOST", "mail.from", "MIEN_MAIL_FROM",
                "restart the server",
            ] { #expect(refused.err.contains(words), "\(words): \(refused)") }
            let json = try await test("--json")
            #expect(try json.status == 2 && json.error.code == "server.conflict", "\(json)")
        }
    }
}
