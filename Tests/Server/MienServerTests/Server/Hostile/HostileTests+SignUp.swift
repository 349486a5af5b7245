import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// A person or program that uses the sample journey `sign-up`.
private struct SignUpVisitor {
    let client: JourneyClient
    var username = "eve"
    var email = "eve@example.org"
    var password = "a password nobody has"

    /// Submits the form.
    func begin() async throws -> Journey {
        let journey = try await client.start("sign-up")
        _ = try await journey.respond(
            "account",
            ["username": .string(username), "email": .string(email), "password": .string(password)])
        return journey
    }

    /// Enters `code` and declines a face.
    func finish(_ journey: Journey, code: String) async throws -> JourneyOutcome? {
        let answer = try await journey.respond(.clientInput, ["passcode": .string(code)])
        guard answer.journeyStepId == .recordConsent else { return await journey.outcome() }
        _ = try await journey.respond(.cancel)
        return await journey.outcome()
    }
}

/// The emails in the server's outbox, by recipient.
private struct AddressedMails {
    let outbox: Outbox

    /// - Parameter data: The server's data folder.
    init(data: URL) { outbox = Outbox(data: data) }

    /// Waits until there are `count` emails to `address`, and returns them, oldest first.
    func mails(to address: String, count: Int) async throws -> [String] {
        try await Patience.see {
            try all().filter { $0.contains("To: <\(address)>") }
        } until: {
            $0.count >= count
        }
    }

    func all() throws -> [String] {
        // Rejoin lines that quoted-printable has broken.
        try outbox.raw().map { $0.replacing("=\r\n", with: "") }
    }

    func code(to address: String, number: Int = 1) async throws -> String {
        let mail = try #require(
            try await mails(to: address, count: number).last { $0.contains("Your code is") })
        return String(try #require(mail.firstMatch(of: /Your code is ([0-9]+)/)).1)
    }
}

extension HostileTests {
    private static let quick = [
        "MIEN_LIMIT_GUESSES_PER_MINUTE": "1000", "MIEN_LIMIT_STARTS_PER_MINUTE": "1000",
    ]

    private func serve(_ settings: [String: String] = [:]) async throws -> (
        ServeProcess, MienAdmin, AddressedMails
    ) {
        let server = try await ServeProcess.start(
            in: scratch, Self.quick.merging(settings) { $1 }, arguments: ["--with-samples"])
        let admin = try server.admin(try #require(server.credential))
        return (server, admin, AddressedMails(data: scratch("data")))
    }

    @Test(
        "a stranger attaches a victim's address to their own account, to be let in by it later or to have the victim use that account"
    )
    func unverifiedAddress() async throws {
        let (server, admin, outbox) = try await serve()
        let stranger = SignUpVisitor(
            client: try server.client(), username: "mallory", email: "victim@example.org")
        // Begun but never finished: the stranger cannot read mail to the address.
        let abandoned = try await stranger.begin()
        _ = try await outbox.code(to: "victim@example.org")
        let pending = try #require(try await admin.findUser("mallory"))
        #expect(
            pending.state == .known(.pending) && pending.email == "victim@example.org"
                && pending.emailVerified == false)
        #expect(
            try await admin.findUser("victim@example.org") == nil, "the address names no account")
        // The pending account cannot sign in by name or address.
        for name in ["mallory", "victim@example.org"] {
            let login = try await server.client().start("password-login")
            let answer = try await login.respond(
                "password", ["username": .string(name), "password": "a password nobody has"])
            #expect(answer.token == nil, "\(name)")
        }
        // Recovery sends no mail to the address.
        let recovery = try await server.client().start("recovery-email")
        _ = try await recovery.respond("email_code", ["user_identifier": "victim@example.org"])
        _ = try await server.client().start("recovery-email").respond(
            "email_code", ["user_identifier": "mallory"])
        // The victim signs up unhindered, and the stranger's run can no longer finish.
        let victim = SignUpVisitor(
            client: try server.client(), username: "victim", email: "Victim@example.org")
        let own = try await victim.begin()
        let code = try await outbox.code(to: "Victim@example.org")
        guard case .success = try await victim.finish(own, code: code) else {
            return #expect(Bool(false), "the victim signs up")
        }
        #expect(try await admin.findUser("victim@example.org")?.username == "victim")
        #expect(
            try await outbox.mails(to: "victim@example.org", count: 1).count == 1,
            "one code for the stranger's sign-up, nothing for recovery")
        // The code mailed earlier does not help: the address is taken by now.
        let stolen = try await outbox.code(to: "victim@example.org")
        let end = try await stranger.finish(abandoned, code: stolen)
        if case .success = end { #expect(Bool(false), "the stranger's sign-up must not complete") }
        #expect(try await admin.findUser("mallory") == nil, "the name is available again")
        #expect(try await admin.findUser("victim@example.org")?.username == "victim")
        #expect(await server.stop() == 0)
    }

    @Test("a stranger learns from a sign-up which names and addresses have an account")
    func takenNames() async throws {
        let (server, admin, outbox) = try await serve()
        _ = try await admin.createUser(
            UserRequest(
                username: "ada", email: "ada@example.org", password: "a password nobody has"))
        var seen: Set<String> = []
        for (username, email) in [
            ("nobody", "free@example.org"), ("ada", "eve@example.org"),
            ("nobody-2", "ada@example.org"), ("ADA", "Ada@Example.org"),
        ] {
            var told: [JSONValue] = []
            let journey = try await server.client().start("sign-up")
            var answer = try await journey.respond(
                "account",
                [
                    "username": .string(username), "email": .string(email),
                    "password": "a password nobody has",
                ])
            told.append(answer.data ?? .null)
            // The code goes out before wrong guesses end the run.
            if username == "nobody" { _ = try await outbox.code(to: email) }
            for _ in 1...5 {
                answer = try await journey.respond(.clientInput, ["passcode": "000000"])
                told.append([
                    "data": answer.data ?? .null, "error": answer.errorData ?? .null,
                    "step": .string(answer.journeyStepId?.rawValue ?? ""),
                ])
            }
            seen.insert(JSONText.write(.array(told)))
        }
        #expect(seen.count == 1, "every answer is the same: \(seen)")
        // The owners are notified, and nobody gets a code for a taken name or address.
        let owner = try await outbox.mails(to: "ada@example.org", count: 2)
        #expect(
            owner.contains { $0.contains("with your user name") }
                && owner.contains { $0.contains("already has an account") })
        let typed = try await outbox.mails(to: "eve@example.org", count: 1)
        #expect(typed.count == 1 && typed[0].contains("is taken"))
        let all = try outbox.all()
        #expect(all.count { $0.contains("Your code is") } == 1, "only for the available name")
        #expect(try await admin.findUser("ada")?.state == .known(.active))
        #expect(try await admin.verifyAudit().isWhole)
        #expect(await server.stop() == 0)
    }

    @Test("a stranger reserves every good name by beginning sign-ups and never finishing them")
    func heldNames() async throws {
        try await ClockedServer.run(in: scratch) { server in
            let stranger = SignUpVisitor(
                client: try server.client(), username: "ada", email: "mallory@example.org")
            _ = try await stranger.begin()
            #expect(try await server.admin.findUser("ada")?.state == .known(.pending))
            // The name is reserved exactly as long as the run can continue, whether or not the
            // sweeper has run.
            try server.time.advance(.seconds(3601))
            let outbox = AddressedMails(data: server.folder)
            let owner = SignUpVisitor(
                client: try server.client(), username: "ada", email: "ada@example.org")
            let journey = try await owner.begin(),
                code = try await outbox.code(to: "ada@example.org")
            guard case .success = try await owner.finish(journey, code: code) else {
                return #expect(Bool(false), "the name is available")
            }
            #expect(try await server.admin.findUser("ada")?.emailVerified == true)
            // After the sweep, nothing remains of an abandoned sign-up.
            _ = try await SignUpVisitor(
                client: try server.client(), username: "bruno", email: "b@example.org"
            ).begin()
            #expect(try await server.admin.users().items.count == 2)
            try server.time.advance(.seconds(3601))
            try await server.restart()
            try await eventually {
                try await server.admin.users().items.map(\.username) == ["ada"]
            }
        }
    }

    @Test("a stranger fills a mailbox by signing up with its address again and again")
    func mailFlood() async throws {
        let outbox = AddressedMails(data: scratch("data"))
        try await ClockedServer.run(in: scratch) { server in
            _ = try await server.admin.createUser(
                UserRequest(username: "ada", email: "ada@example.org"))
            for number in 1...20 {
                for email in ["ada@example.org", "free@example.org"] {
                    _ = try await SignUpVisitor(
                        client: try server.client(), username: "eve-\(email.prefix(1))-\(number)",
                        email: email
                    ).begin()
                }
            }
        }
        // The server writes waiting emails before it ends. No time has passed on its clock.
        let mails = try outbox.all()
        #expect(mails.count { $0.contains("To: <ada@example.org>") } == 3, "notices")
        #expect(mails.count { $0.contains("To: <free@example.org>") } == 10, "codes")
    }

    @Test(
        "a stranger proves their own mailbox and has a victim's address attached that only compares as equal"
    )
    func lookAlikeAddress() async throws {
        let (server, admin, outbox) = try await serve()
        // Compatibility mapping turns this into “ada@example.org”, which a mail server may assign
        // to somebody else.
        let stranger = SignUpVisitor(
            client: try server.client(), username: "mallory", email: "ªda@example.org")
        _ = try await stranger.begin()
        _ = try await outbox.code(to: "ada@example.org")
        #expect(
            try outbox.all().count == 1,
            "the code went to the address that would be attached, and to no other address")
        #expect(try await admin.findUser("mallory")?.email == "ada@example.org")
        #expect(await server.stop() == 0)
    }

    @Test("a stranger claims a victim's address as an external ID, which journeys may request")
    func addressAsExternalID() async throws {
        try await ClockedServer.run(in: scratch) { server in
            let journey = #"""
                {"id": "by-id", "version": 1, "title": "Sign up", "start": "form", "steps": {
                  "form": {"type": "login_form", "config": {"branches": [{"id": "account", "label": "Sign up", "schema": {"properties": {
                    "id": {"type": "string"}, "password": {"type": "string", "format": "password"}}, "required": ["id", "password"]}}],
                    "output_variable": "form"}, "on": {"account": "create"}},
                  "create": {"type": "create_user", "config": {"external_id": "form.id", "password": "form.password", "failure_behavior": "abort"},
                    "on": {"success": "done"}},
                  "done": {"type": "complete_journey", "config": {"user_auth_state": "established"}}}}
                """#
            let id = try #require(JourneyID("by-id"))
            _ = try await server.admin.putJourney(id, version: 1, definition: Array(journey.utf8))
            _ = try await server.admin.publishJourney(id, version: 1)
            for (typed, isGood) in [
                ("victim@example.org", false), ("Ｖictim＠example.org", false), ("CRM-7", true),
                ("@handle", true),
            ] {
                let run = try await server.client().start("by-id")
                let answer = try await run.respond(
                    "account", ["id": .string(typed), "password": "a password nobody has"])
                #expect((answer.token != nil) == isGood, "\(typed)")
                #expect(try await (server.admin.findUser(typed) != nil) == isGood, "\(typed)")
            }
        }
    }

    @Test("a stranger signs up on a server whose operator never enabled it")
    func noSignUp() async throws {
        let server = try await ServeProcess.start(in: scratch),
            admin = try server.admin(try #require(server.credential))
        #expect(try !server.out.contains("sign-up"))
        await #expect(throws: MienError.self) { try await server.client().start("sign-up") }
        let journeys = try await admin.journeys()
        #expect(
            Set(journeys.filter { $0.state == .known(.published) }.map(\.id)).isSuperset(of: [
                "face-login", "password-login", "recovery-email",
            ]))
        #expect(
            journeys.first { $0.id == "sign-up" }?.state == .known(.draft),
            "available for an operator to publish")
        #expect(await server.stop() == 0)
    }

    @Test(
        "a stranger learns from rate limits that two names belong to the same person, because both run out together"
    )
    func namesShareNoBucket() async throws {
        try await ClockedServer.run(in: scratch, settings: ["MIEN_LIMIT_GUESSES_PER_MINUTE": "3"]) {
            server in
            try await server.makeUser("ada")
            func guess(_ name: String) async throws {
                _ = try await server.client().start("password-login").respond(
                    "password", ["username": .string(name), "password": "a wrong password"])
            }
            // Evaluated guesses are counted; rejected ones are not.
            func refused() async throws -> Int {
                let text = try await RawConnection.open(server.adminAddress).request(
                    "GET", "/metrics"
                ).body
                let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first {
                    $0.hasPrefix(#"mien_authentications_total{type="password",result="refused"}"#)
                }
                return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
            }
            func judged(_ body: () async throws -> Void) async throws -> Int {
                let before = try await refused()
                try await body()
                return try await refused() - before
            }
            for pair in [["ada", "ada@example.org"], ["nobody", "nobody@example.org"]] {
                for name in pair {
                    #expect(
                        try await judged { for _ in 1...5 { try await guess(name) } } == 3,
                        "\(name)")
                }
                // The same name in another spelling.
                #expect(try await judged { try await guess(pair[0].uppercased()) } == 0)
            }
        }
    }
}
