import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Attempts to use each single-use value 64 times concurrently.
extension HostileTests {
    @Test(
        "an attacker has 64 passwords evaluated with one state token, by sending them concurrently")
    func stepTokens() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        func data(_ password: String) -> [String: JSONValue] {
            ["username": "ada", "password": .string(password)]
        }
        let state = try #require(
            try await server.start("password-login").body["state"]?.stringValue)
        let guesses =
            (1..<Race.contenders).map { "wrong password \($0)" } + [AttackedServer.password]
        let answers = try await Race.run(
            guesses.map {
                .json("/v1/journeys/respond", AttackedServer.response(state, "password", data($0)))
            }, at: server.address)
        #expect(answers.count(200) == 1 && answers.count(409) == 63, "\(answers.statuses)")
        let judged =
            try await server.events("password.refused", of: user)
            + server.events("password.accepted", of: user)
        #expect(judged == 1)

        // The right answer, 64 times: one sign-in, and all responses are the same.
        let other = try #require(
            try await server.start("password-login").body["state"]?.stringValue)
        let before = try await server.events("password.accepted", of: user)
        let same = try await Race.run(
            .json(
                "/v1/journeys/respond",
                AttackedServer.response(other, "password", data(AttackedServer.password))),
            at: server.address)
        #expect(same.count(200) == 64 && Set(same.map(\.body)).count == 1, "\(same.statuses)")
        #expect(try await server.events("password.accepted", of: user) == before + 1)
        #expect(await server.process.stop() == 0)
    }

    @Test(
        "an attacker signs in 64 times with one mailed code, or has 64 codes evaluated concurrently"
    )
    func mailedCodes() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        try await server.publishCodeJourneys()
        let state = try await server.waitingForCode("mailed-code", of: "ada"),
            code = try await server.mailedCode(to: "ada")
        let same = try await Race.run(
            .json(
                "/v1/journeys/respond",
                AttackedServer.response(state, "client_input", ["passcode": .string(code)])),
            at: server.address)
        #expect(same.count(200) == 64 && Set(same.map(\.body)).count == 1, "\(same.statuses)")
        #expect(try same[0].json["token"] != nil)
        #expect(try await server.events("email_code.accepted", of: user) == 1)

        let guessed = try await server.waitingForCode("mailed-code", of: "ada")
        let right = try await server.mailedCode(to: "ada")
        let wrong = (0..<(Race.contenders - 1)).map { number in
            let guess = String(100_000 + number * 7919)
            return guess == right ? "000000" : guess
        }
        let answers = try await Race.run(
            (wrong + [right]).map {
                .json(
                    "/v1/journeys/respond",
                    AttackedServer.response(guessed, "client_input", ["passcode": .string($0)]))
            },
            at: server.address)
        #expect(answers.count(200) == 1 && answers.count(409) == 63, "\(answers.statuses)")
        let judged =
            try await server.events("email_code.accepted", of: user)
            + server.events("email_code.refused", of: user)
        #expect(judged == 2, "one here, one before")
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker who races the app for an authorization code keeps the tokens")
    func authorizationCodes() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        try await server.makePageApp("web")
        let code = try await server.authorizationCode("ada", app: "web")
        let answers = try await Race.run(
            .form(
                "/oauth2/token",
                [
                    ("grant_type", "authorization_code"), ("client_id", "web"), ("code", code),
                    ("redirect_uri", AttackedServer.redirect),
                    ("code_verifier", AttackedServer.verifier),
                ]), at: server.address)
        #expect(
            answers.count(200) <= 1 && answers.count(200) + answers.count(400) == 64,
            "\(answers.statuses)")
        // A code used twice was stolen, so the winner keeps nothing.
        for tokens in answers where tokens.status == 200 {
            let web = TokenClient(server: server, app: "web")
            #expect(try await web.userInfo(tokens.json["access_token"]?.stringValue).status == 401)
            #expect(
                try await web.refresh(tokens.json["refresh_token"]?.stringValue).error
                    == "invalid_grant")
        }
        #expect(try await server.events("tokens.granted") <= 1)
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker gets several sign-ins from one journey's token")
    func journeyTokens() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let token = try await server.journeyToken("ada")
        let answers = try await Race.run(
            .form(
                "/oauth2/token",
                [
                    ("grant_type", TokenClient.exchange), ("client_id", "default_application"),
                    ("subject_token", token),
                    ("subject_token_type", TokenClient.jwt),
                ]), at: server.address)
        #expect(answers.count(200) == 1 && answers.count(400) == 63, "\(answers.statuses)")
        #expect(try await server.events("tokens.granted") == 1)
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker who sees a proof of possession repeats the request 64 times concurrently")
    func proofs() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let key = try SoftwareSigner.generate(.es256),
            tokens = try await server.signIn("ada", key: key)
        let access = try #require(tokens["access_token"])
        #expect(tokens["token_type"] == "DPoP")
        let proof = try await server.tokens.proof(
            key, "/oauth2/userinfo", method: "GET", token: access)
        let answers = try await Race.run(
            Race.Entry(
                method: "GET", path: "/oauth2/userinfo",
                headers: ["authorization": "DPoP \(access)", "dpop": proof]), at: server.address)
        #expect(answers.count(200) == 1 && answers.count(401) == 63, "\(answers.statuses)")
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker signs in several times with one challenge signed by a device")
    func deviceChallenges() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let device = try WireDevice(server.tokens)
        #expect(try await device.setUp(server.signIn("ada")["access_token"]).status == 200)
        let challenge = try await server.tokens.challenge(),
            before = try await server.events("tokens.granted")
        var entries: [Race.Entry] = []
        for _ in 0..<Race.contenders {
            let jwt = try await device.request("authenticate", challenge: challenge)
            entries.append(
                .form(
                    "/oauth2/token",
                    [
                        ("grant_type", TokenClient.biometric), ("client_id", "default_application"),
                        ("jwt", jwt),
                    ]))
        }
        let answers = try await Race.run(entries, at: server.address)
        #expect(answers.count(200) == 1 && answers.count(400) == 63, "\(answers.statuses)")
        #expect(try await server.events("tokens.granted") == before + 1)
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker uses a passkey's challenge several times, to register or to sign in")
    func passkeyChallenges() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada"),
            access = try await server.signIn("ada")["access_token"]
        let passkey = try SoftwarePasskey(server.tokens).with {
            $0.userHandle = Array(user.text.utf8)
        }
        let creation = try #require(try await passkey.registrationOptions(access).body["publicKey"])
        let credential = try passkey.credential(creating: creation)
        let registered = try await Race.run(
            .json(
                "/v1/webauthn/register", JSONText.write(["credential": credential]), access: access),
            at: server.address)
        // Once one passkey is registered, adding another requires a stronger sign-in, so the
        // refusal differs.
        #expect(
            registered.count(200) == 1 && registered.count(400) + registered.count(401) == 63,
            "\(registered.statuses)")
        #expect(
            try await server.admin.authenticators(of: user).count { $0.type == .known(.passkey) }
                == 1)

        let next = passkey.with { $0.counter = 2 }
        let answer = try await next.credential(answering: next.signInOptions())
        let signedIn = try await Race.run(
            .json(
                "/v1/webauthn/login",
                JSONText.write(["client_id": "default_application", "credential": answer])),
            at: server.address)
        #expect(signedIn.count(200) == 1 && signedIn.count(401) == 63, "\(signedIn.statuses)")
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker signs in with a one-time code that its owner is using")
    func oneTimeCodes() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        try await server.publishCodeJourneys()
        let offer = try await server.admin.offerToken(
            to: user, app: AttackedServer.app, OTPRegistrationRequest(kind: .hotp))
        let token = try await TokenDevice().redeem(offer.registrationCode, server),
            code = try token.code(counter: 0)
        var entries: [Race.Entry] = []
        for _ in 0..<Race.contenders {
            let state = try await server.waitingForCode("token-code", of: "ada")
            entries.append(
                .json(
                    "/v1/journeys/respond",
                    AttackedServer.response(state, "client_input", ["passcode": .string(code)])))
        }
        let answers = try await Race.run(entries, at: server.address)
        #expect(try answers.count { try $0.json["token"] != nil } == 1, "\(answers.statuses)")
        #expect(try await server.events("otp.accepted", of: user) == 1)
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker who sees a registration code gets an OTP token in addition to the owner's")
    func registrationCodes() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        let code = try await server.admin.offerToken(to: user, app: AttackedServer.app)
            .registrationCode
        let answers = try await Race.run(
            (0..<Race.contenders).map { _ in
                .json(
                    "/v1/otp/tokens",
                    JSONText.write([
                        "registration_code": .string(code), "public_key": TokenDevice().jwk,
                        "name": "Phone", "os": "linux",
                    ]))
            }, at: server.address)
        #expect(answers.count(201) == 1 && answers.count(401) == 63, "\(answers.statuses)")
        #expect(
            try await server.admin.authenticators(of: user).count { $0.type == .known(.otp) } == 1)
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker activates more devices than a product key allows")
    func licenses() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let made = try await server.admin.makeProductKey(
            ProductKeyRequest(product: "mien-face", name: "Branches", activations: 5))
        let key = try #require(made.productKey)
        let answers = try await Race.run(
            (0..<Race.contenders).map { number in
                let device = Base64URL.encode([UInt8](repeating: UInt8(number), count: 32))
                return .json(
                    "/v1/licences",
                    JSONText.write(["product_key": .string(key), "device": .string(device)]))
            }, at: server.address)
        #expect(
            answers.count(200) + answers.count(201) == 5 && answers.count(409) == 59,
            "\(answers.statuses)")
        #expect(try await server.admin.productKeys().first?.used == 5)
        #expect(await server.process.stop() == 0)
    }

    @Test("a thief of a refresh token stays signed in by racing its owner")
    func refreshTokens() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let token = try #require(try await server.signIn("ada")["refresh_token"])
        let answers = try await Race.run(
            .form(
                "/oauth2/token",
                [
                    ("grant_type", "refresh_token"), ("client_id", "default_application"),
                    ("refresh_token", token),
                ]),
            at: server.address)
        // The same request within moments may be that of an honest app with two tabs. All get the
        // same token, so that thief and owner still share one.
        #expect(answers.count(200) == 64, "\(answers.statuses)")
        let shared = Set(try answers.map { try $0.json["refresh_token"]?.stringValue })
        #expect(shared.count == 1)
        let winner = try #require(answers.first).json
        #expect(try await server.tokens.userInfo(winner["access_token"]?.stringValue).status == 200)
        let next = try await server.tokens.refresh(winner["refresh_token"]?.stringValue)
        #expect(next.status == 200)
        #expect(try await server.tokens.refresh(token).error == "invalid_grant", "used before")
        #expect(
            try await server.tokens.refresh(next["refresh_token"]).error == "invalid_grant",
            "the token family has ended")
        #expect(try await server.tokens.userInfo(next["access_token"]).status == 401)
        #expect(try await server.events("tokens.reused") >= 1)
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker creates 64 accounts with the same name concurrently")
    func names() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let made = await withTaskGroup(of: Bool.self) { tasks in
            for number in 0..<Race.contenders {
                // Different spellings of one name.
                let name = number.isMultiple(of: 2) ? "Ada" : "ada"
                tasks.addTask {
                    (try? await server.admin.createUser(UserRequest(username: name))) != nil
                }
            }
            return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        #expect(try await server.events("user.created") == 1)
        #expect(await server.process.stop() == 0)
    }
}
