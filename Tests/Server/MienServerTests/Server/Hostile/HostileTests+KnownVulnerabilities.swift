import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Attacks that succeeded against other identity servers. docs/vulnerabilities-elsewhere.md lists
/// the sources.
extension HostileTests {
    // MARK: Lockout

    @Test("a stranger gets more guesses at a password or code by sending them in parallel")
    func parallelGuesses() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        try await server.publishCodeJourneys()
        let offer = try await server.admin.offerToken(
            to: user, app: AttackedServer.app, OTPRegistrationRequest(kind: .hotp))
        let token = try await TokenDevice().redeem(offer.registrationCode, server),
            right = try token.code(counter: 0)

        var passwords: [Race.Entry] = [], codes: [Race.Entry] = []
        for number in 0..<Race.contenders {
            let run = try #require(
                try await server.start("password-login").body["state"]?.stringValue)
            passwords.append(
                .json(
                    "/v1/journeys/respond",
                    AttackedServer.response(
                        run, "password",
                        ["username": "ada", "password": .string("wrong \(number)")])))
            let waiting = try await server.waitingForCode("token-code", of: "ada"),
                guess = String(100_000 + number)
            let code = guess == right ? "000000" : guess
            codes.append(
                .json(
                    "/v1/journeys/respond",
                    AttackedServer.response(waiting, "client_input", ["passcode": .string(code)])))
        }
        for entries in [passwords, codes] {
            let answers = try await Race.run(entries, at: server.address)
            #expect(
                try answers.allSatisfy {
                    try $0.status == 503 || ($0.status == 200 && $0.json["token"] == nil)
                }, "\(answers.statuses)")
        }
        for authenticator in try await server.admin.authenticators(of: user)
        where [.known(.password), .known(.otp)].contains(authenticator.type) {
            #expect(
                authenticator.failures == 5 && authenticator.lock == .known(.locked),
                "\(authenticator.type): \(authenticator.failures) judged")
        }
        #expect(await server.process.stop() == 0)
    }

    // MARK: Tokens

    @Test("an app exchanges or refreshes a token that was issued to another app")
    func foreignTokens() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let made = try await server.admin.createApp(
            AppRequest(id: "other", name: "Other", type: .confidential))
        let other = TokenClient(server: server, app: "other", secret: made.clientSecret)
        let tokens = try await server.signIn("ada")
        let journey = try await server.journeyToken("ada")
        let access = try #require(tokens["access_token"]),
            refresh = try #require(tokens["refresh_token"])
        func exchange(_ token: String, _ more: [(String, String)] = []) async throws -> String? {
            try await other.token(
                TokenClient.exchange,
                [("subject_token", token), ("subject_token_type", TokenClient.jwt)] + more
            ).error
        }
        #expect(try await exchange(journey) == "invalid_grant")
        #expect(
            try await exchange(access) == "invalid_grant", "an access token cannot be exchanged"
        )
        #expect(
            try await exchange(try #require(tokens["id_token"])) == "invalid_grant",
            "nor can an ID token")
        for (name, value) in [
            ("audience", "default_application"), ("requested_subject", "ada"),
            ("actor_token", access),
        ] {
            #expect(try await exchange(journey, [(name, value)]) != nil, "\(name)")
        }
        #expect(
            try await exchange(journey, [("resource", "https://api.example.org")])
                == "invalid_target")
        #expect(try await exchange(journey, [("scope", "openid \"root\"")]) == "invalid_scope")
        #expect(
            try await other.token(TokenClient.exchange, [("subject_token_type", TokenClient.jwt)])
                .error == "invalid_request", "without a subject")
        let accessType = "urn:ietf:params:oauth:token-type:access_token"
        let typed = try await other.token(
            TokenClient.exchange, [("subject_token", access), ("subject_token_type", accessType)])
        #expect(typed.error == "invalid_request")
        #expect(try await other.refresh(refresh).error == "invalid_grant")
        let looked = try await other.post(
            "/oauth2/introspect",
            [("client_id", "other"), ("client_secret", other.secret!), ("token", access)])
        #expect(looked.body == ["active": false])
        _ = try await other.post(
            "/oauth2/revoke",
            [("client_id", "other"), ("client_secret", other.secret!), ("token", refresh)])
        #expect(try await server.tokens.userInfo(access).status == 200, "not revoked")
        #expect(
            try await server.tokens.token(
                TokenClient.exchange,
                [("subject_token", journey), ("subject_token_type", TokenClient.jwt)]
            ).status == 200)
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker passes one kind of token off as another, or a truncated one as complete")
    func confusedTokens() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        try await server.makePageApp("web")
        let tokens = try await server.signIn("ada"), access = try #require(tokens["access_token"]),
            refresh = try #require(tokens["refresh_token"])
        let state = try #require(
            try await server.start("password-login").body["state"]?.stringValue)
        let offer = try await server.admin.offerToken(to: user, app: AttackedServer.app)
        let secrets: [String: String] = [
            "refresh": refresh, "identity": try #require(tokens["id_token"]),
            "journey": try await server.journeyToken("ada"), "state": state,
            "registration": offer.registrationCode,
            "challenge": try await server.tokens.challenge(),
            "code": try await server.authorizationCode("ada", app: "web"),
            "admin": server.credential.use { $0 },
        ]
        for (kind, secret) in secrets {
            #expect(
                try await server.tokens.userInfo(secret).status == 401, "\(kind) as an access token"
            )
            let code = try await TokenClient(server: server, app: "web").token(
                "authorization_code",
                [
                    ("code", secret), ("redirect_uri", AttackedServer.redirect),
                    ("code_verifier", String(repeating: "w", count: 43)),
                ])
            #expect(code.error == "invalid_grant", "\(kind) as a code")
            if kind != "refresh" {
                #expect(
                    try await server.tokens.refresh(secret).error == "invalid_grant",
                    "\(kind) as a refresh token")
            }
            if kind != "journey" {
                let exchanged = try await server.tokens.token(
                    TokenClient.exchange,
                    [("subject_token", secret), ("subject_token_type", TokenClient.jwt)])
                #expect(exchanged.error == "invalid_grant", "\(kind) as a journey's token")
            }
            if kind != "registration" {
                #expect(
                    try await [400, 401].contains(TokenDevice().ask(secret, server).status),
                    "\(kind) as a registration code")
            }
            if kind != "state" {
                #expect(
                    try await server.respond(secret, "password").status != 200, "\(kind) as a state"
                )
            }
            if kind != "admin" {
                #expect(
                    try await server.sendJSON(.get, "/v1/users", access: secret).status == 401,
                    "\(kind) as an admin credential")
            }
        }
        #expect(
            try await server.sendJSON(.get, "/v1/users", access: access).status == 401,
            "an access token as an admin credential")
        for length in stride(from: 1, to: access.utf8.count, by: 23) {
            #expect(
                try await server.tokens.userInfo(String(access.prefix(length))).status == 401,
                "the first \(length) characters")
        }
        for length in [10, 40, 60, refresh.utf8.count - 1] {
            #expect(
                try await server.tokens.refresh(String(refresh.prefix(length))).error
                    == "invalid_grant")
        }
        for type in [
            "password", "implicit", "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "urn:openid:params:grant-type:ciba",
            "urn:ietf:params:oauth:grant-type:device_code",
        ] {
            let answer = try await server.tokens.token(
                type,
                [("username", "ada"), ("password", AttackedServer.password), ("assertion", access)])
            #expect(answer.error == "unsupported_grant_type", "\(type)")
        }
        #expect(
            try await server.tokens.refresh(refresh).status == 200, "none of it had an effect")
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker forges a token by choosing its algorithm or bringing its key")
    func algorithms() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let access = try #require(try await server.signIn("ada")["access_token"]),
            parts = access.split(separator: ".").map(String.init)
        let journey = try await server.journeyToken("ada").split(separator: ".").map(String.init)
        let published = try #require(
            try await server.sendJSON(.get, "/.well-known/jwks.json").body["keys"]?.arrayValue?
                .first)
        let id = try #require(published["kid"]?.stringValue),
            own = try SoftwareSigner.generate(.es256)
        let point = try #require(published["x"]?.stringValue.flatMap { Base64URL.decode($0) })
        func text(_ header: JSONValue) -> String { Base64URL.encode(JSONText.write(header).utf8) }
        func mac(_ input: String, _ key: [UInt8]) -> String {
            Base64URL.encode(
                Array(
                    HMAC<SHA256>.authenticationCode(
                        for: Data(input.utf8), using: SymmetricKey(data: key))))
        }
        for (type, payload) in [("at+jwt", parts[1]), ("JWT", journey[1])] {
            var forged: [String] = []
            for name in ["none", "None", "nOnE", ""] {
                forged.append(
                    "\(text(["alg": .string(name), "typ": .string(type), "kid": .string(id)])).\(payload)."
                )
            }
            // HMAC with the published key's bytes as the secret.
            let hs = text(["alg": "HS256", "typ": .string(type), "kid": .string(id)])
            forged += [point, Array(JSONText.write(published).utf8), []].map {
                "\(hs).\(payload).\(mac("\(hs).\(payload)", $0.isEmpty ? [0] : $0))"
            }
            // A key of the attacker's, referenced in every possible way.
            for extra: [String: JSONValue] in [
                [:], ["jwk": own.publicKey.jwk], ["jku": "https://evil.example/keys"],
                ["x5u": "https://evil.example/key"], ["x5c": ["AAAA"]],
                ["kid": "../../dev/null"], ["kid": "x' OR '1'='1"], ["crit": ["exp"]],
            ] {
                let header =
                    ["alg": "ES256", "typ": .string(type), "kid": .string(id)].merging(extra) { $1 }
                    as [String: JSONValue]
                let input = "\(text(.object(header))).\(payload)"
                forged.append("\(input).\(Base64URL.encode(try own.sign(Array(input.utf8))))")
            }
            // The right header with invalid signatures.
            let head = type == "JWT" ? journey[0] : parts[0]
            for signature in [
                [UInt8](repeating: 0, count: 64), [UInt8](repeating: 255, count: 64), [],
            ] {
                forged.append("\(head).\(payload).\(Base64URL.encode(signature))")
            }
            for token in forged {
                #expect(
                    try await server.tokens.userInfo(token).status == 401, "\(token.prefix(60))")
                let exchanged = try await server.tokens.token(
                    TokenClient.exchange,
                    [("subject_token", token), ("subject_token_type", TokenClient.jwt)])
                #expect(exchanged.error == "invalid_grant", "\(token.prefix(60))")
            }
        }
        #expect(try await server.tokens.userInfo(access).status == 200)
        #expect(await server.process.stop() == 0)
    }

    // MARK: Suspension and revocation

    @Test("a suspended user continues with something begun before the suspension")
    func suspended() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada"), bob = try await server.makeUser("bob")
        try await server.makePageApp("web")
        try await server.publishCodeJourneys()
        let tokens = try await server.signIn("ada"), device = try WireDevice(server.tokens)
        #expect(try await device.setUp(server.signIn("bob")["access_token"]).status == 200)
        let passkey = try SoftwarePasskey(server.tokens).with {
            $0.userHandle = Array(user.text.utf8)
        }
        #expect(try await passkey.register(tokens["access_token"]).status == 200)
        let answer = try await passkey.with { $0.counter = 2 }.credential(
            answering: passkey.signInOptions())
        let journey = try await server.journeyToken("ada"),
            code = try await server.authorizationCode("ada", app: "web")
        let waiting = try await server.waitingForCode("mailed-code", of: "ada"),
            mailed = try await server.mailedCode(to: "ada")
        let offer = try await server.admin.offerToken(to: user, app: AttackedServer.app)
        let jwt = try await device.request("authenticate")

        for id in [user, bob] {
            _ = try await server.admin.updateUser(id, UserRequest(state: .suspended))
        }
        #expect(try await server.tokens.userInfo(tokens["access_token"]).status == 401)
        #expect(try await server.tokens.refresh(tokens["refresh_token"]).error == "invalid_grant")
        let exchanged = try await server.tokens.token(
            TokenClient.exchange,
            [("subject_token", journey), ("subject_token_type", TokenClient.jwt)])
        #expect(
            exchanged.error == "invalid_grant", "the token of a journey completed before")
        let redeemed = try await TokenClient(server: server, app: "web").token(
            "authorization_code",
            [
                ("code", code), ("redirect_uri", AttackedServer.redirect),
                ("code_verifier", AttackedServer.verifier),
            ])
        #expect(redeemed.error == "invalid_grant", "an earlier authorization code")
        #expect(
            try await device.logIn(jwt: jwt).error == "invalid_grant",
            "a device key that still exists")
        #expect(try await passkey.signIn(answer).status == 401, "a passkey that still exists")
        #expect(
            try await server.respond(waiting, "client_input", ["passcode": .string(mailed)]).body[
                "token"] == nil, "a mailed code")
        #expect(
            try await TokenDevice().ask(offer.registrationCode, server).status == 401,
            "a registration code")
        #expect(await server.process.stop() == 0)
    }

    @Test(
        "a stolen token survives its revocation: by a concurrent refresh, by introspection, or by a restart",
        .enabled(if: Installed.isThere, Installed.reason))
    func revoked() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let made = try await server.admin.createApp(
            AppRequest(id: "backend", name: "Backend", type: .confidential))
        let secret = try #require(made.clientSecret)
        let tokens = try await TokenClient(server: server, app: "backend", secret: secret)
            .signInConfidential()
        let refresh = try #require(tokens["refresh_token"]),
            access = try #require(tokens["access_token"])
        let login = [("client_id", "backend"), ("client_secret", secret)]
        let revoke = Race.Entry.form("/oauth2/revoke", login + [("token", refresh)])
        let renew = Race.Entry.form(
            "/oauth2/token", login + [("grant_type", "refresh_token"), ("refresh_token", refresh)])
        let answers = try await Race.run(
            (0..<Race.contenders).map { $0.isMultiple(of: 2) ? renew : revoke }, at: server.address)
        #expect(answers.count { $0.status >= 500 } == 0, "\(answers.statuses)")
        var all = [access, refresh]
        for (index, answer) in answers.enumerated()
        where index.isMultiple(of: 2) && answer.status == 200 {
            all += try [answer.json["access_token"], answer.json["refresh_token"]].compactMap {
                $0?.stringValue
            }
        }
        func isDead(_ token: String, at server: AttackedServer) async throws -> Bool {
            let client = TokenClient(server: server, app: "backend", secret: secret)
            let looked = try await client.post("/oauth2/introspect", login + [("token", token)])
            let used = try await client.userInfo(token).status,
                renewed = try await client.refresh(token).error
            return looked.body == ["active": false] && used == 401 && renewed == "invalid_grant"
        }
        for token in all { #expect(try await isDead(token, at: server)) }
        #expect(await server.process.stop() == 0)

        let restarted = try await AttackedServer.start(in: scratch, credential: server.credential)
        for token in all { #expect(try await isDead(token, at: restarted), "after a restart") }
        #expect(await restarted.process.stop() == 0)
    }

    // MARK: Passkeys

    @Test(
        "a stranger registers a passkey for somebody else, or one that the server did not request")
    func passkeyRegistration() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let ada = try await server.makeUser("ada"), eve = try await server.makeUser("eve")
        let passkey = try SoftwarePasskey(server.tokens)
        // Without a sign-in, there are no options and no registration.
        #expect(try await passkey.registrationOptions(nil).status == 401)
        let access = try await server.signIn("eve")["access_token"]
        let options = try #require(try await passkey.registrationOptions(access).body["publicKey"])
        #expect(
            try await passkey.register(nil, passkey.credential(creating: options)).status == 401)
        // Ada's challenge works neither for Eve nor if it was issued for signing in.
        let adas = try #require(
            try await passkey.registrationOptions(server.signIn("ada")["access_token"]).body[
                "publicKey"])
        #expect(
            try await passkey.register(access, passkey.credential(creating: adas)).status == 400)
        #expect(
            try await passkey.register(
                access, passkey.credential(creating: passkey.signInOptions("ada"))
            ).status == 400)
        // The server checks what it requested, whatever the browser did.
        let wrong: [String: @Sendable (inout SoftwarePasskey) -> Void] = [
            "user not verified": { $0.flags = 0x01 }, "user not present": { $0.flags = 0x04 },
            "another origin": { $0.origin = "https://evil.example" },
            "another domain": { $0.rpID = "evil.example" },
            "a subdomain": { $0.origin = "https://evil.login.example.org.evil.example" },
        ]
        for (name, change) in wrong {
            let new = try SoftwarePasskey(server.tokens).with(change)
            #expect(try await new.register(access).status == 400, "\(name)")
        }
        // Once registered, the credential cannot be registered by anybody else.
        #expect(try await passkey.register(access).status == 200)
        #expect(try await passkey.register(server.signIn("ada")["access_token"]).status == 409)
        #expect(
            try await server.admin.authenticators(of: ada).allSatisfy {
                $0.type != .known(.passkey)
            })
        #expect(
            try await server.admin.authenticators(of: eve).count { $0.type == .known(.passkey) }
                == 1)
        // It signs in only Eve, whatever user it claims to be.
        let claimed = passkey.with { ($0.counter, $0.userHandle) = (2, Array(ada.text.utf8)) }
        #expect(try await claimed.signIn(as: "eve").status == 401)
        let named = passkey.with { ($0.counter, $0.userHandle) = (3, Array(eve.text.utf8)) }
        #expect(try await named.signIn(as: "ada").status == 401)
        #expect(await server.process.stop() == 0)
    }

    // MARK: Registration and recovery

    @Test("a stranger signs up although sign-up is off, by calling it directly")
    func signUpSwitchedOff() async throws {
        let server = try await AttackedServer.start(in: scratch)
        _ = try await server.admin.createApp(
            AppRequest(id: "closed", name: "Closed", settings: ["journeys": ["password-login"]]))
        #expect(try await server.start("password-login", app: "closed").status == 200)
        for journey in [
            "sign-up", "face-registration", "recovery-email", "SIGN-UP", "sign-up%00", "../sign-up",
            "%2e%2e/sign-up",
        ] {
            #expect(try await server.start(journey, app: "closed").status >= 400, "\(journey)")
        }
        // A run belongs to its app: other apps cannot continue it. No route lets strangers create
        // users.
        #expect(
            try await server.sendJSON(.post, "/v1/users", body: #"{"username": "eve"}"#).status
                >= 400)
        #expect(try await server.events("user.created") == 0)
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker answers a victim's step with a code that was mailed for another run")
    func foreignCodes() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        try await server.makeUser("eve")
        try await server.publishCodeJourneys()
        let evesRun = try await server.waitingForCode("mailed-code", of: "eve"),
            evesCode = try await server.mailedCode(to: "eve")
        let adasRun = try await server.waitingForCode("mailed-code", of: "ada"),
            adasCode = try await server.mailedCode(to: "ada")
        // Eve's own valid code opens nothing of Ada's, and neither does a response without a code.
        var state = adasRun
        for data: [String: JSONValue] in [
            ["passcode": .string(evesCode)], ["passcode": ""], ["passcode": .string(" ")],
        ] {
            let answer = try await server.respond(state, "client_input", data)
            #expect(answer.body["token"] == nil)
            if let next = answer.body["state"]?.stringValue { state = next }
        }
        for data: [String: JSONValue] in [
            [:], ["passcode": .null], ["passcode": [.string(adasCode)]], ["user_identifier": "ada"],
        ] {
            #expect(try await server.respond(state, "client_input", data).status == 400, "\(data)")
        }
        #expect(
            try await server.respond(evesRun, "client_input", ["passcode": .string(adasCode)]).body[
                "token"] == nil)
        // A code from an earlier run of the same person is not valid in a later one.
        let later = try await server.waitingForCode("mailed-code", of: "ada"),
            newer = try await server.mailedCode(to: "ada")
        let old = try await server.respond(later, "client_input", ["passcode": .string(adasCode)])
        #expect(old.body["token"] == nil)
        let last = try #require(old.body["state"]?.stringValue)
        #expect(
            try await server.respond(last, "client_input", ["passcode": .string(newer)]).body[
                "token"] != nil)
        #expect(await server.process.stop() == 0)
    }

    // MARK: Data

    @Test("a user reads or changes data of other users or of administrators")
    func othersData() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let ada = try await server.makeUser("ada")
        try await server.makeUser("eve")
        let adas = try await server.signIn("ada")["access_token"],
            eves = try #require(try await server.signIn("eve")["access_token"])
        let passkey = try SoftwarePasskey(server.tokens)
        #expect(try await passkey.register(adas).status == 200)
        let id = try #require(
            try await server.admin.authenticators(of: ada).first { $0.type == .known(.passkey) }?.id
        )
        for (method, path) in [
            (HTTPTransportRequest.Method.patch, "/v1/me/passkeys/\(id)"),
            (.delete, "/v1/me/passkeys/\(id)"), (.patch, "/v1/me/biometrics/\(id)"),
            (.delete, "/v1/me/biometrics/\(id)"), (.delete, "/v1/me/otp/tokens/\(id)"),
        ] {
            let body = method == .patch ? #"{"name": "mine"}"# : ""
            #expect(
                try await server.sendJSON(method, path, body: body, access: eves).status == 404,
                "\(method) \(path)")
        }
        #expect(
            try await server.sendJSON(.get, "/v1/me/passkeys", access: eves).body["items"] == [])
        let routes: [(HTTPTransportRequest.Method, String)] = [
            (.get, "/v1/users"), (.post, "/v1/users"), (.get, "/v1/users/\(ada.text)"),
            (.patch, "/v1/users/\(ada.text)"),
            (.delete, "/v1/users/\(ada.text)"), (.get, "/v1/users/\(ada.text)/authenticators"),
            (.delete, "/v1/users/\(ada.text)/authenticators/\(id)"),
            (.post, "/v1/users/\(ada.text)/authenticators/\(id)/unlock"), (.get, "/v1/apps"),
            (.post, "/v1/apps"), (.post, "/v1/apps/default_application/secret"),
            (.get, "/v1/journeys"), (.get, "/v1/audit"),
            (.get, "/v1/product-keys"), (.post, "/v1/product-keys"),
        ]
        for (method, path) in routes {
            for access in [
                eves, nil, "adm_AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            ] {
                let status = try await server.sendJSON(
                    method, path, body: method == .get ? "" : "{}", access: access
                ).status
                #expect([401, 404, 429].contains(status), "\(method) \(path): \(status)")
            }
        }
        // A token without the scope cannot access even the user's own data.
        let little = try await TokenClient(server: server).signIn(
            "eve", password: AttackedServer.password, [("scope", "openid")])
        #expect(
            try await server.sendJSON(.get, "/v1/me/passkeys", access: little["access_token"])
                .status == 403)
        #expect(try await server.admin.user(ada).state == .known(.active))
        #expect(try await server.admin.authenticators(of: ada).contains { $0.id == id })
        #expect(await server.process.stop() == 0)
    }

    @Test("an attacker sets fields that a request does not allow, or breaks out of a query")
    func extraFields() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let ada = try await server.makeUser("ada")
        let access = try #require(try await server.signIn("ada")["access_token"])
        #expect(try await SoftwarePasskey(server.tokens).register(access).status == 200)
        let id = try #require(
            try await server.admin.authenticators(of: ada).first { $0.type == .known(.passkey) }?.id
        )
        for body in [
            #"{"name": "x", "account": "usr_1"}"#, #"{"name": "x", "type": "password"}"#,
            #"{"name": "x", "lock": "open"}"#, #"{"name": ["x"]}"#,
        ] {
            #expect(
                try await server.sendJSON(
                    .patch, "/v1/me/passkeys/\(id)", body: body, access: access
                ).status == 400, "\(body)")
        }
        for body in [
            #"{"client_id": "default_application", "user": "\#(ada.text)"}"#,
            #"{"client_id": "default_application", "authenticated": true}"#,
        ] {
            #expect(
                try await server.sendJSON(.post, "/v1/journeys/password-login/start", body: body)
                    .status == 400, "\(body)")
        }
        let credential = server.credential.use { $0 }
        let quotes = [
            "' OR '1'='1", "1;DROP TABLE account", "\u{0}", "usr_' UNION SELECT hash FROM audit --",
            "1e9999", "-1", "9223372036854775808",
        ]
        for text in quotes {
            let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
            for path in [
                "/v1/users?after=\(encoded)", "/v1/audit?after=\(encoded)",
                "/v1/audit?after=0&user=\(encoded)", "/v1/users/\(encoded)",
            ] {
                let answer = try await server.sendJSON(.get, path, access: credential)
                #expect(
                    [400, 404, 409].contains(answer.status) || answer.body["items"] == [],
                    "\(path): \(answer.status)")
            }
            let found = try await server.sendJSON(
                .get, "/v1/users?identifier=\(encoded)", access: credential)
            #expect(found.status == 400 || found.body["items"] == [], "\(text): \(found.body)")
        }
        #expect(try await server.admin.users().items.map(\.username) == ["ada"])
        #expect(try await server.admin.verifyAudit().isWhole)
        #expect(await server.process.stop() == 0)
    }
}
