import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Attacks on the ways to set a password.
extension HostileTests {
    private static let thiefs = "the thief's password"
    private static let newForm = """
        "new": {"type": "login_form", "config": {"branches": [{"id": "set", "schema": {"type": "object", "required": ["new"],
          "properties": {"new": {"type": "string", "format": "password", "sensitive": true}}}}], "output_variable": "form"}, "on": {"set": "set"}},
        "set": {"type": "set_password", "config": {"password": "form.new", "failure_behavior": "abort"}, "on": {"success": "done"}},
        "done": {"type": "complete_journey"}
        """

    private static func put(
        _ access: String?, _ server: AttackedServer, current: String? = nil
    ) async throws -> (status: Int, body: JSONValue) {
        var body: [String: JSONValue] = ["password": .string(thiefs)]
        if let current { body["current_password"] = .string(current) }
        return try await server.sendJSON(
            .put, "/v1/me/password", body: JSONText.write(.object(body)), access: access)
    }

    private static func message(_ body: JSONValue) -> String? {
        body["errors"]?.arrayValue?.first?["message"]?.stringValue
    }

    /// Starts a journey with an access token and sets a password in its first form.
    private static func set(
        _ journey: String, _ access: String?, _ server: AttackedServer
    ) async throws -> JSONValue {
        let begun = try await server.sendJSON(
            .post, "/v1/journeys/\(journey)/start", body: #"{"client_id": "default_application"}"#,
            access: access)
        let state = try #require(begun.body["state"]?.stringValue, "\(begun.body)")
        return try await server.respond(state, "set", ["new": .string(thiefs)]).body
    }

    @Test("a thief with a fresh access token replaces the password without knowing it")
    func passwordWithoutTheOldOne() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        try await server.publish("stolen", start: "new", needsUser: true, steps: Self.newForm)
        let access = try await server.signIn("ada")["access_token"]
        let refused = try await Self.put(access, server)
        #expect(
            refused.status == 400
                && Self.message(refused.body) == "is required to replace a password")
        #expect(
            try await Self.set("stolen", access, server)["error_data"]?["reason"]
                == "insufficient_user_authentication")
        #expect(try await server.sendJSON(.put, "/v1/me/password", body: "{}").status == 401)
        _ = try await server.signIn("ada")
        #expect(try await server.events("password.registered", of: user) == 0)

        // A user without a password may set a first one, which changes nobody's secret.
        let password = try #require(
            try await server.admin.authenticators(of: user).first.flatMap {
                AuthenticatorID($0.id)
            })
        try await server.admin.removeAuthenticator(password, of: user)
        #expect(
            try await Self.put(access, server).status == 401, "the sign-in ended with its password"
        )
        #expect(await server.process.stop() == 0)
    }

    @Test("a thief with a fresh access token guesses the current password without limit")
    func guessedCurrentPassword() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        let access = try await server.signIn("ada")["access_token"]
        let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for number in 0..<32 {
                tasks.addTask {
                    try await Self.put(access, server, current: "guess \(number)").status
                }
            }
            return try await tasks.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(Set(answers).isSubset(of: [400, 503]))
        // The gate is closed: the right password gets the same answer.
        let right = try await Self.put(access, server, current: AttackedServer.password)
        #expect(
            right.status == 400
                && Self.message(right.body) == "is wrong, or the password is locked")
        let judged = try await server.admin.audit(user: user).items.filter {
            $0.event == "password.refused" && $0.detail["locked"] == nil
        }
        #expect(judged.count == 5)
        #expect(try await server.events("password.registered", of: user) == 0)
        #expect(await server.process.stop() == 0)
    }

    @Test(
        "a thief with an old access token and the password, or with an app that is not trusted, changes the password"
    )
    func staleOrForeign() async throws {
        try await ClockedServer.run(in: scratch) { server in
            try await server.makeUser("ada")
            _ = try await server.admin.createApp(AppRequest(id: "partner", name: "Partner"))
            var client = TokenClient(server: server)
            let access = try await client.signIn()["access_token"]
            client.app = "partner"
            let foreign = try await client.signIn()["access_token"]
            let body = #"""
                {"password": "the thief's password", "current_password": "a password nobody has"}
                """#
            let refused = try await server.sendJSON(
                .put, "/v1/me/password", body: body, access: foreign)
            #expect(refused.status == 403 && refused.body["code"] == "not_permitted")
            try server.time.advance(.seconds(301))
            let stale = try await server.sendJSON(
                .put, "/v1/me/password", body: body, access: access)
            #expect(
                stale.status == 401 && stale.body["code"] == "insufficient_user_authentication")
            client.app = "default_application"
            #expect(try await client.signIn().status == 200)
        }
    }

    @Test("a thief who reads the owner's mail sets a password without waiting for the hold")
    func passwordByMail() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        try await server.publish(
            "impatient",
            steps: """
                "form": {"type": "login_form", "config": {"branches": [{"id": "email_code"}], "output_variable": "who"},
                  "on": {"email_code": "code"}},
                "code": {"type": "email_otp_authentication", "config": {"user_identifier": "who.user_identifier"},
                  "on": {"success": "new", "failure": "no"}},
                "no": {"type": "reject_access"}, \(Self.newForm)
                """)
        let state = try await server.waitingForCode("impatient", of: "ada")
        let form = try await server.respond(
            state, "client_input", ["passcode": .string(try await server.mailedCode(to: "ada"))])
        let end = try await server.respond(
            #require(form.body["state"]?.stringValue, "\(form.body)"), "set",
            ["new": .string(Self.thiefs)])
        #expect(
            end.body["error_data"]?["reason"] == "insufficient_user_authentication",
            "\(end.body)")
        // The published journey holds the request.
        let reset = try await server.waitingForCode("password-reset", of: "ada")
        let held = try await server.respond(
            reset, "client_input", ["passcode": .string(try await server.mailedCode(to: "ada"))])
        #expect(held.body["journey_step_id"] == "information", "\(held.body)")
        #expect(try await server.events("password.registered", of: user) == 0)
        _ = try await server.signIn("ada")
        #expect(await server.process.stop() == 0)
    }

    @Test("a thief sets a new password although an administrator has locked the password")
    func lockedPassword() async throws {
        try await RealServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            let codes = try await server.recoveryCodes(server.signIn())
            let password = try #require(
                try await server.admin.authenticators(of: user).first {
                    $0.type == .known(.password)
                }.flatMap { AuthenticatorID($0.id) })
            try await server.admin.lock(password, of: user)
            let outcome = try await server.run("password-reset") { step in
                switch step.id {
                case .loginForm where step.options["recovery_code"] != nil:
                    try await step.respond(
                        "recovery_code", ["user_identifier": "ada", "code": .string(codes[0])])
                default: try await step.respond("set", ["new_password": .string(Self.thiefs)])
                }
            }
            guard case .rejection = outcome else {
                Issue.record("an administrator's lock was lifted")
                return
            }
            try await server.admin.unlock(password, of: user)
            _ = try await server.signIn()
        }
    }

    @Test(
        "a thief keeps sign-ins, runs, tokens, and devices after the owner has set a new password")
    func afterAnOwnPassword() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        try await server.publish(
            "wait",
            steps: """
                "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
                "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
                  "failure_behavior": "abort"}, "on": {"success": "page"}},
                "page": {"type": "information", "config": {"text": "Wait"}, "on": {"next": "done"}},
                "done": {"type": "complete_journey"}
                """)
        let owner = try await server.signIn("ada"), thief = try await server.signIn("ada"),
            unused = try await server.journeyToken("ada")
        let begun = try await server.start("wait").body["state"]?.stringValue
        let page = try await server.respond(
            #require(begun), "password",
            ["username": "ada", "password": .string(AttackedServer.password)])
        let set = try await Self.put(
            owner["access_token"], server, current: AttackedServer.password)
        #expect(set.status == 204, "\(set.body)")
        #expect(try await server.tokens.userInfo(thief["access_token"]).status == 401)
        #expect(try await server.tokens.refresh(thief["refresh_token"]).error == "invalid_grant")
        #expect(
            try await server.tokens.token(
                TokenClient.exchange,
                [("subject_token", unused), ("subject_token_type", TokenClient.jwt)]
            ).error == "invalid_grant")
        let next = try await server.respond(
            #require(page.body["state"]?.stringValue), "client_input")
        #expect(next.status == 410, "\(next.body)")
        // The sign-in that set the password goes on, and refreshes.
        #expect(try await server.tokens.refresh(owner["refresh_token"]).status == 200)
        #expect(await server.process.stop() == 0)
    }
}
