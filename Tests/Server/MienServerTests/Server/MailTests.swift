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

@Suite(
    "Mail through a real relay", .enabled(if: Peer.isThere, Peer.reason), .serialized,
    .timeLimit(.minutes(15)))
struct MailTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    static let mail = Mail(
        to: Sensitive("ada@example.org"), subject: "Your code", body: Sensitive("It is 1234"))

    func relay(
        _ port: Int, _ security: MailRelay.Security = .none, host: String = "localhost",
        user: String? = nil, password: String = "", token: String? = nil, name: String = "",
        ownName: String? = nil, from: String = "mien@example.com",
        ca: String? = nil, patience: TimeAmount = .minutes(2)
    ) throws -> SMTPClient {
        try SMTPClient(
            relay: MailRelay(
                host: host, port: port, security: security,
                login: user.map {
                    MailRelay.Login(
                        user: $0,
                        secret: token.map { .tokenFile($0) } ?? .password(Sensitive(password)))
                },
                from: #require(MailAddress(from)), fromName: name, ownName: ownName,
                authorities: ca, patience: patience))
    }

    func failure(_ client: SMTPClient, _ mail: Mail = mail) async -> SMTPError? {
        do { try await client.send(mail) } catch { return error as? SMTPError }
        return nil
    }

    // MARK: Message content

    @Test(
        "text arrives unchanged: any script, long lines, single-dot lines, and multi-line relay replies",
        arguments: [false, true])
    func arrives(lines: Bool) async throws {
        let peer = try Peer("relay", ["lines": .bool(lines)])
        let text = """
            .
            ..leading dots
            Ваш код — 1234. 你的代码。 👩🏽‍🚀 =3D trailing space\u{20}

            \(String(repeating: "a word and another ", count: 80))
            From the start
            """
        let subject = "Ihr Code für „Größe“ — " + String(repeating: "наибольшее ", count: 12)
        try await relay(peer.port()).send(
            Mail(to: Sensitive("ada@example.org"), subject: subject, body: Sensitive(text)))
        let mail = try await peer.next(with: "text")
        #expect(
            mail["text"]?.stringValue?.replacing("\r\n", with: "\n").trimmingCharacters(
                in: .newlines) == text.trimmingCharacters(in: .newlines))
        #expect(
            mail["headers"]?["subject"]?.stringValue?.trimmingCharacters(in: .whitespaces)
                == subject.trimmingCharacters(in: .whitespaces))
        #expect(
            mail["headers"]?["from"] == "mien@example.com"
                && mail["headers"]?["to"] == "ada@example.org")
        #expect(mail["headers"]?["message-id"]?.stringValue?.hasSuffix("@example.com>") == true)
        #expect(mail["sender"] == "mien@example.com" && mail["recipients"] == ["ada@example.org"])
        #expect(mail["defects"] == [] && mail["ascii"] == true && mail["bare"] == false)
        #expect(try #require(mail["longest"]?.numberValue) <= 76)
    }

    @Test(
        "an address or subject cannot break out of its header",
        arguments: ["\r\n", "\n", "\r", "\u{0}", "\u{85}", "\u{2028}"])
    func injection(end: String) async throws {
        let peer = try Peer("relay"), client = try relay(try await peer.port())
        for address in [
            "ada@example.org\(end)Bcc: eve@example.org",
            "ada@example.org>\(end)RCPT TO:<eve@example.org", "ada\(end)@example.org",
        ] {
            await #expect(throws: MailError.address) {
                try await client.send(
                    Mail(to: Sensitive(address), subject: "", body: Sensitive("")))
            }
        }
        try await client.send(
            Mail(
                to: Sensitive("ada@example.org"), subject: "a\(end)Bcc: eve@example.org",
                body: Sensitive("b")))
        let mail = try await peer.next(with: "text")
        #expect(
            mail["recipients"] == ["ada@example.org"] && mail["headers"]?["bcc"] == nil
                && mail["defects"] == [])
        #expect(mail["headers"]?["subject"]?.stringValue?.contains("Bcc: eve@example.org") == true)
    }

    @Test(
        "only plain addresses are valid",
        arguments: [
            "", "ada", "@example.org", "ada@", "a b@example.org", "ada@example.org ",
            "<ada@example.org>", "ada@exa>mple.org", "\"a\"@example.org",
            "ada@@example.org", ".ada@example.org", "ada@example..org", "ada,eve@example.org",
            "ada\u{202e}@example.org",
        ])
    func notAddresses(text: String) { #expect(MailAddress(text) == nil) }

    @Test(
        "a non-ASCII address is sent only to a relay that supports it")
    func otherLetters() async throws {
        let mail = Mail(to: Sensitive("Дмитрий@пример.рф"), subject: "s", body: Sensitive("b"))
        let able = try Peer("relay"), unable = try Peer("relay", ["utf8": false])
        try await relay(able.port()).send(mail)
        let seen = try await able.next(with: "text")
        #expect(seen["recipients"] == ["Дмитрий@пример.рф"] && seen["options"] == ["SMTPUTF8"])
        #expect(
            await failure(try relay(try await unable.port()), mail)
                == SMTPError(.asciiOnly, at: .recipient))
    }

    @Test func `a sender that the relay does not support is no verdict on the email`() async throws
    {
        let peer = try Peer("relay", ["utf8": false]), port = try await peer.port()
        for address in ["ada@example.org", "Дмитрий@пример.рф"] {
            let mail = Mail(to: Sensitive(address), subject: "s", body: Sensitive("b"))
            let error = await failure(try relay(port, from: "größe@example.com"), mail)
            #expect(error == SMTPError(.asciiOnly, at: .sender) && error?.isPermanent == false)
            #expect(error?.description.contains("mail.from is not ASCII") == true)
        }
        #expect(SMTPError(.asciiOnly, at: .recipient).isPermanent)
    }

    // MARK: Relay authentication

    @Test(
        "mail is encrypted and sent only to the relay that the authority certifies",
        arguments: [MailRelay.Security.starttls, .tls])
    func encrypted(security: MailRelay.Security) async throws {
        let folder = try await Peer.certificates(in: scratch),
            ca = folder.appending(path: "ca.pem").path
        for (certificate, host, authorities, isTrusted) in [
            ("localhost", "localhost", ca, true), ("localhost", "127.0.0.1", ca, true),
            ("localhost", "localhost", nil, false),
            ("elsewhere", "localhost", ca, false), ("elsewhere", "127.0.0.1", ca, false),
            ("expired", "localhost", ca, false),
        ] {
            let peer = try Peer(
                "relay",
                [
                    "tls": .string(security.rawValue),
                    "certificate": .string(folder.appending(path: "\(certificate).pem").path),
                    "key": .string(folder.appending(path: "\(certificate).key").path),
                    "user": "mien", "password": "pass wörd",
                ])
            let client = try relay(
                try await peer.port(), security, host: host, user: "mien", password: "pass wörd",
                ca: authorities)
            if isTrusted {
                try await client.send(Self.mail)
                let mail = try await peer.next(with: "text")
                #expect(mail["encrypted"] == .bool(true) && mail["user"] == "mien")
            } else {
                await #expect(throws: (any Error).self, "\(certificate) at \(host)") {
                    try await client.send(Self.mail)
                }
                #expect(
                    peer.all.allSatisfy { $0["text"] == nil && $0["refused"] == nil },
                    "neither mail nor password was sent")
            }
        }
    }

    @Test(
        "a wrong password or a relay without encryption ends the connection before the email is sent"
    )
    func refusedLogin() async throws {
        let folder = try await Peer.certificates(in: scratch),
            ca = folder.appending(path: "ca.pem").path
        let peer = try Peer(
            "relay",
            [
                "tls": "starttls",
                "certificate": .string(folder.appending(path: "localhost.pem").path),
                "key": .string(folder.appending(path: "localhost.key").path), "user": "mien",
                "password": "right",
            ])
        let port = try await peer.port()
        #expect(
            await failure(try relay(port, .starttls, user: "mien", password: "wrong", ca: ca))
                == SMTPError(.refused(535), at: .login))
        #expect(
            await failure(try relay(port, .starttls, ca: ca))?.stage == .sender,
            "the relay wants a login")
        let plain = try Peer("relay")
        #expect(
            await failure(try relay(try await plain.port(), .starttls, ca: ca))
                == SMTPError(.refused(454), at: .encryption))
        #expect((peer.all + plain.all).allSatisfy { $0["text"] == nil })
    }

    @Test(arguments: [[], ["PLAIN"], ["LOGIN"], ["PLAIN", "LOGIN"]])
    func `a login uses a mechanism that the relay offers, or names those that it does`(
        hidden: [String]
    ) async throws {
        let peer = try Peer(
            "relay",
            [
                "user": "mien", "password": "pass wörd",
                "hidden": .array(hidden.map { .string($0) }),
            ])
        let client = try relay(try await peer.port(), user: "mien", password: "pass wörd")
        if hidden.count < 2 {
            try await client.send(Self.mail)
            #expect(try await peer.next(with: "text")["user"] == "mien")
        } else {
            // Nothing else is offered, so PLAIN is tried, and refused.
            #expect(await failure(client)?.isPermanent == false)
        }
    }

    @Test func `a relay that asks for the words of PLAIN again gets them`() async throws {
        let peer = try Peer("liar", ["mode": "asks"])
        try await relay(try await peer.port(), user: "mien", password: "pass wörd").send(Self.mail)
        let words = try await peer.next(with: "words")["words"]?.stringValue
        #expect(words == Data("\0mien\0pass wörd".utf8).base64EncodedString())
        #expect(try await peer.next(with: "mail")["mail"] == true)
    }

    @Test func `a token replaces the password, and is read again for each login`() async throws {
        let peer = try Peer(
            "relay",
            [
                "user": "mien", "password": "none", "token": "ya29.right",
                "hidden": ["PLAIN", "LOGIN"],
            ])
        let file = scratch("token")
        let lines = Locked<[String]>([])
        try Data("ya29.expired\n".utf8).write(to: file)
        let port = try await peer.port()
        let client = try relay(port, user: "mien", token: file.path)
        await #expect(throws: SMTPError(.refused(535), at: .login)) {
            try await client.send(Self.mail, id: "dlv_1") { line in
                lines.withLock { $0.append(line) }
            }
        }
        let shown = lines.withLock { $0 }
        #expect(shown.contains("> AUTH XOAUTH2 ‹hidden›") && shown.contains("< 334"), "\(shown)")
        #expect(!shown.joined().contains(Data("ya29".utf8).base64EncodedString().prefix(4)))
        try Data("ya29.right\n".utf8).write(to: file)
        try await client.send(Self.mail)
        #expect(try await peer.next(with: "text")["user"] == "mien")
        try Data().write(to: file)
        #expect(await failure(client) == SMTPError(.noToken, at: .login))
        let password = try relay(port, user: "mien", password: "none")
        #expect(
            await failure(password)
                == SMTPError(.noLogin(offered: ["XOAUTH2"], usesToken: false), at: .login))
    }

    @Test func `an international domain is sent as A-labels to a relay without SMTPUTF8`()
        async throws
    {
        let peer = try Peer("relay", ["utf8": false])
        try await relay(try await peer.port(), from: "mien@Größe.example").send(
            Mail(to: Sensitive("ada@bücher.example"), subject: "s", body: Sensitive("b")))
        let seen = try await peer.next(with: "text")
        #expect(seen["recipients"] == ["ada@xn--bcher-kva.example"] && seen["options"] == [])
        #expect(seen["sender"] == "mien@xn--gre-6ka8i.example" && seen["ascii"] == true)
        #expect(seen["headers"]?["to"] == "ada@xn--bcher-kva.example")
    }

    @Test(arguments: [
        "Mien", "Größe, Inc.", "A \"b\" \\ <c>", String(repeating: "long name ", count: 19),
    ])
    func `the sender has a display name, and this server a name of its own`(name: String)
        async throws
    {
        let peer = try Peer("relay")
        try await relay(try await peer.port(), name: name, ownName: "id.example.com").send(
            Self.mail)
        let seen = try await peer.next(with: "text"), from = seen["headers"]?["from"]?.stringValue
        #expect(from?.hasSuffix("<mien@example.com>") == true)
        // Python leaves the space between encoded words in names, which RFC 2047 §6.2 removes.
        let shown = from?.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
            .replacing("  ", with: " ")
        #expect(shown?.contains(name.trimmingCharacters(in: .whitespaces)) == true, "\(from ?? "")")
        #expect(seen["hello"] == "id.example.com" && seen["defects"] == [])
    }

    // MARK: Faulty relays

    @Test(
        "a relay that falls silent, replies endlessly, or sends malformed replies is disconnected",
        arguments: [
            ("silent", SMTPError(.silent, at: .greeting)),
            ("stops", SMTPError(.silent, at: .hello)),
            ("chatty", SMTPError(.notUnderstood, at: .greeting)),
            ("nonsense", SMTPError(.notUnderstood, at: .greeting)),
        ])
    func misbehaving(mode: String, error: SMTPError) async throws {
        let peer = try Peer("liar", ["mode": .string(mode)])
        // The silent ones are waited for until the patience ends; the second of them greets first.
        let patience: TimeAmount = mode == "silent" ? .seconds(3) : .seconds(6)
        #expect(await failure(try relay(try await peer.port(), patience: patience)) == error)
    }

    @Test(
        "an email that the relay has accepted counts as sent, however the connection ends",
        arguments: ["drops", "late"])
    func farewell(mode: String) async throws {
        let peer = try Peer("liar", ["mode": .string(mode)])
        try await relay(try await peer.port()).send(Self.mail)
        #expect(try await peer.next(with: "mail")["mail"] == true)
    }

    @Test(
        "unencrypted bytes after STARTTLS are never read as the relay's replies",
        arguments: ["injects", "injects-apart"])
    func injectedReply(mode: String) async throws {
        let ca = try await Peer.certificates(in: scratch).appending(path: "ca.pem").path
        let peer = try Peer("liar", ["mode": .string(mode)])
        let client = try relay(
            try await peer.port(), .starttls, user: "mien", password: "secret", ca: ca)
        if mode == "injects" {
            #expect(await failure(client) == SMTPError(.spokeTooSoon, at: .encryption))
        } else {
            await #expect(throws: (any Error).self) { try await client.send(Self.mail) }
        }
        #expect(try await peer.next(with: "then")["then"] != "text")
        #expect(!peer.all.contains { $0["heard"] == "AUTH" })
    }

    // MARK: Retries

    func deliver(
        _ settings: [String: String], _ mails: [Mail],
        _ check: (LogLines, PrometheusRegistry) async throws -> Void
    ) async throws {
        let standard = [
            "MIEN_MAIL_HOST": "localhost", "MIEN_MAIL_SECURITY": "none",
            "MIEN_MAIL_FROM": "mien@example.com",
        ]
        let configuration = try ServerConfiguration(
            environment: standard.merging(settings) { $1 }, home: scratch.url)
        let logs = LogLines(), registry = PrometheusRegistry()
        let driver = try SQLiteDriver(path: scratch("mail.sqlite").path)
        let store = try await Store(
            driver, keys: StoreKeys(MasterKey(bytes: Array(1...32))))
        let service = try MailService(
            store: store, configuration: configuration, clock: .system, logger: logs.logger,
            metrics: Metrics(registry))
        try await store.write { tables in
            for mail in mails { try service.post(mail, in: tables, at: ServerClock.system.now) }
        }
        let running = Task { try await service.run() }
        try await check(logs, registry)
        running.cancel()
        try await running.value
    }

    static func counted(_ registry: PrometheusRegistry, _ line: String) async throws {
        while !registry.text.contains(line) { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test(
        "a temporary failure is retried until the relay accepts the email once; other emails do not wait"
    )
    func temporary() async throws {
        let peer = try Peer(
            "relay",
            ["answers": ["RCPT ada@example.org": ["451 4.7.1 later, ada@example.org", "450 busy"]]])
        let others = Mail(to: Sensitive("bea@example.org"), subject: "Other", body: Sensitive("b"))
        let port = try await peer.port()
        try await deliver(["MIEN_MAIL_PORT": "\(port)"], [Self.mail, Self.mail, others]) {
            logs, registry in
            try await Self.counted(registry, "mien_mails_total{result=\"sent\"} 3")
            let seen = peer.all.filter { $0["text"] != nil || $0["refused"] != nil }
            #expect(
                seen.count { $0["refused"] != nil } == 2 && seen.count { $0["text"] != nil } == 3)
            #expect(
                seen.first { $0["text"] != nil }?["recipients"] == ["bea@example.org"],
                "did not wait")
            #expect(
                logs.text.contains("the relay replied to RCPT TO with 451")
                    && !logs.text.contains("ada@"), "\(logs.text)")
        }
    }

    @Test(arguments: ["AUTH", "MAIL"])
    func `a refused login or sender says nothing about the email, which is retried`(stage: String)
        async throws
    {
        let peer = try Peer(
            "relay",
            [
                "user": "mien", "password": "right",
                "answers": [stage: ["535 5.7.8 no", "535 5.7.8 no"]],
            ])
        let port = try await peer.port()
        try await deliver(
            [
                "MIEN_MAIL_PORT": "\(port)", "MIEN_MAIL_USER": "mien",
                "MIEN_MAIL_PASSWORD": "right",
            ], [Self.mail]
        ) { logs, registry in
            try await Self.counted(registry, "mien_mails_total{result=\"sent\"} 1")
            #expect(logs.text.contains("with 535") && !logs.text.contains("failed\"} 1"))
        }
    }

    @Test func `only a reply about the recipient or the message is a verdict on the email`() {
        for stage in [
            SMTPError.Stage.greeting, .hello, .encryption, .login, .sender, .recipient, .message,
        ] {
            for code in [421, 450, 451, 500, 503, 521, 530, 535, 550, 554] {
                let isVerdict =
                    [.recipient, .message].contains(stage) && [500, 550, 554].contains(code)
                #expect(SMTPError(.refused(code), at: stage).isPermanent == isVerdict)
            }
        }
    }

    @Test("a permanent failure is not retried, and is logged without the address")
    func permanent() async throws {
        let peer = try Peer(
            "relay",
            [
                "answers": [
                    "RCPT ada@example.org": ["550 5.1.1 no ada@example.org here"],
                    "DATA": ["554 no"],
                ]
            ])
        let port = try await peer.port()
        try await deliver(["MIEN_MAIL_PORT": "\(port)"], [Self.mail, Self.mail]) { logs, registry in
            try await Self.counted(registry, "mien_mails_total{result=\"failed\"} 2")
            #expect(
                peer.all.count { $0["refused"] != nil } == 2
                    && !peer.all.contains { $0["text"] != nil })
            #expect(
                logs.text.contains("RCPT TO with 550") && logs.text.contains("DATA with 554")
                    && !logs.text.contains("ada@"))
        }
    }

    // MARK: Journey

    @Test(
        "a mailed code signs its recipient in: start, mail, code, token",
        .enabled(if: Installed.isThere, Installed.reason))
    func journey() async throws {
        let folder = try await Peer.certificates(in: scratch)
        let peer = try Peer(
            "relay",
            [
                "tls": "starttls",
                "certificate": .string(folder.appending(path: "localhost.pem").path),
                "key": .string(folder.appending(path: "localhost.key").path), "user": "mien",
                "password": "right",
            ])
        let settings = [
            "MIEN_MAIL_HOST": "localhost", "MIEN_MAIL_PORT": "\(try await peer.port())",
            "MIEN_MAIL_CA": folder.appending(path: "ca.pem").path,
            "MIEN_MAIL_USER": "mien", "MIEN_MAIL_PASSWORD": "right",
            "MIEN_MAIL_FROM": "login@example.com",
            // Without a hold, the journey completes immediately.
            "MIEN_RECOVERY_HOLD_HOURS": "0",
        ]
        try await TestServer.run(in: scratch, settings: settings) { server in
            try await server.makeUser()
            let journey = try await server.client().start("recovery-email")
            try await journey.respond("email_code", ["user_identifier": "ada"])
            let mail = try await peer.next(with: "text")
            #expect(
                mail["recipients"] == ["ada@example.org"] && mail["encrypted"] == true
                    && mail["user"] == "mien")
            let text = try #require(mail["text"]?.stringValue),
                code = try #require(text.firstMatch(of: /Your code is (\d{8})/)?.1)
            let wrong = code.first == "0" ? "1" + code.dropFirst() : "0" + code.dropFirst()
            #expect(
                try await journey.respond(.clientInput, ["passcode": .string(wrong)]).data?[
                    "error"]?["code"] == "wrong_code")
            try await journey.respond(.clientInput, ["passcode": .string(String(code))])
            try await journey.respond(.clientInput)
            guard case .success(let token) = await journey.outcome() else {
                Issue.record("the code did not sign in")
                return
            }
            let keys = try await server.send(.get, "/.well-known/jwks.json").body
            #expect(try token.use { try FaceLoginTests.verified($0, keys: keys) }["amr"] == ["otp"])
            // Unknown user: the same step, and no mail.
            let nobody = try await server.client().start("recovery-email")
            let asked = try await nobody.respond("email_code", ["user_identifier": "nobody"])
            #expect(asked.data?["code_length"] == 8 && asked.data?["error"] == nil)
            #expect(
                peer.all.count { $0["text"]?.stringValue?.contains("Your code is") == true } == 1)
            #expect(
                !server.logs.text.contains(code) && !server.logs.text.contains("ada@example.org"))
        }
    }
}

extension SMTPClient {
    fileprivate func send(_ mail: Mail) async throws { try await send(mail, id: "dlv_test") }
}
