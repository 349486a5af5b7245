import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Codes and signatures that a service with client credentials has verified, and codes that a device
/// has checked.
@Suite("Verifying codes for services", .enabled(if: Installed.isThere, Installed.reason))
struct OTPVerificationTests {
    /// A server with the app `bank`, its secret, and a user with an OTP token for it.
    private struct Bank: Sendable {
        let server: TestServer
        let user: UserID
        let secret: String
        let token: TokenDevice.Token

        func post(_ path: String, _ body: [String: JSONValue]) async throws -> (
            status: Int, body: JSONValue
        ) {
            let own: [String: JSONValue] = ["client_id": "bank", "client_secret": .string(secret)]
            return try await server.sendJSON(
                .post, "/v1/otp/\(path)", body: JSONText.write(.object(own.merging(body) { $1 })))
        }

        func verify(_ passcode: String, _ more: [String: JSONValue] = [:]) async throws -> JSONValue
        {
            let body: [String: JSONValue] = [
                "user_identifier": "ada", "passcode": .string(passcode),
            ]
            let answer = try await post("verify", body.merging(more) { $1 })
            return answer.status == 200 ? answer.body : .string("\(answer)")
        }

        func code() throws -> String { try token.code(at: server.time.now) }

        /// Gives the user another OTP token.
        func another() async throws -> (status: Int, token: TokenDevice.Token?) {
            let offer = try await server.sendJSON(
                .post, "/v1/users/\(user.text)/otp/bank/registrations", body: "{}",
                access: server.credential.use { $0 })
            guard let code = offer.body["registration_code"]?.stringValue else {
                return (offer.status, nil)
            }
            return (201, try await TokenDevice().redeem(code, server, app: "bank"))
        }
    }

    private func run(_ body: @Sendable (Bank) async throws -> Void) async throws {
        try await TestServer.run(in: ScratchFolder()) { server in
            let user = try await server.makeUser()
            let app = try await server.admin.createApp(
                AppRequest(id: "bank", name: "Bank", type: .confidential))
            let offer = try await server.sendJSON(
                .post, "/v1/users/\(user.text)/otp/bank/registrations", body: "{}",
                access: server.credential.use { $0 })
            let token = try await TokenDevice().redeem(
                try #require(offer.body["registration_code"]?.stringValue), server, app: "bank")
            try await body(
                Bank(
                    server: server, user: user, secret: try #require(app.clientSecret),
                    token: token))
        }
    }

    private static let yes: JSONValue = ["valid": true], no: JSONValue = ["valid": false]

    @Test("a code is valid once; wrong codes, unknown users, and users without a token look alike")
    func codes() async throws {
        try await run { bank in
            let code = try bank.code()
            #expect(try await bank.verify("000000") == Self.no)
            #expect(try await bank.verify(code) == Self.yes)
            #expect(try await bank.verify(code) == Self.no, "a code is valid once")
            for user in ["nobody", "x@example.org"] {
                #expect(
                    try await bank.verify(code, ["user_identifier": .string(user)]) == Self.no)
            }
            bank.server.time.advance(.seconds(60))
            let byID = try await bank.post(
                "verify", ["user_id": .string(bank.user.text), "passcode": .string(bank.code())])
            #expect(byID.status == 200 && byID.body == Self.yes)
            let events = try await bank.server.admin.audit().items
            #expect(events.contains { $0.event == "otp.accepted" && $0.actor == "service" })
        }
    }

    @Test("only an app that proves who it is may ask, and only about its own tokens")
    func apps() async throws {
        try await run { bank in
            let code = try bank.code()
            for (id, secret, status) in [
                ("bank", "wrong", 401), ("bank", "app_x.y", 401), ("nobody", bank.secret, 401),
                ("default_application", "x", 403),
            ] {
                let body: [String: JSONValue] = [
                    "client_id": .string(id), "client_secret": .string(secret),
                    "user_identifier": "ada", "passcode": .string(code), "template": 3,
                ]
                for path in ["verify", "challenges"] {
                    let own = body.filter {
                        path == "verify" ? $0.key != "template" : $0.key != "passcode"
                    }
                    #expect(try await bank.post(path, own).status == status, "\(id) \(path)")
                }
            }
            let other = try await bank.server.admin.createApp(
                AppRequest(id: "other", name: "Other", type: .confidential))
            let asked = try await bank.post(
                "verify",
                [
                    "client_id": "other",
                    "client_secret": .string(try #require(other.clientSecret)),
                    "user_identifier": "ada", "passcode": .string(code),
                ])
            #expect(asked.body == Self.no, "the token is the bank's")
            #expect(try await bank.verify(code) == Self.yes, "and its code is still unused")
        }
    }

    @Test("the lock gate counts codes: after five wrong ones, the right one is refused, too")
    func lock() async throws {
        try await run { bank in
            for _ in 0..<5 {
                let verdict = try await bank.verify("000000")
                #expect(verdict == Self.no)
            }
            #expect(try await bank.verify(bank.code()) == Self.no)
            bank.server.time.advance(.seconds(3600))
            #expect(try await bank.verify(bank.code()) == Self.yes)
        }
    }

    @Test("a signature covers every value, and its challenge is valid for one attempt")
    func signatures() async throws {
        try await run { bank in
            let values: [String: JSONValue] = [
                "account": "CH93 0076 2011 6238 5295 7", "amount": "120.50", "currency": "CHF",
            ]
            func challenge() async throws -> String {
                let asked = try await bank.post(
                    "challenges", ["user_identifier": "ada", "template": 3])
                #expect(asked.status == 201 && asked.body["title"] == "Send money")
                #expect(asked.body["fields"] == ["account", "amount", "currency"])
                return try #require(asked.body["challenge"]?.stringValue)
            }
            func response(_ challenge: String, amount: String = "120.5") throws -> String {
                try ShownTransaction(
                    DynamicChallenge(challenge),
                    [
                        .account: "CH9300762011623852957", .amount: amount, .currency: "chf",
                    ]
                ).response(with: bank.token.secret).text
            }
            func verify(
                _ passcode: String, _ challenge: String, _ more: [String: JSONValue] = [:],
                user: String = "ada"
            ) async throws -> JSONValue {
                try await bank.verify(
                    passcode,
                    [
                        "challenge": .string(challenge), "user_identifier": .string(user),
                        "values": .object(values.merging(more) { $1 }),
                    ])
            }
            let first = try await challenge(), signature = try response(first)
            #expect(try await verify(signature, first) == Self.yes)
            #expect(try await verify(signature, first) == Self.no, "used up")

            let second = try await challenge()
            #expect(try await verify(signature, second) == Self.no, "of another challenge")
            #expect(try await verify(response(second), second) == Self.no, "used up by the attempt")

            let third = try await challenge()
            #expect(
                try await verify(response(third), third, ["amount": "1205"]) == Self.no,
                "of other values")
            let fourth = try await challenge()
            #expect(
                try await verify(response(fourth), fourth, user: "nobody") == Self.no,
                "of another user")
            #expect(try await verify(response(fourth), fourth) == Self.yes)

            let fifth = try await challenge()
            bank.server.time.advance(.seconds(301))
            #expect(try await verify(response(fifth), fifth) == Self.no, "expired")
            #expect(
                try await verify(response("000691234568"), "000691234568") == Self.no,
                "never issued")
            #expect(
                try await verify(bank.code(), challenge()) == Self.no, "a code is not a signature")
            #expect(try await bank.verify(bank.code()) == Self.yes)
        }
    }

    @Test("challenges for unknown users look like others")
    func strangers() async throws {
        try await run { bank in
            for user in ["ada", "nobody"] {
                let asked = try await bank.post(
                    "challenges", ["user_identifier": .string(user), "template": 5])
                #expect(asked.status == 201 && asked.body["challenge"]?.stringValue?.count == 12)
            }
        }
    }

    @Test("malformed requests name the field, and never repeat a value")
    func malformed() async throws {
        try await run { bank in
            for (path, body, field) in [
                ("verify", ["passcode": "1"], "user_id"),
                ("verify", ["passcode": "1", "user_id": "a", "user_identifier": "b"], "user_id"),
                ("verify", ["passcode": "", "user_identifier": "ada"], "passcode"),
                (
                    "verify",
                    ["passcode": "1", "user_identifier": "ada", "challenge": "000691234567"],
                    "challenge"
                ),
                (
                    "verify",
                    [
                        "passcode": "1", "user_identifier": "ada", "challenge": "000691234568",
                        "values": ["account": "secret account!"],
                    ], "values"
                ),
                (
                    "verify",
                    ["passcode": "1", "user_identifier": "ada", "values": ["amount": "1"]],
                    "challenge"
                ),
                ("challenges", ["user_identifier": "ada", "template": 12], "template"),
                ("challenges", ["user_identifier": "ada", "template": -1], "template"),
            ] as [(String, [String: JSONValue], String)] {
                let answer = try await bank.post(path, body)
                #expect(
                    answer.status == 400
                        && answer.body["errors"]?.arrayValue?.first?["field"] == .string(field),
                    "\(answer)")
                #expect(!JSONText.write(answer.body).contains("secret account"))
            }
        }
    }

    @Test("a user has up to five tokens per app; each signs in, and they share one lock")
    func several() async throws {
        try await run { bank in
            var tokens = [bank.token]
            for _ in 0..<4 { tokens.append(try #require(try await bank.another().token)) }
            #expect(try await bank.another().status == 409)
            for token in tokens {
                #expect(try await bank.verify(token.code(at: bank.server.time.now)) == Self.yes)
            }
            #expect(
                try await bank.server.admin.authenticators(of: bank.user).count {
                    $0.type == .known(.otp)
                } == 5)
            bank.server.time.advance(.seconds(60))
            for _ in 0..<5 { _ = try await bank.verify("000000") }
            for token in tokens {
                #expect(try await bank.verify(token.code(at: bank.server.time.now)) == Self.no)
            }
        }
    }

    @Test("an administrator's lock of one token leaves the others, and allows no new one")
    func locked() async throws {
        try await run { bank in
            let second = try #require(try await bank.another().token)
            let lock =
                "/v1/users/\(bank.user.text)/authenticators/\(bank.token.id)/lock"
            #expect(
                try await bank.server.sendJSON(
                    .post, lock, body: "", access: bank.server.credential.use { $0 }
                ).status == 204)
            #expect(try await bank.verify(bank.code()) == Self.no)
            #expect(try await bank.verify(second.code(at: bank.server.time.now)) == Self.yes)
            #expect(try await bank.another().status == 409)
        }
    }

    @Test("a device has a code of its own token checked, once, behind the lock")
    func confirmed() async throws {
        try await run { bank in
            let second = try #require(try await bank.another().token)
            func confirm(_ id: String, _ code: String) async throws -> Int {
                try await bank.server.sendJSON(
                    .post, "/v1/otp/tokens/confirm",
                    body: JSONText.write(["token_id": .string(id), "passcode": .string(code)])
                ).status
            }
            let code = try bank.code()
            #expect(try await confirm(second.id, code) == 401, "another token's code")
            #expect(try await confirm(bank.token.id, code) == 204)
            #expect(try await confirm(bank.token.id, code) == 401, "used up")
            #expect(try await confirm("aut_unknown", code) == 401)
            #expect(try await confirm("not an id", code) == 400)
            let provisioning = try OTPProvisioning(
                MienOptions(serverPath: bank.server.address, retry: RetryPolicy(attempts: 1)))
            let right = try #require(
                try OneTimeCode(typed: second.code(at: bank.server.time.now)))
            #expect(try await provisioning.confirm(right, of: second.id))
            #expect(try await !provisioning.confirm(right, of: second.id))
            bank.server.time.advance(.seconds(60))
            for _ in 0..<5 { _ = try await confirm(second.id, "000000") }
            #expect(try await confirm(second.id, second.code(at: bank.server.time.now)) == 401)
        }
    }
}
