import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@Suite("Biometric login", .enabled(if: Installed.isThere, Installed.reason))
struct BiometricLoginTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Runs a server with a signed-in user and their device.
    private func withDevice(
        _ algorithm: DeviceKeyAlgorithm = .es256, settings: [String: String] = [:],
        _ body:
            @Sendable (TestServer, TokenClient, WireDevice, _ accessToken: String?) async throws ->
            Void
    ) async throws {
        try await TestServer.run(in: scratch, settings: settings) { server in
            try await server.makeUser()
            let client = TokenClient(server: server)
            let tokens = try await client.signIn()
            #expect(tokens.status == 200, "\(tokens.body)")
            try await body(server, client, WireDevice(client, algorithm), tokens["access_token"])
        }
    }

    @Test(
        "a signed-in user registers a key and logs in with it",
        arguments: DeviceKeyAlgorithm.allCases)
    func life(_ algorithm: DeviceKeyAlgorithm) async throws {
        try await withDevice(algorithm) { server, client, device, access in
            let setUp = try await device.setUp(access)
            #expect(setUp.status == 200 && setUp.body == .null, "\(setUp.body)")
            let first = try await device.logIn()
            #expect(first.status == 200, "\(first.body)")
            #expect(
                first["token_type"] == "Bearer" && first["refresh_token"] != nil
                    && first["id_token"] != nil)
            #expect(first["scope"] == "full-access offline_access openid")
            let info = try await client.userInfo(first["access_token"])
            let sub = try await server.admin.findUser("ada")?.id
            #expect(info["sub"] == sub)
            let second = try await device.logIn()
            #expect(second.status == 200)
            // A device has one sign-in at a time.
            let stale = try await client.refresh(first["refresh_token"])
            #expect(stale.status == 400 && stale.error == "invalid_grant")
            let fresh = try await client.refresh(second["refresh_token"])
            #expect(fresh.status == 200)
            let events = try await server.admin.audit().items.map(\.event)
            #expect(events.contains("native_biometrics.registered"))
        }
    }

    @Test(
        "a login says whether a biometric or the device's PIN unlocked the key, and its tokens repeat it"
    )
    func unlocks() async throws {
        try await withDevice { server, client, device, access in
            var device = device
            func amr(_ claims: [String: JSONValue?]) async throws -> JSONValue? {
                let answer = try await device.logIn(
                    jwt: device.request("authenticate", claims: claims))
                #expect(answer.status == 200, "\(answer.body)")
                let token = try TokenClient.claims(answer["access_token"])
                #expect(token["acr"] == "1", "without attestation, neither counts")
                return token["amr"]
            }
            for (verification, unlocked, stated) in [
                ("biometric", ["pop", "x_biometric"], ["pop", "x_biometric"]),
                ("biometric_or_pin", ["pop", "x_biometric"], ["pop"]),
                ("none", ["pop"], ["pop"]), ("unheard_of", ["pop"], ["pop"]),
            ] as [(String, JSONValue, JSONValue)] {
                device = try WireDevice(client)
                let setUp = try await device.request(
                    "setup",
                    claims: [
                        "device_info": [
                            "mien": [
                                "model": "Test phone", "device_id": "device-0001",
                                "user_verification": .string(verification),
                            ]
                        ]
                    ])
                #expect(try await device.setUp(access, jwt: setUp).status == 200)
                #expect(try await amr(["user_verification": "biometric"]) == unlocked)
                #expect(try await amr([:]) == stated, "\(verification)")
                #expect(try await amr(["user_verification": "pin"]) == ["pop", "pin"])
            }
            let challenge = try await client.challenge()
            for wrong in ["finger", "", 1, .null] as [JSONValue] {
                let answer = try await device.logIn(
                    jwt: device.request(
                        "authenticate", challenge: challenge, claims: ["user_verification": wrong]))
                #expect(answer.status == 400 && answer.error == "invalid_request", "\(wrong)")
            }
            let right = try await device.logIn(
                jwt: device.request("authenticate", challenge: challenge))
            #expect(right.status == 200, "malformed requests do not use up a challenge")
        }
    }

    /// Sends invalid login requests and checks the error of each.
    @Test("every invalid request is refused")
    func negatives() async throws {
        try await withDevice { server, client, device, access in
            #expect(try await device.setUp(access).status == 200)
            let other = try SoftwareSigner.generate(.es256),
                rsa = try SoftwareSigner.generate(.rs256)
            let now = Double(server.time.now.seconds)
            let used = try await client.challenge()
            #expect(
                try await device.logIn(jwt: device.request("authenticate", challenge: used)).status
                    == 200)
            var right = try await device.request("authenticate")
            right.removeLast(2)
            let cases: [(String, String, String)] = [
                (
                    "challenge used before",
                    try await device.request("authenticate", challenge: used), "invalid_grant"
                ),
                (
                    "invented challenge",
                    try await device.request(
                        "authenticate", challenge: String(repeating: "A", count: 32)),
                    "invalid_grant"
                ),
                (
                    "challenge for another purpose",
                    try await device.request(
                        "authenticate", challenge: client.challenge("anonymous_request")),
                    "invalid_grant"
                ),
                (
                    "swapped key", try await device.request("authenticate", signer: other),
                    "invalid_grant"
                ),
                (
                    "another algorithm", try await device.request("authenticate", signer: rsa),
                    "invalid_grant"
                ),
                (
                    "jwk in a login",
                    try await device.request(
                        "authenticate", header: ["jwk": other.publicKey.jwk], signer: other),
                    "invalid_request"
                ),
                (
                    "unknown kid",
                    try await device.request("authenticate", header: ["kid": "nobody-knows-this"]),
                    "invalid_grant"
                ),
                (
                    "bad kid", try await device.request("authenticate", header: ["kid": "short"]),
                    "invalid_request"
                ),
                (
                    "no kid", try await device.request("authenticate", header: ["kid": .some(nil)]),
                    "invalid_request"
                ),
                (
                    "wrong typ", try await device.request("authenticate", header: ["typ": "JWT"]),
                    "invalid_request"
                ),
                (
                    "wrong audience",
                    try await device.request(
                        "authenticate", claims: ["aud": "https://elsewhere.example"]),
                    "invalid_grant"
                ),
                (
                    "no audience",
                    try await device.request("authenticate", claims: ["aud": .some(nil)]),
                    "invalid_grant"
                ),
                (
                    "another app's ID",
                    try await device.request("authenticate", claims: ["client_id": "other_app"]),
                    "invalid_grant"
                ),
                (
                    "expired",
                    try await device.request(
                        "authenticate",
                        claims: ["iat": .number(now - 400), "exp": .number(now - 340)]),
                    "invalid_grant"
                ),
                (
                    "from the future",
                    try await device.request(
                        "authenticate",
                        claims: ["iat": .number(now + 400), "exp": .number(now + 460)]),
                    "invalid_grant"
                ),
                (
                    "lifetime too long",
                    try await device.request("authenticate", claims: ["exp": .number(now + 3600)]),
                    "invalid_grant"
                ),
                (
                    "no times",
                    try await device.request("authenticate", claims: ["iat": .some(nil)]),
                    "invalid_request"
                ),
                (
                    "no such action",
                    try await device.request("authenticate", claims: ["action": "dance"]),
                    "invalid_request"
                ),
                ("signature cut", right, "invalid_grant"),
                ("no JWT", "a.b", "invalid_request"),
            ]
            for (name, jwt, error) in cases {
                let answer = try await device.logIn(jwt: jwt)
                #expect(
                    answer.status == 400 && answer.error == error,
                    "\(name): \(answer.status) \(answer.body)")
                try await unlock(server)
            }
            #expect(try await device.logIn().status == 200, "the key still works afterward")
            #expect(try await device.logIn([("scope", "openid")]).error == "invalid_scope")
            #expect(
                try await device.logIn([("scope", "openid offline_access full-access root")])[
                    "scope"] == "full-access offline_access openid", "unknown ones are ignored")
        }
    }

    private func unlock(_ server: TestServer) async throws {
        let user = try await server.userID("ada")
        for authenticator in try await server.admin.authenticators(of: user)
        where authenticator.type == .known(.nativeBiometrics) {
            try await server.admin.unlock(try #require(AuthenticatorID(authenticator.id)), of: user)
        }
    }

    @Test(
        "a setup requires a signed-in user, the key's own signature, and the device's model"
    )
    func setUps() async throws {
        try await withDevice { server, client, device, access in
            let anonymous = try await device.setUp(nil)
            #expect(anonymous.status == 401 && anonymous.error == "invalid_grant")
            let forged = try await device.setUp("made.up.token")
            #expect(forged.status == 401 && forged.error == "invalid_grant")
            let other = try SoftwareSigner.generate(.es256)
            let foreign = try await device.setUp(
                access, jwt: device.request("setup", header: ["jwk": other.publicKey.jwk]))
            #expect(
                foreign.status == 400 && foreign.error == "invalid_grant",
                "the signature is not by the included key")
            let silent = try await device.setUp(
                access, jwt: device.request("setup", claims: ["device_info": [:]]))
            #expect(silent.status == 400 && silent.error == "invalid_request")
            let keyless = try await device.setUp(
                access, jwt: device.request("setup", header: ["jwk": .some(nil)]))
            #expect(keyless.status == 400 && keyless.error == "invalid_request")
            #expect(try await device.logIn().error == "invalid_grant", "nothing was registered")
        }
    }

    @Test(
        "registering a key again adds none; another key of the device replaces it; an ID belongs to one user"
    )
    func replacement() async throws {
        try await withDevice { server, client, device, access in
            #expect(try await device.setUp(access).status == 200)
            #expect(try await device.setUp(access).status == 200, "again")
            let user = try await server.userID("ada")
            let before = try await device.logIn()
            let renewed = try WireDevice(client)
            #expect(try await renewed.setUp(access).status == 200)
            #expect(try await device.logIn().error == "invalid_grant", "the old key is gone")
            #expect(
                try await client.refresh(before["refresh_token"]).error == "invalid_grant",
                "its grant is revoked as well")
            #expect(try await renewed.logIn().status == 200)
            try await server.makeUser("bob")
            let bob = try await client.signIn("bob")["access_token"]
            var thief = try WireDevice(client, keyID: renewed.keyID)
            thief.deviceID = "device-0002"
            #expect(try await thief.setUp(bob).error == "invalid_grant", "the ID is taken")
            #expect(try await renewed.logIn().status == 200)
            #expect(
                try await server.admin.authenticators(of: user).count {
                    $0.type == .known(.nativeBiometrics)
                } == 1)
        }
    }

    @Test(
        "wrong signatures lock the key; a compatible app needs no audience; a disabled app accepts no logins"
    )
    func appSettings() async throws {
        try await withDevice { server, client, device, access in
            #expect(try await device.setUp(access).status == 200)
            let other = try SoftwareSigner.generate(.es256)
            for _ in 1...5 {
                _ = try await device.logIn(jwt: device.request("authenticate", signer: other))
            }
            // The holder of the key learns that it is locked and keeps it. Others do not learn
            // this.
            let owner = try await device.logIn()
            #expect(
                owner.error == "invalid_grant"
                    && owner["error_description"]?.contains("locked") == true)
            let stranger = try await device.logIn(
                jwt: device.request("authenticate", signer: other))
            #expect(
                stranger.error == "invalid_grant"
                    && stranger["error_description"] == "InvalidCredentials")
            server.time.advance(.seconds(61))
            #expect(try await device.logIn().status == 200)

            let bare = try await device.request(
                "authenticate", claims: ["aud": .some(nil), "client_id": .some(nil)])
            #expect(try await device.logIn(jwt: bare).error == "invalid_grant")
            func set(_ settings: JSONValue) async throws {
                _ = try await server.admin.updateApp(
                    AppID("default_application")!, AppRequest(name: "Sample", settings: settings))
            }
            try await set(["biometric": ["mode": "compatible"]])
            let again = try await device.request(
                "authenticate", claims: ["aud": .some(nil), "client_id": .some(nil)])
            #expect(try await device.logIn(jwt: again).status == 200)
            try await set(["biometric": ["enabled": false]])
            #expect(try await device.logIn().error == "unauthorized_client")
            try await set(["biometric": ["max_keys": 1]])
            var second = try WireDevice(client)
            second.deviceID = "device-0002"
            #expect(
                try await second.setUp(access).error == "unauthorized_client",
                "the maximum that the app allows")
        }
    }

    @Test(
        "wrong signatures from elsewhere do not lock a key for a device that its user has signed in on"
    )
    func knownDevice() async throws {
        try await withDevice { server, client, device, access in
            #expect(try await device.setUp(access).status == 200)
            let tokenKey = DeviceTokenKey(
                server: server.address, application: "default_application")
            @Sendable func mark(_ user: String) async throws -> [(String, String)] {
                let tokens = MemoryDeviceTokens()
                let journey = try await server.client(tokens).start("password-login")
                for try await step in journey.steps {
                    try await step.respond(
                        "password",
                        ["username": .string(user), "password": "a password nobody has"])
                }
                return [
                    ("device_token", try #require(await tokens.token(for: tokenKey)).use { $0 })
                ]
            }
            let known = try await mark("ada"), unearned = try await mark("ada")
            #expect(try await device.logIn(known).status == 200, "the method has succeeded on it")
            let other = try SoftwareSigner.generate(.es256)
            for _ in 1...5 {
                _ = try await device.logIn(jwt: device.request("authenticate", signer: other))
            }
            #expect(
                try await device.logIn().error == "invalid_grant", "locked without a device token"
            )
            #expect(try await device.logIn([("device_token", "no token")]).error == "invalid_grant")
            #expect(
                try await device.logIn(unearned).error == "invalid_grant",
                "a password does not earn the key its own counter")
            try await server.makeUser("bob")
            #expect(
                try await device.logIn(mark("bob")).error == "invalid_grant",
                "another user's device")
            #expect(try await device.logIn(known).status == 200)
            for _ in 1...5 {
                _ = try await device.logIn(
                    jwt: device.request("authenticate", signer: other), known)
            }
            #expect(
                try await device.logIn(known).error == "invalid_grant",
                "its own wrong signatures count as well")
        }
    }

    @Test(
        "a key that an administrator locked stays locked, whatever its owner registers or removes")
    func lockedByHand() async throws {
        try await withDevice { server, client, device, access in
            #expect(try await device.setUp(access).status == 200)
            let user = try await server.userID("ada")
            let all = try await server.admin.authenticators(of: user)
            let key = try #require(
                all.first { $0.type == .known(.nativeBiometrics) }.flatMap {
                    AuthenticatorID($0.id)
                })
            try await server.admin.lock(key, of: user)
            let renewed = try WireDevice(client)
            #expect(try await renewed.setUp(access).error == "invalid_grant")
            let headers = ["authorization": "Bearer \(access ?? "")"]
            #expect(
                try await client.send(.delete, "/v1/me/biometrics/\(device.keyID)", headers).status
                    == 409)
            #expect(try await device.logIn().error == "invalid_grant")
            try await server.admin.unlock(key, of: user)
            #expect(try await renewed.setUp(access).status == 200)
        }
    }

    @Test("users list, rename, and remove their keys")
    func keys() async throws {
        try await withDevice(settings: ["MIEN_IDENTITY_BIOMETRIC_LIST_ENABLED": "true"]) {
            server, client, device, access in
            #expect(try await device.setUp(access).status == 200)
            let login = try await device.logIn()
            let headers = [
                "authorization": "Bearer \(access ?? "")", "content-type": "application/json",
            ]
            let path = "/v1/me/biometrics/\(device.keyID)"
            #expect(
                try await client.send(.patch, path, headers, #"{"name":"My phone"}"#).status == 204)
            let list = try await client.send(.get, "/v1/me/biometrics", headers)
            #expect(
                list.body["items"]?.arrayValue?.compactMap { $0["name"]?.stringValue } == [
                    "My phone"
                ])
            #expect(try await client.send(.delete, path, headers).status == 204)
            #expect(try await client.send(.delete, path, headers).status == 404)
            #expect(try await device.logIn().error == "invalid_grant")
            #expect(
                try await client.refresh(login["refresh_token"]).error == "invalid_grant",
                "the key's grant is revoked")
        }
    }

    @Test("the list is available only if the server enables it")
    func hiddenList() async throws {
        try await withDevice { server, client, device, access in
            let list = try await client.send(
                .get, "/v1/me/biometrics", ["authorization": "Bearer \(access ?? "")"])
            #expect(list.status == 403)
        }
    }

    @Test("without the biometric identity, requests are refused")
    func noIdentity() async throws {
        try await withDevice(settings: ["MIEN_AUTHENTICATION_IDENTITIES": ""]) {
            server, client, device, access in
            let answer = try await device.setUp(access)
            #expect(answer.error == "unauthorized_client")
        }
    }

    @Test("no keys, tokens, or challenges reach the log")
    func silence() async throws {
        try await withDevice { server, client, device, access in
            _ = try await device.setUp(access)
            let jwt = try await device.request("authenticate")
            let login = try await device.logIn(jwt: jwt)
            _ = try await device.logIn(jwt: jwt)
            for secret in [
                access, login["refresh_token"], login["access_token"], jwt, device.keyID,
            ] {
                #expect(!server.logs.text.contains(try #require(secret)))
            }
        }
    }
}
