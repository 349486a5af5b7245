import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

extension AttackedServer: ServerWithUsers {}

/// Attacks with what is left of an authenticator that its owner replaced.
extension HostileTests {
    @Test(
        "a thief whose face was registered keeps his tokens and runs after the owner's face replaces it"
    )
    func replacedFace() async throws {
        let server = try await AttackedServer.start(
            in: scratch, ["MIEN_FACE_LIVENESS_MODE": "image"])
        let user = try await server.makeUser("ada")
        try await server.publishFaceJourneys()
        guard case .success = try await server.registerFace(photo: "obama") else {
            Issue.record("no face")
            return
        }
        let unused = try #require(try await server.logIn(photo: "obama2")).use { $0 }
        let stolen = try await server.exchange(
            #require(try await server.logIn(photo: "obama2")).use { $0 })
        let waiting = try await server.waitingFaceRun(photo: "obama2")
        // The owner signs in with the face and the password, and registers again in the same run.
        let owner = try await server.client().start("replace-face")
        for try await step in owner.steps {
            switch step.id {
            case .loginForm:
                try await step.respond(
                    "password",
                    ["username": "ada", "password": .string(AttackedServer.password)])
            case .selfieAcquisition:
                try await step.capture(Installed.frames(["obama3"]))
                try await step.respond(.clientInput)
            default: try await step.respond(.clientInput)
            }
        }
        guard case .success(let kept) = await owner.outcome() else {
            Issue.record(
                "the run that replaces the face ends: \(String(describing: await owner.outcome()))")
            return
        }
        let ownAccess = try await server.exchange(kept.use { $0 })
        #expect(try await server.tokens.userInfo(ownAccess["access_token"]).status == 200)
        #expect(try await server.exchange(unused).error == "invalid_grant")
        #expect(try await server.tokens.userInfo(stolen["access_token"]).status == 401)
        let next = try await server.respond(waiting, "client_input")
        #expect(next.body["journey_step_id"] != "success", "\(next.body)")
        let faces = try await server.admin.authenticators(of: user).filter {
            $0.type == .known(.face)
        }
        #expect(faces.count == 1)
        #expect(await server.process.stop() == 0)
    }

    @Test("a thief signs in with a found recovery code and stays after the owner makes new codes")
    func replacedCodes() async throws {
        try await RealServer.run(in: scratch) { server in
            try await server.makeUser()
            let owner = try await server.signIn(), codes = try await server.recoveryCodes(owner)
            func recover(_ code: String) async throws -> JourneyOutcome? {
                try await server.run("recovery-code") { step in
                    switch step.id {
                    case .loginForm:
                        try await step.respond(
                            "recovery_code",
                            ["user_identifier": "ada", "code": .string(code)])
                    default: try await step.respond(.clientInput)
                    }
                }
            }
            let thief = try await server.access(recover(codes[0]))
            guard case .success(let unused) = try await recover(codes[1]) else {
                Issue.record("the second code is valid")
                return
            }
            #expect(try await server.send(.get, "/oauth2/userinfo", access: thief).status == 200)
            let new = try await server.recoveryCodes(owner)
            #expect(try await server.send(.get, "/oauth2/userinfo", access: thief).status == 401)
            let late = try await server.form(
                "/oauth2/token",
                [
                    ("grant_type", TokenClient.exchange), ("client_id", "default_application"),
                    ("subject_token_type", TokenClient.jwt), ("subject_token", unused.use { $0 }),
                ])
            #expect(late["error"] == "invalid_grant", "\(late.text)")
            #expect(try await server.send(.get, "/oauth2/userinfo", access: owner).status == 200)
            // A sign-in with a code that replaces the codes stays.
            let recovered = try await server.access(recover(new[0]))
            _ = try await server.recoveryCodes(recovered)
            #expect(
                try await server.send(.get, "/oauth2/userinfo", access: recovered).status == 200)
            #expect(try await server.send(.get, "/oauth2/userinfo", access: owner).status == 200)
        }
    }

    @Test("a stranger has a journey put a victim's address into a token as a verified one")
    func typedAddress() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        try await server.publish(
            "typed",
            steps: """
                "form": {"type": "login_form", "config": {"branches": [{"id": "password", "schema": {"properties": {
                  "username": {"type": "string"}, "password": {"type": "string", "format": "password"}, "email": {"type": "string"}},
                  "required": ["username", "password", "email"]}}], "output_variable": "form"}, "on": {"password": "check"}},
                "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
                  "failure_behavior": "abort"}, "on": {"success": "done"}},
                "done": {"type": "complete_journey", "config": {"claims": {"email": "form.email", "email_verified": "true"}}}
                """)
        for (email, isVerified) in [
            ("victim@example.org", false), ("ada", false), ("x", false),
            ("ada@Example.ORG", true),
            // Other spellings of her address sign her in, and may be other people's mailboxes.
            ("Ada@example.org", false), ("ａda@example.org", false),
        ] {
            let journey = try await server.client().start("typed")
            try await journey.respond(
                "password",
                [
                    "username": "ada", "password": .string(AttackedServer.password),
                    "email": .string(email),
                ])
            guard case .success(let token) = await journey.outcome() else {
                Issue.record("no token for “\(email)”")
                continue
            }
            let claims = try token.use { try TokenClient.claims($0) }
            #expect(claims["email_verified"] == .bool(isVerified), "\(email)")
        }
        #expect(await server.process.stop() == 0)
    }
}

extension AttackedServer {
    fileprivate func exchange(_ token: String) async throws -> TokenClient.Answer {
        try await tokens.token(
            TokenClient.exchange,
            [("subject_token", token), ("subject_token_type", TokenClient.jwt)])
    }

    /// Publishes a journey that signs in with a password and a face and registers the face again,
    /// and one that waits after a sign-in with a face.
    fileprivate func publishFaceJourneys() async throws {
        let form = """
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
              "failure_behavior": "abort"}, "on": {"success": "selfie"}}
            """
        func face(_ next: String) -> String {
            """
            "selfie": {"type": "selfie_acquisition", "on": {"success": "face", "failure": "done"}},
            "face": {"type": "authenticate_face", "on": {"success": "\(next)", "failure": "done"}},
            "done": {"type": "complete_journey"}
            """
        }
        try await publish(
            "replace-face",
            steps: """
                \(form), \(face("consent")),
                "consent": {"type": "record_consent", "config": {"text_version": "face-1", "title": "Face", "text": "Use it.",
                  "failure_behavior": "abort"}, "on": {"success": "again"}},
                "again": {"type": "selfie_acquisition", "config": {"failure_behavior": "abort"}, "on": {"success": "register"}},
                "register": {"type": "register_face", "config": {"consent": {"text_version": "face-1"}, "failure_behavior": "abort"},
                  "on": {"success": "done"}}
                """)
        try await publish(
            "wait-face",
            steps: """
                \(form), \(face("page")),
                "page": {"type": "information", "config": {"text": "Wait"}, "on": {"success": "done"}}
                """)
    }

    /// Signs in with the password and a face, and returns the state at the page that follows.
    fileprivate func waitingFaceRun(photo: String) async throws -> String {
        let started = try #require(try await start("wait-face").body["state"]?.stringValue)
        let selfie = try await respond(
            started, "password", ["username": "ada", "password": .string(Self.password)])
        let token = try #require(
            selfie.body["data"]?["start_token"]?.stringValue, "\(selfie.body)")
        let taken = try await RawConnection.open(address).request(
            "POST", "/v1/capture/frames",
            ["authorization": "Bearer \(token)", "content-type": "image/jpeg"],
            Installed.photo(photo))
        #expect(taken.status == 200)
        let page = try await respond(
            #require(selfie.body["state"]?.stringValue), "client_input")
        #expect(page.body["journey_step_id"] == "information", "\(page.body)")
        return try #require(page.body["state"]?.stringValue, "\(page.body)")
    }
}
