import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@testable import MienServer

@Suite("Passkeys", .enabled(if: Installed.isThere, Installed.reason))
struct PasskeyTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    static let refused =
        "The passkey cannot sign in here, or its response is no longer valid. Request new options."

    /// Runs `body` with a server that has a host name, a signed-in user, and their authenticator.
    func withPasskey(
        _ algorithm: DeviceKeyAlgorithm = .es256, settings: [String: String] = [:],
        _ body: @Sendable (TestServer, SoftwarePasskey, _ access: String?) async throws -> Void
    ) async throws {
        let named = ["MIEN_PUBLIC_URL": SoftwarePasskey.origin].merging(settings) { $1 }
        try await TestServer.run(in: scratch, settings: named) { server in
            let user = try await server.makeUser(), client = TokenClient(server: server)
            let tokens = try await client.signIn()
            #expect(tokens.status == 200, "\(tokens.body)")
            try await body(
                server,
                SoftwarePasskey(client, algorithm).with { $0.userHandle = Array(user.text.utf8) },
                tokens["access_token"])
        }
    }

    static func passkeys(_ client: TokenClient, _ access: String?) async throws
        -> [JSONValue]
    {
        let answer = try await client.send(.get, "/v1/me/passkeys", SoftwarePasskey.headers(access))
        #expect(answer.status == 200)
        return answer.body["items"]?.arrayValue ?? []
    }

    static func problem(_ answer: TokenClient.Answer) -> [String?] {
        [
            String(answer.status), answer["code"],
            answer.body["errors"]?.arrayValue?.first?["message"]?.stringValue ?? answer["detail"],
        ]
    }

    static func reasons(_ server: TestServer) async throws -> [JSONValue] {
        try await server.admin.audit().items.filter { $0.event == "passkey.refused" }.compactMap {
            $0.detail["reason"]
        }
    }

    // MARK: Accepted

    @Test(
        "a signed-in user registers a passkey and signs in with it, with or without a name",
        arguments: DeviceKeyAlgorithm.allCases, [false, true])
    func life(_ algorithm: DeviceKeyAlgorithm, isAttested: Bool) async throws {
        try await withPasskey(algorithm) { server, passkey, access in
            let registered = try await passkey.register(
                access, name: "My laptop", isAttested: isAttested)
            #expect(registered.status == 200, "\(registered.body)")
            #expect(
                registered["name"] == "My laptop"
                    && registered["attestation"] == (isAttested ? "self" : "none"))
            #expect(
                registered.body["transports"] == ["internal"], "unknown transports are left out")
            #expect(
                registered["algorithm"] == algorithm.rawValue
                    && registered["aaguid"] == "00000000-0000-0000-0000-000000000000")
            #expect(
                registered.body["used_at"] == nil && registered.body["backup_eligible"] == false)

            let user = try await server.userID("ada")
            var next = passkey
            for name in [nil, "ada", "ada@example.org"] {
                next.counter += 1
                let tokens = try await next.signIn(as: name)
                #expect(tokens.status == 200, "\(tokens.body)")
                #expect(
                    tokens["token_type"] == "Bearer"
                        && tokens["scope"] == "full-access offline_access openid"
                        && tokens["refresh_token"] != nil)
                let claims = try TokenClient.claims(tokens["id_token"])
                #expect(
                    claims["amr"] == ["pop", "mfa"] && claims["acr"] == "2"
                        && claims["sub"] == .string(user.text))
                #expect(try await passkey.client.userInfo(tokens["access_token"]).status == 200)
                #expect(try await passkey.client.refresh(tokens["refresh_token"]).status == 200)
            }
            let listed = try await Self.passkeys(passkey.client, access)
            #expect(
                listed.count == 1
                    && listed[0]["used_at"] == .number(Double(server.time.now.milliseconds)))
            let events = try await server.admin.audit().items.map(\.event).filter {
                $0.hasPrefix("passkey.")
            }
            #expect(
                events.sorted() == [
                    "passkey.accepted", "passkey.accepted", "passkey.accepted",
                    "passkey.registered",
                ])
        }
    }

    @Test("options contain what WebAuthn requires")
    func options() async throws {
        try await withPasskey { server, passkey, access in
            let user = try await server.userID("ada")
            let first = try #require(
                try await passkey.registrationOptions(access).body["publicKey"])
            #expect(
                first["rp"]?["id"] == "login.example.org" && first["user"]?["name"] == "ada"
                    && first["excludeCredentials"] == [])
            #expect(
                first["user"]?["id"] == .string(Base64URL.encode(Array(user.text.utf8)))
                    && first["attestation"] == "none")
            #expect(first["pubKeyCredParams"]?.arrayValue?.map { $0["alg"] } == [-7, -8, -257])
            #expect(first["authenticatorSelection"]?["userVerification"] == "required")
            #expect(try await passkey.register(access).status == 200)
            let direct = try await passkey.registrationOptions(
                passkey.access(counter: 2), #"{"attestation": "direct"}"#
            ).body["publicKey"]
            #expect(
                direct?["attestation"] == "direct" && direct?["challenge"] != first["challenge"])
            #expect(
                direct?["excludeCredentials"] == [
                    [
                        "type": "public-key", "id": .string(Base64URL.encode(passkey.id)),
                        "transports": ["internal"],
                    ]
                ])
            let open = try await passkey.signInOptions()
            #expect(
                open["rpId"] == "login.example.org" && open["userVerification"] == "required"
                    && open["allowCredentials"] == [])
        }
    }

    @Test("unknown names get the same answer as users: ten IDs, the same each time")
    func strangers() async throws {
        try await withPasskey { server, passkey, access in
            @Sendable func ids(_ name: String) async throws -> [String] {
                let options = try await passkey.signInOptions(name)
                #expect(
                    options.objectValue?.keys.sorted() == [
                        "allowCredentials", "challenge", "rpId", "timeout", "userVerification",
                    ])
                let allowed = try #require(options["allowCredentials"]?.arrayValue)
                #expect(
                    allowed.allSatisfy { $0["type"] == "public-key" && $0.objectValue?.count == 2 })
                let ids = allowed.compactMap { $0["id"]?.stringValue }
                #expect(ids.count == 10 && Set(ids).count == 10 && ids == ids.sorted())
                return ids
            }
            let before = try await ids("ada"), nobody = try await ids("nobody")
            #expect(try await ids(" ADA ") == before, "names are normalized")
            #expect(try await passkey.register(access).status == 200)
            let after = try await ids("ada"), own = Base64URL.encode(passkey.id)
            #expect(
                after.contains(own) && Set(after).subtracting(before) == [own]
                    && Set(before).subtracting(after).count == 1)
            #expect(try await ids("nobody") == nobody)
            #expect(Set(nobody).isDisjoint(with: before))
            let lengths = Set(nobody.map { Base64URL.decode($0)?.count ?? 0 })
            #expect(lengths.isSubset(of: [16, 20, 32, 48, 64]))
            _ = try await server.admin.updateUser(
                server.userID("ada"), UserRequest(state: .suspended))
            let suspended = try await ids("ada")
            #expect(!suspended.contains(own))
        }
    }

    @Test("a scope can be requested, and tokens can be bound to a key")
    func scope() async throws {
        try await withPasskey { _, passkey, access in
            #expect(try await passkey.register(access).status == 200)
            let small = passkey.with { $0.counter = 2 }
            let tokens = try await small.signIn(
                small.credential(answering: small.signInOptions()), ["scope": "openid"])
            #expect(
                tokens["scope"] == "openid" && tokens["refresh_token"] == nil
                    && tokens["id_token"] != nil)
            let next = passkey.with { $0.counter = 3 }
            let foreign = try await next.signIn(
                next.credential(answering: next.signInOptions()), ["scope": "openid everything"])
            #expect(
                foreign.status == 200 && foreign["scope"] == "openid",
                "unknown scopes are left out: \(foreign.body)")
            let bound = passkey.with { $0.counter = 4 }, key = try SoftwareSigner.generate(.es256)
            let credential = try await bound.credential(answering: bound.signInOptions())
            var client = passkey.client
            client.key = key
            // The proof is for the server's public URL.
            let proof = try await client.proof(
                key, "", changed: ["htu": .string(SoftwarePasskey.origin + "/v1/webauthn/login")])
            let dpop = try await bound.signIn(credential, headers: ["dpop": proof])
            #expect(dpop.status == 200 && dpop["token_type"] == "DPoP", "\(dpop.body)")
        }
    }

    @Test("a browser that sends an empty user handle for a security key signs in by name")
    func emptyHandle() async throws {
        try await withPasskey { server, passkey, access in
            #expect(try await passkey.register(access).status == 200)
            // Safari sends one for keys that are not discoverable.
            var keyed = passkey.with { $0.userHandle = [] }
            // More often than the lock allows failures.
            for _ in 0..<6 {
                keyed.counter += 1
                let answer = try await keyed.signIn(as: "ada")
                #expect(answer.status == 200, "\(answer.body)")
            }
            keyed.counter += 1
            #expect(
                try await keyed.signIn().status == 401, "without a name, the response must name one"
            )
        }
    }

    // MARK: Rejected

    @Test("all invalid responses get the same refusal, and the audit log has the reason")
    func negatives() async throws {
        try await withPasskey { server, passkey, access in
            #expect(try await passkey.register(access).status == 200)
            try await server.makeUser("eve")
            let eve = try SoftwarePasskey(passkey.client).with {
                $0.userHandle = Array("usr_other".utf8)
            }
            let tokens = try await passkey.client.signIn("eve")
            #expect(try await eve.register(tokens["access_token"]).status == 200)
            let other = try SoftwareSigner.generate(.es256)
            // Five failures lock the passkey, so the clock advances an hour before each case.
            let cases: [(String, String?, @Sendable (JSONValue) throws -> JSONValue)] = [
                (
                    "webauthn.origin", nil,
                    {
                        try passkey.with { $0.origin = "https://login.example.com" }.credential(
                            answering: $0)
                    }
                ),
                (
                    "webauthn.origin", nil,
                    {
                        try passkey.with { $0.origin = "https://login.example.org:8443" }
                            .credential(answering: $0)
                    }
                ),
                (
                    "attestation.relying-party", nil,
                    { try passkey.with { $0.rpID = "example.org" }.credential(answering: $0) }
                ),
                (
                    "webauthn.user-verification", nil,
                    { try passkey.with { $0.flags = 0x01 }.credential(answering: $0) }
                ),
                (
                    "webauthn.user-presence", nil,
                    { try passkey.with { $0.flags = 0x04 }.credential(answering: $0) }
                ),
                (
                    "webauthn.backup", nil,
                    { try passkey.with { $0.flags = 0x0d }.credential(answering: $0) }
                ),
                (
                    "webauthn.ceremony", nil,
                    { try passkey.credential(answering: $0, type: "webauthn.create") }
                ),
                (
                    "attestation.signature", nil,
                    { try passkey.credential(answering: $0, signer: other) }
                ),
                // Another user's key under this credential's ID, another user's handle, and another
                // user's credential.
                (
                    "attestation.signature", "ada",
                    { try passkey.credential(answering: $0, signer: eve.signer) }
                ),
                (
                    "webauthn.credential", nil,
                    {
                        try passkey.with { $0.userHandle = eve.userHandle }.credential(
                            answering: $0)
                    }
                ),
                (
                    "user-handle", nil,
                    { try passkey.with { $0.userHandle = nil }.credential(answering: $0) }
                ),
                ("challenge", "ada", { try eve.credential(answering: $0) }),
                ("challenge", "nobody", { try passkey.credential(answering: $0) }),
                ("unknown", nil, { try SoftwarePasskey(passkey.client).credential(answering: $0) }),
                (
                    "challenge", nil,
                    { _ in
                        try passkey.credential(answering: [
                            "challenge": .string(
                                Base64URL.encode([UInt8](repeating: 65, count: 32)))
                        ])
                    }
                ),
            ]
            for (index, (reason, name, answer)) in cases.enumerated() {
                server.time.advance(.seconds(3600))
                let refused = try await passkey.signIn(answer(passkey.signInOptions(name)))
                #expect(
                    Self.problem(refused) == ["401", "invalid_credentials", Self.refused],
                    "\(reason)")
                let reasons = try await Self.reasons(server)
                #expect(
                    reasons.count == index + 1 && reasons.contains(.string(reason)),
                    "\(reason): \(reasons)")
            }
            server.time.advance(.seconds(3600))
            #expect(
                try await passkey.with { $0.counter = 2 }.signIn(as: "ada").status == 200,
                "a valid response still signs in")
            #expect(!server.logs.text.contains(Base64URL.encode(passkey.id)))
        }
    }

    @Test("a response is valid once, and only for its app and purpose")
    func once() async throws {
        try await withPasskey { server, passkey, access in
            #expect(try await passkey.register(access).status == 200)
            let next = passkey.with { $0.counter = 2 }
            let answer = try await next.credential(answering: next.signInOptions())
            #expect(try await next.signIn(answer).status == 200)
            #expect(try await next.signIn(answer).status == 401)
            // A wrong response uses up its challenge.
            let later = passkey.with { $0.counter = 3 }, options = try await later.signInOptions()
            #expect(
                try await later.signIn(later.with { $0.flags = 1 }.credential(answering: options))
                    .status == 401)
            #expect(try await later.signIn(later.credential(answering: options)).status == 401)
            // Expired.
            let slow = try await later.credential(answering: later.signInOptions())
            server.time.advance(.seconds(300))
            #expect(try await later.signIn(slow).status == 401)
            // For another purpose, in either direction.
            let strong = try await passkey.access(counter: 4)
            let creating = try #require(
                try await passkey.registrationOptions(strong).body["publicKey"])
            #expect(try await later.signIn(later.credential(answering: creating)).status == 401)
            let second = try SoftwarePasskey(passkey.client)
            let wrong = try await second.register(
                strong, second.credential(creating: passkey.signInOptions()))
            #expect(Self.problem(wrong).prefix(2) == ["400", "invalid_request"])
            // For another app.
            _ = try await server.admin.createApp(AppRequest(id: "second_app", name: "Second"))
            let elsewhere = try SoftwarePasskey(TokenClient(server: server, app: "second_app"))
            #expect(
                try await later.signIn(later.credential(answering: elsewhere.signInOptions()))
                    .status == 401)
            #expect(try await later.with { $0.counter = 9 }.signIn(as: "ada").status == 200)
            // Device challenges come from another endpoint.
            let asked = try await passkey.client.send(
                .post, "/oauth2/challenge", SoftwarePasskey.headers(nil),
                #"{"purpose":"passkey_sign_in"}"#)
            #expect(asked.status == 400)
        }
    }

    @Test(
        "a counter that does not grow is refused and recorded as a possible clone; an unused counter is ignored"
    )
    func clones() async throws {
        try await withPasskey { server, passkey, access in
            #expect(try await passkey.register(access).status == 200)
            #expect(try await passkey.with { $0.counter = 9 }.signIn().status == 200)
            for counter: UInt32 in [9, 8, 0] {
                let refused = try await passkey.with { $0.counter = counter }.signIn()
                #expect(Self.problem(refused) == ["401", "invalid_credentials", Self.refused])
            }
            #expect(
                try await server.admin.audit().items.count { $0.event == "passkey.possible_clone" }
                    == 3)
            #expect(try await passkey.with { $0.counter = 10 }.signIn().status == 200)
            // Two copies of a key respond at the same time.
            let twins = [passkey, passkey].map { $0.with { $0.counter = 11 } }
            let answers = try await [
                twins[0].credential(answering: twins[0].signInOptions()),
                twins[1].credential(answering: twins[1].signInOptions()),
            ]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for (twin, answer) in zip(twins, answers) {
                    tasks.addTask { try await twin.signIn(answer).status }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 401])

            let synced = try SoftwarePasskey(passkey.client).with {
                ($0.counter, $0.flags, $0.userHandle) = (0, 0x1d, passkey.userHandle)
            }
            #expect(try await synced.register(passkey.access(counter: 12)).status == 200)
            for _ in 0..<2 { #expect(try await synced.signIn().status == 200) }
        }
    }

    @Test("wrong responses lock a passkey, and an administrator's lock holds")
    func locks() async throws {
        try await withPasskey { server, passkey, access in
            #expect(try await passkey.register(access).status == 200)
            for _ in 0..<5 {
                #expect(try await passkey.with { $0.flags = 1 }.signIn().status == 401)
            }
            let next = passkey.with { $0.counter = 2 }
            #expect(
                Self.problem(try await next.signIn()) == [
                    "401", "invalid_credentials", Self.refused,
                ], "the same answer as for a wrong response")
            let entries = try await server.admin.audit().items.filter {
                $0.event == "passkey.refused" && $0.detail["locked"] == true
            }
            #expect(entries.count == 1)
            server.time.advance(.seconds(3600))
            #expect(try await next.signIn().status == 200)
        }
    }

    @Test("an invalid registration is explained, because it is the user's own")
    func registration() async throws {
        try await withPasskey { server, passkey, access in
            @Sendable func refusal(_ made: SoftwarePasskey) async throws -> String? {
                let answer = try await made.register(access)
                #expect(answer.status == 400 && answer["code"] == "invalid_request")
                return answer.body["errors"]?.arrayValue?.first?["message"]?.stringValue
            }
            #expect(
                try await refusal(passkey.with { $0.origin = "http://login.example.org" })?
                    .hasPrefix("webauthn.origin") == true)
            #expect(
                try await refusal(passkey.with { $0.rpID = "example.org" })?.hasPrefix(
                    "attestation.relying-party") == true)
            #expect(
                try await refusal(passkey.with { $0.flags = 0x01 })?.hasPrefix(
                    "webauthn.user-verification") == true)
            let
                options = try #require(
                    try await passkey.registrationOptions(access).body["publicKey"]),
                made = try passkey.credential(creating: options)
            #expect(try await passkey.register(access, made, name: "two\nlines").status == 400)
            #expect(try await passkey.register(access, made).status == 200)
            let strong = try await passkey.access(counter: 2)
            #expect(
                try await passkey.register(strong, made).status == 400, "the challenge is used up")
            #expect(
                Self.problem(try await passkey.register(strong)).prefix(2) == ["409", "conflict"],
                "sent although excluded")
            // Another user presents the credential, or a challenge that was issued to somebody
            // else.
            try await server.makeUser("eve")
            let eve = try await passkey.client.signIn("eve")["access_token"]
            #expect(try await passkey.register(eve).status == 409)
            let
                stolen = try #require(
                    try await passkey.registrationOptions(strong).body["publicKey"]),
                second = try SoftwarePasskey(passkey.client)
            #expect(
                try await second.register(eve, second.credential(creating: stolen)).status == 400)
            #expect(try await second.registrationOptions(nil).status == 401)
            #expect(
                try await second.register(nil, second.credential(creating: stolen)).status == 401)
            #expect(try await Self.passkeys(passkey.client, eve) == [])
        }
    }

    @Test("malformed requests are rejected and the field is named")
    func forms() async throws {
        try await withPasskey { server, passkey, access in
            @Sendable func field(_ path: String, _ body: String) async throws -> String? {
                let answer = try await passkey.client.send(
                    .post, "/v1/webauthn/\(path)", SoftwarePasskey.headers(access), body)
                #expect(
                    answer.status == 400 && answer["code"] == "invalid_request",
                    "\(path) \(body): \(answer.body)")
                return answer.body["errors"]?.arrayValue?.first?["field"]?.stringValue
            }
            #expect(
                try await field("register/options", #"{"attestation":"enterprise"}"#)
                    == "attestation")
            #expect(try await field("register", "{}") == "credential.type")
            #expect(
                try await field("register", #"{"credential":{"type":"public-key"}}"#)
                    == "credential.response")
            #expect(
                try await field(
                    "register",
                    #"{"credential":{"type":"public-key","rawId":"AA==","response":{}}}"#)
                    == "credential.rawId")
            #expect(try await field("register", #"{"user":"eve"}"#) == "user")
            let long = Base64URL.encode([UInt8](repeating: 1, count: 1024))
            #expect(
                try await field(
                    "login",
                    #"{"client_id":"default_application","credential":{"type":"public-key","rawId":"\#(long)","response":{}}}"#
                )
                    == "credential.rawId")
            #expect(
                try await field(
                    "login",
                    #"{"client_id":"default_application","credential":{"type":"public-key","rawId":"AA","response":{}}}"#
                )
                    == "credential.response.clientDataJSON")
            #expect(try await field("login", "{}") == "client_id")
            #expect(try await field("login", #"{"client_id":1}"#) == "client_id")
            #expect(try await field("login/options", "{}") == "client_id")
            let foreign = try await passkey.client.send(
                .post, "/v1/webauthn/login/options", SoftwarePasskey.headers(nil),
                #"{"client_id":"nobodys_app"}"#)
            #expect(foreign.status == 401)
        }
    }
}
