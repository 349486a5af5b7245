import Foundation
import Logging
import MienAPI
import MienClient
import MienCore
import MienStore
import MienTesting
import MienVault
import NIOCore
import Testing

@testable import MienServer

/// Tests of mail by administrators.
extension MailTests {
    @Test(
        .enabled(if: Installed.isThere, Installed.reason),
        arguments: ["PLAIN", "LOGIN", "XOAUTH2"])
    func `a test of mail shows the conversation, without secrets`(login: String) async throws {
        let folder = try await Peer.certificates(in: scratch), token = scratch("token")
        try Data("right-token".utf8).write(to: token)
        let password = "right password"
        let peer = try Peer(
            "relay",
            [
                "tls": "starttls",
                "certificate": .string(folder.appending(path: "localhost.pem").path),
                "key": .string(folder.appending(path: "localhost.key").path), "user": "mien",
                "password": .string(password), "token": "right-token",
                "hidden": .array(
                    ["PLAIN", "LOGIN", "XOAUTH2"].filter { $0 != login }.map { .string($0) }),
                "answers": [
                    "RCPT taken@example.org": [
                        .string(
                            "451 4.7.1 you are \(password), or \(Data(password.utf8).base64EncodedString())"
                        )
                    ]
                ],
            ])
        let settings = [
            "MIEN_MAIL_HOST": "localhost", "MIEN_MAIL_PORT": "\(try await peer.port())",
            "MIEN_MAIL_CA": folder.appending(path: "ca.pem").path,
            "MIEN_MAIL_USER": "mien", "MIEN_MAIL_PASSWORD": password,
            "MIEN_MAIL_TOKEN_FILE": login == "XOAUTH2" ? token.path : "",
            "MIEN_MAIL_FROM": "login@example.com",
        ]
        try await TestServer.run(in: scratch, settings: settings) { server in
            let sent = try await server.admin.testMail(to: "ada@example.org")
            #expect(sent.isWorking && sent.reason == nil)
            let mail = try await peer.next(with: "text")
            #expect(mail["recipients"] == ["ada@example.org"] && mail["user"] == "mien")
            for line in [
                "> STARTTLS", "> MAIL FROM:<login@example.com>", "> RCPT TO:<ada@example.org>",
                "< 354 End data with <CR><LF>.<CR><LF>", "< 250 queued", "> QUIT",
            ] {
                #expect(sent.dialog.contains(line), "\(line): \(sent.dialog)")
            }
            #expect(
                sent.dialog.contains { $0.hasPrefix("> AUTH \(login)") }
                    && sent.dialog.contains { $0.hasSuffix("‹hidden›") })
            let refused = try await server.admin.testMail(to: "taken@example.org")
            #expect(!refused.isWorking && refused.reason == "the relay replied to RCPT TO with 451")
            #expect(refused.dialog.last == "< 451 4.7.1 you are ‹hidden›, or ‹hidden›")
            for dialog in [sent.dialog, refused.dialog] {
                let text = dialog.joined(separator: "\n")
                for secret in [password, "\0mien\0\(password)", "right-token"] {
                    #expect(!text.contains(secret))
                    #expect(!text.contains(Data(secret.utf8).base64EncodedString()))
                }
            }
            for wrong in ["", "ada", "ada@example.org\r\nDATA"] {
                let bad = await #expect(throws: MienError.self) {
                    _ = try await server.admin.testMail(to: wrong)
                }
                #expect(bad?.problem?.errors?.first?.field == "address")
            }
            let entries = try await server.admin.audit(event: "connection.tested").items
            #expect(entries.map(\.detail) == [["kind": "mail"], ["kind": "mail"]])
        }
    }

    @Test(.enabled(if: Installed.isThere, Installed.reason))
    func `a test of mail says why a relay is not reached, and that there is none`() async throws {
        let peer = try Peer("liar", ["mode": "drops"]), closed = try StubService().port
        for (host, port, word) in [
            ("127.0.0.1", closed, "cannot be reached"), ("", 25, "mail.host"),
            ("localhost", try await peer.port(), nil as String?),
        ] {
            let settings = [
                "MIEN_MAIL_HOST": host, "MIEN_MAIL_PORT": "\(port)", "MIEN_MAIL_SECURITY": "none",
                "MIEN_MAIL_FROM": "login@example.com",
            ]
            try await TestServer.run(in: try ScratchFolder(), settings: settings) { server in
                guard !host.isEmpty else {
                    let none = await #expect(throws: MienError.self) {
                        _ = try await server.admin.testMail(to: "ada@example.org")
                    }
                    #expect(none?.problem?.code == .conflict)
                    return
                }
                let answer = try await server.admin.testMail(to: "ada@example.org")
                #expect(answer.dialog.first == "* \(host):\(port), mail.security: none")
                #expect(answer.isWorking == (word == nil), "\(answer)")
                if let word { #expect(answer.reason?.lowercased().contains(word) == true) }
            }
        }
    }
}
