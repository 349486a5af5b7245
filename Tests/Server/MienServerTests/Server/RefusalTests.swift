import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@testable import MienServer

/// Every violation of docs/biometric-login.md, with the refusal that the page documents.
@Suite("Refusals", .enabled(if: Installed.isThere, Installed.reason))
struct RefusalTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// A signed-in user of an app, and their registered key. Everything is valid except for what a row
    /// changes. Stages share a server, and nothing else.
    struct Stage: Sendable {
        let server: TestServer
        let user, otherUser, otherApp: String
        let client: TokenClient
        let device: WireDevice
        let tokens: TokenClient.Answer

        /// - Parameter number: What no other stage on the server has.
        init(_ server: TestServer, _ number: Int) async throws {
            self.server = server
            (user, otherUser, otherApp) = ("ada\(number)", "bob\(number)", "other_app_\(number)")
            _ = try await server.admin.createApp(
                AppRequest(id: "app_\(number)", name: "App", isFirstParty: true))
            try await server.makeUser(user)
            client = TokenClient(server: server, app: "app_\(number)")
            tokens = try await client.signIn(user)
            device = try WireDevice(client)
            #expect(try await device.setUp(tokens["access_token"]).status == 200)
        }

        var access: String? { tokens["access_token"] }
        var now: Double { Double(server.time.now.seconds) }

        func logIn(
            header: [String: JSONValue?] = [:], claims: [String: JSONValue?] = [:],
            signer: SoftwareSigner? = nil
        ) async throws
            -> TokenClient.Answer
        {
            try await device.logIn(
                jwt: device.request("authenticate", header: header, claims: claims, signer: signer))
        }

        func setUp(
            _ other: WireDevice, header: [String: JSONValue?] = [:],
            claims: [String: JSONValue?] = [:], signer: SoftwareSigner? = nil
        )
            async throws -> TokenClient.Answer
        {
            try await other.setUp(
                access, jwt: other.request("setup", header: header, claims: claims, signer: signer))
        }

        /// Returns another device of the user.
        func otherDevice() throws -> WireDevice {
            var other = try WireDevice(client)
            other.deviceID = "device-0002"
            return other
        }

        /// The header and payload of a valid login.
        func parts() async throws -> (header: String, payload: String) {
            let parts = try await device.request("authenticate").split(separator: ".").map {
                Base64URL.decode($0) ?? []
            }
            return (
                String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self)
            )
        }

        /// Signs and sends the given header and payload, whatever they contain.
        func logIn(_ header: String, _ payload: String, _ sign: ([UInt8]) throws -> [UInt8])
            async throws -> TokenClient.Answer
        {
            let text =
                "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
            return try await device.logIn(
                jwt: "\(text).\(Base64URL.encode(try sign(Array(text.utf8))))")
        }

        func set(_ settings: JSONValue) async throws {
            _ = try await server.admin.updateApp(
                AppID(client.app)!, AppRequest(name: "App", settings: settings))
        }

        /// Logs in with these DPoP headers.
        func logIn(proofs: [String], authorization: [String] = [], action: String = "authenticate")
            async throws -> TokenClient.Answer
        {
            let jwt = try await device.request(action)
            let form = "grant_type=\(TokenClient.biometric)&client_id=\(client.app)&jwt=\(jwt)"
            let fields =
                proofs.map { "dpop: \($0)\r\n" } + authorization.map { "authorization: \($0)\r\n" }
            let connection = try await RawConnection.open(server.address)
            try await connection.send(
                "POST /oauth2/token HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\n\(fields.joined())content-length: \(form.utf8.count)\r\n\r\n\(form)"
            )
            let answer = try #require(try await connection.answer())
            return try TokenClient.Answer(
                status: answer.status, headers: answer.headers,
                body: answer.body.isEmpty ? .null : answer.json)
        }

        func proof(_ changed: [String: JSONValue] = [:], method: String = "POST") async throws
            -> String
        {
            try await client.proof(
                .generate(.es256), "/oauth2/token", method: method, changed: changed)
        }

        /// Returns tokens of the device that are bound to a key.
        func bound() async throws -> (TokenClient.Answer, TokenClient) {
            let key = try SoftwareSigner.generate(.es256)
            let answer = try await device.client.token(
                TokenClient.biometric, [("jwt", device.request("authenticate"))],
                headers: ["dpop": client.proof(key, "/oauth2/token")])
            #expect(answer["token_type"] == "DPoP")
            return (answer, TokenClient(server: server, app: client.app, key: key))
        }
    }

    struct Row: Sendable {
        let name: String
        let error: String
        /// The expected status if it differs from the page's table.
        var status: Int?
        let send: @Sendable (Stage) async throws -> TokenClient.Answer

        init(
            _ name: String, _ error: String, _ status: Int? = nil,
            _ send: @escaping @Sendable (Stage) async throws -> TokenClient.Answer
        ) {
            (self.name, self.error, self.status, self.send) = (name, error, status, send)
        }
    }

    static let rows: [Row] = [
        challenges, keys, algorithms, members, claims, setUps, apps, refreshing, proofs,
    ].flatMap { $0 }

    static let challenges: [Row] = [
        Row("a challenge used before", "invalid_grant") {
            let used = try await $0.client.challenge()
            #expect(
                try await $0.device.logIn(jwt: $0.device.request("authenticate", challenge: used))
                    .status == 200)
            return try await $0.device.logIn(
                jwt: $0.device.request("authenticate", challenge: used))
        },
        Row("a request repeated", "invalid_grant") {
            let jwt = try await $0.device.request("authenticate")
            #expect(try await $0.device.logIn(jwt: jwt).status == 200)
            return try await $0.device.logIn(jwt: jwt)
        },
        Row("a challenge already used by a refused request", "invalid_grant") {
            let used = try await $0.client.challenge()
            _ = try await $0.device.logIn(
                jwt: $0.device.request("authenticate", challenge: used, signer: .generate(.es256)))
            return try await $0.device.logIn(
                jwt: $0.device.request("authenticate", challenge: used))
        },
        Row("a challenge made up", "invalid_grant") {
            try await $0.logIn(claims: ["challenge": .string(String(repeating: "A", count: 32))])
        },
        Row("a challenge for another purpose", "invalid_grant") {
            try await $0.logIn(claims: [
                "challenge": .string($0.client.challenge("anonymous_request"))
            ])
        },
        Row("a challenge of five minutes ago", "invalid_grant") {
            let old = try await $0.client.challenge()
            $0.server.time.advance(.seconds(300))
            return try await $0.device.logIn(jwt: $0.device.request("authenticate", challenge: old))
        },
        Row("no challenge", "invalid_request") {
            try await $0.logIn(claims: ["challenge": .some(nil)])
        },
    ]

    static let keys: [Row] = [
        Row("a swapped key", "invalid_grant") { try await $0.logIn(signer: .generate(.es256)) },
        Row("the key of another user", "invalid_grant") {
            try await $0.server.makeUser($0.otherUser)
            var bobs = try WireDevice($0.client)
            bobs.deviceID = "device-0002"
            let access = try await $0.client.signIn($0.otherUser)["access_token"]
            #expect(try await bobs.setUp(access).status == 200)
            return try await $0.logIn(signer: bobs.signer)
        },
        Row("a setup under the kid of another user's key", "invalid_grant") {
            try await $0.server.makeUser($0.otherUser)
            let thief = try WireDevice($0.client, keyID: $0.device.keyID)
            return try await thief.setUp($0.client.signIn($0.otherUser)["access_token"])
        },
        Row("a key that its user removed", "invalid_grant") {
            let path = "/v1/me/biometrics/\($0.device.keyID)"
            #expect(
                try await $0.client.send(
                    .delete, path, ["authorization": "Bearer \($0.access ?? "")"]
                ).status == 204)
            return try await $0.logIn()
        },
        Row("a key that an administrator removed", "invalid_grant") {
            let user = try await $0.server.userID($0.user)
            let keys = try await $0.server.admin.authenticators(of: user).filter {
                $0.type == .known(.nativeBiometrics)
            }
            try await $0.server.admin.removeAuthenticator(
                try #require(keys.first.flatMap { AuthenticatorID($0.id) }), of: user)
            return try await $0.logIn()
        },
        Row("a key that was replaced", "invalid_grant") {
            #expect(try await WireDevice($0.client).setUp($0.access).status == 200)
            return try await $0.logIn()
        },
        Row("a key locked by wrong signatures", "invalid_grant") {
            for _ in 1...5 { _ = try await $0.logIn(signer: .generate(.es256)) }
            return try await $0.logIn()
        },
        Row("a key of another app", "invalid_grant") {
            let other = $0.otherApp
            _ = try await $0.server.admin.createApp(AppRequest(id: other, name: "Other"))
            let claims: [String: JSONValue?] = ["client_id": .string(other)]
            return try await TokenClient(server: $0.server, app: other).token(
                TokenClient.biometric,
                [("jwt", $0.device.request("authenticate", claims: claims))])
        },
        Row("the key of a suspended user", "invalid_grant") {
            _ = try await $0.server.admin.updateUser(
                $0.server.userID($0.user), UserRequest(state: .suspended))
            return try await $0.logIn()
        },
        Row("an unknown kid", "invalid_grant") {
            try await $0.logIn(header: ["kid": "nobody-knows-this"])
        },
    ]

    static let algorithms: [Row] = [
        Row("alg none, no signature", "invalid_request") {
            let (header, payload) = try await $0.parts()
            return try await $0.logIn(header.replacing("ES256", with: "none"), payload) { _ in [] }
        },
        Row("alg none, the right signature", "invalid_request") {
            let (header, payload) = try await $0.parts(), key = $0.device.signer
            return try await $0.logIn(header.replacing("ES256", with: "none"), payload) {
                try key.sign($0)
            }
        },
        Row("HS256 with the public key as PEM", "invalid_request") {
            let (header, payload) = try await $0.parts(), jwk = $0.device.signer.publicKey.jwk
            let point = ["x", "y"].flatMap { Base64URL.decode(jwk[$0]?.stringValue ?? "") ?? [] }
            let pem = try P256.Signing.PublicKey(x963Representation: [4] + point).pemRepresentation
            return try await $0.logIn(header.replacing("ES256", with: "HS256"), payload) {
                Array(
                    HMAC<SHA256>.authenticationCode(
                        for: $0, using: SymmetricKey(data: Data(pem.utf8))))
            }
        },
        Row("HS256 with the public key as JWK", "invalid_request") {
            let (header, payload) = try await $0.parts(),
                jwk = JSONText.write($0.device.signer.publicKey.jwk)
            return try await $0.logIn(header.replacing("ES256", with: "HS256"), payload) {
                Array(
                    HMAC<SHA256>.authenticationCode(
                        for: $0, using: SymmetricKey(data: Data(jwk.utf8))))
            }
        },
        Row("RS256 under a P-256 key", "invalid_grant") {
            try await $0.logIn(signer: .generate(.rs256))
        },
        Row("EdDSA in the header, ES256 in the signature", "invalid_grant") {
            let (header, payload) = try await $0.parts(), key = $0.device.signer
            return try await $0.logIn(header.replacing("ES256", with: "EdDSA"), payload) {
                try key.sign($0)
            }
        },
        Row("a signature in DER", "invalid_grant") {
            let (header, payload) = try await $0.parts(), key = $0.device.signer
            return try await $0.logIn(header, payload) {
                Array(
                    try P256.Signing.ECDSASignature(rawRepresentation: key.sign($0))
                        .derRepresentation)
            }
        },
        Row("a signature of zeros", "invalid_grant") {
            let (header, payload) = try await $0.parts()
            return try await $0.logIn(header, payload) { _ in Array(repeating: 0, count: 64) }
        },
        Row("no signature", "invalid_grant") {
            let (header, payload) = try await $0.parts()
            return try await $0.logIn(header, payload) { _ in [] }
        },
        Row("a signature of something else", "invalid_grant") {
            let (header, payload) = try await $0.parts(), key = $0.device.signer
            return try await $0.logIn(header, payload) { try key.sign($0 + [32]) }
        },
    ]

    static let members: [Row] = [
        Row("kid twice", "invalid_request") {
            let (header, payload) = try await $0.parts(), key = $0.device.signer
            return try await $0.logIn(#"{"kid":"another-key","# + header.dropFirst(), payload) {
                try key.sign($0)
            }
        },
        Row("alg twice", "invalid_request") {
            let (header, payload) = try await $0.parts(), key = $0.device.signer
            return try await $0.logIn(#"{"alg":"none","# + header.dropFirst(), payload) {
                try key.sign($0)
            }
        },
        Row("aud twice", "invalid_request") {
            let (header, payload) = try await $0.parts(), key = $0.device.signer
            return try await $0.logIn(
                header, #"{"aud":"https://elsewhere.example","# + payload.dropFirst()
            ) { try key.sign($0) }
        },
        Row("jwt twice in the form", "invalid_request") {
            let one = try await $0.device.request("authenticate"),
                two = try await $0.device.request("authenticate")
            return try await $0.client.token(TokenClient.biometric, [("jwt", one), ("jwt", two)])
        },
        Row("no jwt in the form", "invalid_request") {
            try await $0.client.token(TokenClient.biometric)
        },
        Row("crit", "invalid_request") { try await $0.logIn(header: ["crit": ["exp"]]) },
        Row("jwk in a log-in", "invalid_request") {
            try await $0.logIn(header: ["jwk": $0.device.signer.publicKey.jwk])
        },
        Row("another typ", "invalid_request") { try await $0.logIn(header: ["typ": "JWT"]) },
        Row("a short kid", "invalid_request") { try await $0.logIn(header: ["kid": "short"]) },
        Row("no kid", "invalid_request") { try await $0.logIn(header: ["kid": .some(nil)]) },
        Row("a malformed JWT", "invalid_request") { try await $0.device.logIn(jwt: "a.b") },
        Row("more than 16 KiB", "invalid_request") {
            try await $0.logIn(claims: ["more": .string(String(repeating: "x", count: 16_384))])
        },
    ]

    static let claims: [Row] = [
        Row("another audience", "invalid_grant") {
            try await $0.logIn(claims: ["aud": "https://elsewhere.example"])
        },
        Row("no audience", "invalid_grant") { try await $0.logIn(claims: ["aud": .some(nil)]) },
        Row("another client_id", "invalid_grant") {
            try await $0.logIn(claims: ["client_id": "other_app"])
        },
        Row("expired", "invalid_grant") {
            try await $0.logIn(claims: ["iat": .number($0.now - 361), "exp": .number($0.now - 301)])
        },
        Row("a future iat", "invalid_grant") {
            try await $0.logIn(claims: ["iat": .number($0.now + 301), "exp": .number($0.now + 361)])
        },
        Row("61 seconds", "invalid_grant") {
            try await $0.logIn(claims: ["exp": .number($0.now + 61)])
        },
        Row("no iat", "invalid_request") { try await $0.logIn(claims: ["iat": .some(nil)]) },
        Row("no exp", "invalid_request") { try await $0.logIn(claims: ["exp": .some(nil)]) },
        Row("another action", "invalid_request") {
            try await $0.logIn(claims: ["action": "dance"])
        },
    ]

    static let setUps: [Row] = [
        Row("a setup without authentication", "invalid_grant", 401) {
            try await $0.otherDevice().setUp(nil)
        },
        Row("a setup with a made-up token", "invalid_grant", 401) {
            try await $0.otherDevice().setUp("made.up.token")
        },
        Row("a setup with an ID token", "invalid_grant", 401) {
            try await $0.otherDevice().setUp($0.tokens["id_token"])
        },
        Row("a setup with two authorizations", "invalid_grant", 401) {
            let bearer = "Bearer \($0.access ?? "")"
            return try await $0.logIn(proofs: [], authorization: [bearer, bearer], action: "setup")
        },
        Row("a setup signed with another key than it brings", "invalid_grant") {
            try await $0.setUp(
                $0.otherDevice(), header: ["jwk": SoftwareSigner.generate(.es256).publicKey.jwk])
        },
        Row("a setup without a key", "invalid_request") {
            try await $0.setUp($0.otherDevice(), header: ["jwk": .some(nil)])
        },
        Row("a setup without a model", "invalid_request") {
            try await $0.setUp($0.otherDevice(), claims: ["device_info": [:]])
        },
        Row("a key too many", "unauthorized_client") {
            try await $0.set(["biometric": ["max_keys": 1]])
            return try await $0.setUp($0.otherDevice())
        },
    ]

    static let apps: [Row] = [
        Row("an app without biometric login", "unauthorized_client") {
            try await $0.set(["biometric": ["enabled": false]])
            return try await $0.logIn()
        },
        Row("an unknown app", "invalid_client") {
            try await TokenClient(server: $0.server, app: "nobody").token(
                TokenClient.biometric, [("jwt", $0.device.request("authenticate"))])
        },
        Row("an unknown grant type", "unsupported_grant_type") {
            try await $0.client.token("magic")
        },
        Row("a malformed scope", "invalid_scope") {
            try await $0.device.logIn([("scope", "offline_access full-access \"root\"")])
        },
        Row("too little scope", "invalid_scope") {
            try await $0.device.logIn([("scope", "openid")])
        },
        Row("a resource that is not the app's", "invalid_target") {
            try await $0.device.logIn([("resource", "https://x.example")])
        },
        Row("user info without openid", "insufficient_scope") {
            try await $0.client.userInfo(
                $0.device.logIn([("scope", "offline_access full-access")])["access_token"])
        },
        Row("a full queue", "temporarily_unavailable") {
            let share = $0.server.server.parts.bodies.share(for: nil, of: "127.0.0.1")
            defer { withExtendedLifetime(share) {} }
            try share.take(BodyBudget.free + BodyBudget.standard / BodyBudget.part)
            return try await $0.device.logIn([
                ("more", String(repeating: "x", count: BodyBudget.free))
            ])
        },
    ]

    static let refreshing: [Row] = [
        Row("a rotated refresh token", "invalid_grant") {
            #expect(try await $0.client.refresh($0.tokens["refresh_token"]).status == 200)
            $0.server.time.advance(RefreshFamily.grace)
            return try await $0.client.refresh($0.tokens["refresh_token"])
        },
        Row("its successor, after that", "invalid_grant") {
            let next = try await $0.client.refresh($0.tokens["refresh_token"])
            $0.server.time.advance(RefreshFamily.grace)
            _ = try await $0.client.refresh($0.tokens["refresh_token"])
            return try await $0.client.refresh(next["refresh_token"])
        },
        Row("the successor's access token, after that", "invalid_token") {
            let next = try await $0.client.refresh($0.tokens["refresh_token"])
            $0.server.time.advance(RefreshFamily.grace)
            _ = try await $0.client.refresh($0.tokens["refresh_token"])
            return try await $0.client.userInfo(next["access_token"])
        },
        Row("the refresh token of another app", "invalid_grant") {
            _ = try await $0.server.admin.createApp(AppRequest(id: $0.otherApp, name: "Other"))
            return try await TokenClient(server: $0.server, app: $0.otherApp).refresh(
                $0.tokens["refresh_token"])
        },
    ]

    static let proofs: [Row] = [
        Row("a proof used before", "invalid_dpop_proof") {
            let proof = try await $0.proof()
            #expect(try await $0.logIn(proofs: [proof]).status == 200)
            return try await $0.logIn(proofs: [proof])
        },
        Row("two DPoP headers", "invalid_dpop_proof") {
            try await $0.logIn(proofs: [$0.proof(), $0.proof()])
        },
        Row("two proofs in one header", "invalid_dpop_proof") {
            try await $0.logIn(proofs: ["\($0.proof()), \($0.proof())"])
        },
        Row("a proof for another address", "invalid_dpop_proof") {
            try await $0.logIn(proofs: [$0.proof(["htu": "https://x.example/"])])
        },
        Row("a proof for another method", "invalid_dpop_proof") {
            try await $0.logIn(proofs: [$0.proof(method: "GET")])
        },
        Row("a proof of five minutes ago", "invalid_dpop_proof") {
            try await $0.logIn(proofs: [$0.proof(["iat": .number($0.now - 301)])])
        },
        Row("a proof from the future", "invalid_dpop_proof") {
            try await $0.logIn(proofs: [$0.proof(["iat": .number($0.now + 301)])])
        },
        Row("a login request as a proof", "invalid_dpop_proof") {
            try await $0.logIn(proofs: [$0.device.request("authenticate")])
        },
        Row("a proof signed with another key than it brings", "invalid_dpop_proof") {
            let proof = try await $0.proof().split(separator: "."),
                other = try await $0.proof().split(separator: ".")
            return try await $0.logIn(proofs: ["\(proof[0]).\(proof[1]).\(other[2])"])
        },
        Row("a setup's proof without its token's hash", "invalid_dpop_proof") {
            let (tokens, client) = try await $0.bound(), key = try #require(client.key)
            return try await $0.logIn(
                proofs: [$0.client.proof(key, "/oauth2/token")],
                authorization: ["DPoP \(tokens["access_token"] ?? "")"], action: "setup")
        },
        Row("a bound refresh token without a proof", "invalid_grant") {
            try await $0.client.refresh($0.bound().0["refresh_token"])
        },
        Row("a bound refresh token with another key's proof", "invalid_grant") {
            try await TokenClient(
                server: $0.server, app: $0.client.app, key: .generate(.es256)
            ).refresh($0.bound().0["refresh_token"])
        },
        Row("a bound access token as a bearer token", "invalid_token") {
            try await $0.client.userInfo($0.bound().0["access_token"])
        },
    ]

    /// Parses the first column of the page's table: each `error` with its status.
    private static func documented() throws -> [String: Int] {
        let page = try String(
            contentsOf: Peer.repository.appending(path: "docs/biometric-login.md"), encoding: .utf8)
        let section = try #require(
            page.components(separatedBy: "## Refusals").dropFirst().first?.components(
                separatedBy: "\n## "
            ).first)
        var errors: [String: Int] = [:]
        for row in section.split(separator: "\n")
        where row.hasPrefix("| `") && !row.hasPrefix("| `error` |") {
            let cell = row.split(separator: "|")[0]
            for match in cell.matches(of: /`([a-z_]+)`(?: \((\d+)\))?/) {
                errors[String(match.1)] = match.2.flatMap { Int($0) } ?? 400
            }
        }
        return errors
    }

    @Test("each row is refused")
    func refused() async throws {
        let documented = try Self.documented()
        try await TestServer.run(in: scratch) { server in
            for (number, row) in Self.rows.enumerated() {
                do {
                    let status = try #require(row.status ?? documented[row.error])
                    let answer = try await row.send(Stage(server, number))
                    #expect(
                        answer.status == status && answer.error == row.error,
                        "\(row.name): \(answer.status) \(answer.body)")
                    #expect(
                        answer["error_description"]?.isEmpty == false
                            && answer.body["access_token"] == nil, "\(row.name)")
                } catch { Issue.record("\(row.name): \(error)") }
            }
        }
    }

    @Test("the number of rows is as expected, and they cover every error of the page")
    func table() throws {
        #expect(Self.rows.count == 81)
        #expect(Set(Self.rows.map(\.name)).count == Self.rows.count)
        let documented = try Self.documented()
        #expect(Set(Self.rows.map(\.error)) == Set(documented.keys))
    }

    @Test("without a row's change, requests are accepted")
    func baseline() async throws {
        try await TestServer.run(in: scratch) { server in
            let stage = try await Stage(server, 0)
            #expect(try await stage.logIn().status == 200)
            let (header, payload) = try await stage.parts(), key = stage.device.signer
            #expect(try await stage.logIn(header, payload) { try key.sign($0) }.status == 200)
            // At the limits of the allowed clock deviation.
            #expect(
                try await stage.logIn(claims: [
                    "iat": .number(stage.now - 360), "exp": .number(stage.now - 300),
                ]).status == 200)
            #expect(
                try await stage.logIn(claims: [
                    "iat": .number(stage.now + 300), "exp": .number(stage.now + 360),
                ]).status == 200)
            #expect(try await stage.logIn(proofs: [stage.proof()])["token_type"] == "DPoP")
            #expect(
                try await stage.logIn(proofs: [stage.proof(["iat": .number(stage.now - 300)])])
                    .status == 200)
            #expect(
                try await stage.logIn(proofs: [stage.proof(["iat": .number(stage.now + 300)])])
                    .status == 200)
            #expect(
                try await stage.logIn(
                    proofs: [], authorization: ["Bearer \(stage.access ?? "")"], action: "setup"
                ).status == 200)
            let (tokens, client) = try await stage.bound()
            #expect(try await client.refresh(tokens["refresh_token"]).status == 200)
            #expect(try await stage.setUp(stage.otherDevice()).status == 200)
            #expect(try await stage.client.userInfo(stage.access)["sub"] != nil)
        }
    }
}
