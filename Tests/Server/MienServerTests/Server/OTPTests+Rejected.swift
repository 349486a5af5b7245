import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Rejected codes, registrations, and requests.
extension OTPTests {
    @Test(
        "after five wrong codes, the right one is also refused, in the same words, until the lock ends"
    )
    func lock() async throws {
        try await withServer { server, user in
            let token = try await Self.register(server)
            var last: JSONValue?
            for _ in 0..<5 {
                let run = try await Self.start("otp-login", server)
                last = try await run.respond(.clientInput, ["passcode": "000000"]).data
            }
            let locked = try await Self.start("otp-login", server)
            #expect(
                try await locked.respond(
                    .clientInput, ["passcode": .string(token.code(counter: 1))]
                ).data == last)
            let authenticator = try #require(
                try await server.admin.authenticators(of: user).first { $0.type == .known(.otp) })
            let unlock = "/v1/users/\(user.text)/authenticators/\(authenticator.id)/unlock"
            #expect(
                try await server.sendJSON(
                    .post, unlock, body: "", access: server.credential.use { $0 }
                )
                .status == 204)
            #expect(try await Self.signIn([token.code(counter: 1)], server) != nil)

            // Another token does not bypass an administrator's lock.
            #expect(
                try await server.sendJSON(
                    .post, "/v1/users/\(user.text)/authenticators/\(authenticator.id)/lock",
                    body: "", access: server.credential.use { $0 }
                ).status == 204)
            #expect(
                try await Self.signIn([token.code(counter: 2), token.code(counter: 3)], server)
                    == nil)
            let offer = try await server.sendJSON(
                .post, "/v1/users/\(user.text)/otp/default_application/registrations", body: "{}",
                access: server.credential.use { $0 })
            #expect(offer.status == 409)
        }
    }

    @Test(
        "users, users without a token, suspended users, and unknown users get the same prompts and refusals"
    )
    func strangers() async throws {
        try await withServer { server, _ in
            _ = try await Self.register(server)
            _ = try await server.makeUser("bob")
            _ = try await server.makeUser("eve")
            _ = try await server.admin.updateUser(
                server.userID("eve"), UserRequest(state: .suspended))
            for journey in ["otp-login", "otp-sign"] {
                var seen: Set<[String]> = []
                for name in ["ada", "bob", "eve", "nobody"] {
                    let run = try await Self.start(journey, server, as: name)
                    var lines: [String] = []
                    while await run.outcome() == nil, lines.count < 5 {
                        lines.append(shown(await run.response, of: name))
                        try await run.respond(.clientInput, ["passcode": "000000"])
                    }
                    if case .rejection = await run.outcome() { lines.append("rejected") }
                    seen.insert(lines)
                }
                #expect(
                    seen.count == 1 && seen.first?.last == "rejected"
                        && (seen.first?.count ?? 0) > 1, "\(seen)")
            }
        }
    }

    /// Returns the step without random values and without what the client itself sent.
    private func shown(_ step: MienServiceResponse, of name: String) -> String {
        var data = step.data?.objectValue ?? [:]
        #expect(data["user_identifier"] == nil || data["user_identifier"] == .string(name))
        data["user_identifier"] = nil
        for key in ["challenge", "transaction_challenge"] {
            data[key] = data[key]?.stringValue.map { .string("\($0.count) characters") }
        }
        return
            "\(String(describing: step.journeyStepId)) \(JSONText.write(.object(data))) \(step.clientResponseOptions.keys.sorted())"
    }

    @Test(
        "a registration code works once, for ten minutes, until another is made; all failures look the same"
    )
    func registration() async throws {
        try await withServer { server, user in
            let admin = server.credential.use { $0 },
                path = "/v1/users/\(user.text)/otp/default_application/registrations"
            func code() async throws -> String {
                try #require(
                    try await server.sendJSON(.post, path, body: "{}", access: admin).body[
                        "registration_code"]?.stringValue)
            }
            let device = TokenDevice(), used = try await code()
            _ = try await device.redeem(used, server)
            let replaced = try await code(), late = try await code()
            server.time.advance(.seconds(600))
            let (id, secret) = (used.split(separator: ".")[0], late.split(separator: ".")[1])
            var answers: Set<String> = []
            for wrong in [
                used, replaced, late, late, "\(id).\(secret)", String(late.dropLast()), "x",
                late + "x",
            ] {
                let answer = try await device.ask(wrong, server)
                #expect(answer.status == 401, "\(answer.body)")
                answers.insert(JSONText.write(answer.body))
            }
            #expect(answers.count == 1)
            let suspended = try await code()
            _ = try await server.admin.updateUser(user, UserRequest(state: .suspended))
            #expect(try await device.ask(suspended, server).status == 401)
            #expect(!server.logs.text.contains(used) && !server.logs.text.contains(secret))
        }
    }

    @Test(
        "a device whose answer was lost gets the same token again: with its own key, in time, before its first code"
    )
    func again() async throws {
        try await withServer { server, user in
            let admin = server.credential.use { $0 },
                path = "/v1/users/\(user.text)/otp/default_application/registrations"
            func code() async throws -> String {
                try #require(
                    try await server.sendJSON(
                        .post, path, body: #"{"kind": "hotp"}"#, access: admin
                    )
                    .body["registration_code"]?.stringValue)
            }
            let device = TokenDevice(), first = try await code()
            let token = try await device.redeem(first, server)
            for _ in 0..<2 {
                let same = try await device.redeem(first, server)
                #expect(same.id == token.id && same.secret == token.secret)
            }
            #expect(try await TokenDevice().ask(first, server).status == 401, "another key")
            #expect(
                try await server.admin.audit().items.count { $0.event == "otp.registered" } == 1)
            #expect(try await Self.signIn([token.code(counter: 0)], server) != nil)
            #expect(try await device.ask(first, server).status == 401, "it has been used")

            let second = try await code(), other = try await device.redeem(second, server)
            #expect(other.secret != token.secret)
            #expect(try await device.ask(first, server).status == 401, "its token is gone")
            server.time.advance(.milliseconds(599_999))
            #expect(try await device.redeem(second, server).id == other.id)
            server.time.advance(.milliseconds(1))
            #expect(try await device.ask(second, server).status == 401, "too late")
            let third = try await code()
            _ = try await device.redeem(third, server)
            _ = try await server.admin.updateUser(user, UserRequest(state: .suspended))
            #expect(try await device.ask(third, server).status == 401, "suspended")
        }
    }

    @Test("a malformed device request is rejected and does not use up the code")
    func malformed() async throws {
        try await withServer { server, user in
            let path = "/v1/users/\(user.text)/otp/default_application/registrations",
                admin = server.credential.use { $0 }
            let code = try #require(
                try await server.sendJSON(.post, path, body: "{}", access: admin).body[
                    "registration_code"]?.stringValue)
            let device = TokenDevice()
            for (name, value) in [
                ("public_key", ["kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"]),
                ("public_key", "x"), ("public_key", nil), ("name", ""),
                ("name", "a\nb"),
                ("os", 1), ("os", .string(String(repeating: "x", count: 33))),
                ("registration_code", 1), ("more", 1),
                (
                    "public_key",
                    [
                        "kty": "OKP", "crv": "Ed25519",
                        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                    ]
                ),
            ] as [(String, JSONValue)] {
                let answer = try await device.ask(code, server, changed: [name: value])
                #expect(
                    answer.status == 400
                        && answer.body["errors"]?.arrayValue?.first?["field"] == .string(name),
                    "\(name) \(answer.body)")
            }
            for body in [
                #"{"kind": "sms"}"#, #"{"digits": 5}"#, #"{"digits": 11}"#, #"{"app": "x"}"#, "[]",
            ] {
                #expect(
                    try await server.sendJSON(.post, path, body: body, access: admin).status == 400,
                    "\(body)")
            }
            #expect(
                try await server.sendJSON(
                    .post, "/v1/users/usr_nobody/otp/default_application/registrations", body: "{}",
                    access: admin
                ).status == 404)
            #expect(
                try await server.sendJSON(
                    .post, "/v1/users/\(user.text)/otp/nothing/registrations", body: "{}",
                    access: admin
                ).status == 404)
            #expect(try await server.sendJSON(.post, path, body: "{}").status == 401)
            #expect(
                try await server.sendJSON(.post, "/v1/me/otp/registrations", body: "{}").status
                    == 401)
            _ = try await device.redeem(code, server)
        }
    }

    @Test(
        "a registration code ends with the sign-in that asked for it; an administrator's does not")
    func endedRegistration() async throws {
        try await withServer { server, user in
            let access = try #require(
                try await TokenClient(server: server).signIn()["access_token"])
            let owner = try #require(try await TokenClient(server: server).signIn()["access_token"])
            for isAdministrators in [false, true] {
                let offered = try await server.sendJSON(
                    .post,
                    isAdministrators
                        ? "/v1/users/\(user.text)/otp/default_application/registrations"
                        : "/v1/me/otp/registrations", body: "{}",
                    access: isAdministrators ? server.credential.use { $0 } : access)
                let code = try #require(
                    offered.body["registration_code"]?.stringValue, "\(offered)")
                if !isAdministrators {
                    #expect(
                        try await server.sendJSON(
                            .delete, "/v1/me/sign-ins", body: "", access: owner
                        ).status == 204)
                }
                let answer = try await TokenDevice().ask(code, server)
                #expect(answer.status == (isAdministrators ? 201 : 401), "\(answer)")
            }
        }
    }

    @Test("a journey waits for the device, and ends after too many wrong codes")
    func confirmation() async throws {
        try await withServer { server, _ in
            let run = try await Self.start("otp-register", server)
            let code = try #require(await run.response.data?["registration_code"]?.stringValue)
            let early = try await run.respond(.clientInput, ["passcode": "123456"])
            #expect(
                early.data?["error"]?["code"] == "not_registered"
                    && early.data?["attempts_left"] == 4 && early.data?["registration_code"] == nil)
            let token = try await TokenDevice().redeem(code, server)
            #expect(
                try await run.respond(.clientInput, ["passcode": "000000"]).data?["error"]?["code"]
                    == "wrong_code")
            try await run.respond(.clientInput, ["passcode": .string(token.code(counter: 3))])
            #expect(try Self.claims(await run.outcome()) != nil)

            // Replacing a token requires two factors.
            #expect(try Self.claims(await Self.start("otp-register", server).outcome()) == nil)
            let user = try await server.userID("ada")
            let registered = try #require(
                try await server.admin.authenticators(of: user).first { $0.type == .known(.otp) })
            try await server.admin.removeAuthenticator(
                #require(AuthenticatorID(registered.id)), of: user)

            let other = try await Self.start("otp-register", server)
            for _ in 0..<5 { try await other.respond(.clientInput, ["passcode": "000000"]) }
            #expect(try Self.claims(await other.outcome()) == nil)
            let late = try await Self.start("otp-register", server)
            server.time.advance(.seconds(600))
            try await late.respond(.clientInput, ["passcode": "000000"])
            #expect(try Self.claims(await late.outcome()) == nil)
        }
    }
}
