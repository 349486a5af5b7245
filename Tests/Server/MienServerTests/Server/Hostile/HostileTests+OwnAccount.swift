import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Attacks on what users can do with their accounts, and on the logout endpoint.
extension HostileTests {
    @Test("a user sees, ends, renames, or deletes what belongs to another user")
    func anothersAccount() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let ada = try await server.makeUser("ada")
        try await server.makeUser("eve")
        let own = try await server.signIn("ada"), eves = try await server.signIn("eve")
        let access = own["access_token"], stolen = eves["access_token"]
        func first(_ path: String, _ access: String?) async throws -> String {
            let list = try await server.sendJSON(.get, path, access: access).body["items"]
            return try #require(list?.arrayValue?.first?["id"]?.stringValue, "\(path)")
        }
        let signIn = try await first("/v1/me/sign-ins", access),
            device = try await first("/v1/me/devices", access)
        for (method, path, body) in [
            (HTTPTransportRequest.Method.delete, "/v1/me/sign-ins/\(signIn)", ""),
            (.delete, "/v1/me/devices/\(device)", ""),
            (.patch, "/v1/me/devices/\(device)", #"{"name": "Eve's"}"#),
            (.delete, "/v1/me/faces/\(signIn)", ""),
            (.delete, "/v1/me/consents/default_application", ""),
        ] {
            let answer = try await server.sendJSON(method, path, body: body, access: stolen)
            #expect(answer.status == 404, "\(path): \(answer.body)")
        }
        for path in ["sign-ins", "devices", "data", "activity"] {
            let seen = try await server.sendJSON(.get, "/v1/me/\(path)", access: stolen)
            let text = JSONText.write(seen.body)
            #expect(
                seen.status == 200 && !text.contains(ada.text) && !text.contains(signIn)
                    && !text.contains(device), "\(path)")
        }
        #expect(try await server.sendJSON(.delete, "/v1/me/sign-ins", access: stolen).status == 204)
        #expect(try await server.sendJSON(.delete, "/v1/me", access: stolen).status == 204)
        #expect(try await server.tokens.userInfo(stolen).status == 401)
        #expect(try await server.tokens.userInfo(access).status == 200)
        #expect(await server.process.stop() == 0)
    }

    @Test(
        "a thief with an old access token, or with an app that is not trusted, downloads or deletes the account"
    )
    func weakOwner() async throws {
        try await ClockedServer.run(in: scratch) { server in
            try await server.makeUser("ada")
            _ = try await server.admin.createApp(AppRequest(id: "partner", name: "Partner"))
            var client = TokenClient(server: server)
            let access = try await client.signIn()["access_token"]
            client.app = "partner"
            let foreign = try await client.signIn()["access_token"]
            let routes: [(HTTPTransportRequest.Method, String)] = [
                (.get, "/v1/me/data"), (.delete, "/v1/me"), (.delete, "/v1/me/devices/dev_1"),
                (.delete, "/v1/me/faces/aut_1"), (.delete, "/v1/me/consents/default_application"),
                (.post, "/v1/identity/verify"), (.post, "/v1/identity/document"),
                (.post, "/v1/identity/captured-document"),
                (.post, "/v1/identity/document-capture"), (.delete, "/v1/identity/consent"),
            ]
            let free: [(HTTPTransportRequest.Method, String)] = [
                (.get, "/v1/me/sign-ins"), (.delete, "/v1/me/sign-ins"), (.get, "/v1/me/devices"),
                (.get, "/v1/me/consents"), (.get, "/v1/me/faces"), (.get, "/v1/me/activity"),
                (.delete, "/v1/me/sign-ins/grt_1"), (.get, "/v1/identity"),
                (.get, "/v1/identity/countries"), (.get, "/v1/identity/face-image"),
                (.get, "/v1/identity/capabilities"), (.get, "/v1/identity/consent/content"),
                (.get, "/v1/identity/consent"), (.post, "/v1/identity/consent"),
            ]
            for (method, path) in routes + free {
                let refused = try await server.sendJSON(method, path, access: foreign)
                #expect(
                    refused.status == 403 && refused.body["code"] == "not_permitted", "\(path)")
                #expect(try await server.sendJSON(method, path).status == 401, "\(path)")
            }
            try server.time.advance(.seconds(301))
            for (method, path) in routes {
                let stale = try await server.sendJSON(method, path, access: access)
                #expect(
                    stale.status == 401 && stale.body["code"] == "insufficient_user_authentication",
                    "\(path): \(stale.body)")
            }
            #expect(try await server.admin.findUser("ada") != nil)
        }
    }

    @Test(
        "a thief who requested a recovery signs in and removes the sign-ins and devices that could cancel it"
    )
    func removedWatchers() async throws {
        try await RealServer.run(in: scratch) { server in
            try await server.makeUser()
            let devices = MemoryDeviceTokens()
            let owner = try await server.signIn(from: server.client(devices))
            _ = try await server.recoverByMail(0)
            let thief = try await server.signIn()
            func list(_ path: String, _ access: String) async throws -> [JSONValue] {
                try await server.send(.get, path, access: access).json["items"]?.arrayValue ?? []
            }
            let old = try #require(
                try await list("/v1/me/sign-ins", owner).first { $0["is_current"] == true }?["id"]?
                    .stringValue)
            let known = try #require(
                await devices.token(
                    for: DeviceTokenKey(
                        server: server.process.address, application: "default_application")))
            let device = known.use { String($0.prefix { $0 != "." }) }
            for path in ["/v1/me/sign-ins/\(old)", "/v1/me/sign-ins", "/v1/me/devices/\(device)"] {
                let answer = try await server.send(.delete, path, access: thief)
                #expect(answer.status == 409, "\(path): \(answer.text)")
            }
            // The owner may end the thief's, and cancels.
            #expect(try await server.send(.delete, "/v1/me/sign-ins", access: owner).status == 204)
            #expect(try await server.send(.get, "/oauth2/userinfo", access: thief).status == 401)
            #expect(try await server.send(.delete, "/v1/me/recovery", access: owner).status == 204)
        }
    }

    @Test(
        "a page sends the browser anywhere, or ends another app's sign-in, through the logout endpoint"
    )
    func logoutAbuse() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let good = "https://app.example.org/bye"
        for (id, uris) in [("shop", [good]), ("other", ["https://evil.example"])] {
            _ = try await server.admin.createApp(
                AppRequest(
                    id: id, name: id,
                    settings: [
                        "post_logout_redirect_uris": .array(uris.map { .string($0) })
                    ]))
        }
        let tokens = try await TokenClient(server: server, app: "shop").signIn(
            "ada", password: AttackedServer.password, [("scope", "openid offline_access")])
        let hint = try #require(tokens["id_token"])
        func ask(_ fields: [(String, String)]) async throws -> (Int, String?) {
            let query = fields.map {
                "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
            }.joined(separator: "&")
            let answer = try await RawConnection.open(server.address).request(
                "GET", "/oauth2/logout?\(query)")
            #expect(answer.status != 500)
            return (answer.status, answer.headers["location"])
        }
        let parts = hint.split(separator: ".").map(String.init)
        for fields in [
            // Unregistered addresses, and another app's.
            [("client_id", "shop"), ("post_logout_redirect_uri", "https://evil.example")],
            [("client_id", "shop"), ("post_logout_redirect_uri", good + "/x")],
            [("client_id", "shop"), ("post_logout_redirect_uri", "javascript:alert(1)")],
            [("client_id", "nobody"), ("post_logout_redirect_uri", good)],
            [("post_logout_redirect_uri", good)],
            [("id_token_hint", hint), ("client_id", "other")],
            // Forged hints.
            [("id_token_hint", "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))")],
            [("id_token_hint", "\(parts[0]).\(parts[1]).")],
            [("id_token_hint", String(repeating: "a", count: 7000))],
            [("id_token_hint", hint), ("id_token_hint", hint)],
        ] {
            let (status, location) = try await ask(fields)
            #expect(status == 400 && location == nil, "\(fields)")
        }
        #expect(
            try await server.tokens.userInfo(tokens["access_token"]).status == 200,
            "nobody has been signed out")
        let (status, location) = try await ask([
            ("client_id", "shop"), ("post_logout_redirect_uri", good),
        ])
        #expect(status == 303 && location == good, "a registered address needs no ID token")
        #expect(await server.process.stop() == 0)
    }

    @Test(
        "an app's logout address makes the server call private networks and hosts that nobody listed"
    )
    func logoutSSRF() async throws {
        let server = try await AttackedServer.start(
            in: scratch,
            [
                "MIEN_WEBHOOK_HOSTS": "listed.example.org,localhost",
                "MIEN_WEBHOOK_SECRET": "a secret that no receiver of this test uses",
            ])
        let user = try await server.makeUser("ada")
        _ = try await server.admin.createApp(
            AppRequest(
                id: "local", name: "local",
                settings: ["backchannel_logout_uri": "https://localhost:9/"]))
        #expect(
            try await TokenClient(server: server, app: "local").signIn(
                "ada", password: AttackedServer.password, [("scope", "openid offline_access")]
            ).status == 200)
        for uri in [
            "https://unlisted.example.org/", "http://localhost:9/", "https://169.254.169.254/",
            "file:///etc/passwd", "http://example.org/", "https://a@b/", "//x", "",
        ] {
            await #expect(throws: MienError.self, "\(uri)") {
                _ = try await server.admin.createApp(
                    AppRequest(
                        id: "bad", name: "bad",
                        settings: ["backchannel_logout_uri": .string(uri)]))
            }
        }
        try await server.admin.markCompromised(user)
        let reasons = try await Patience.see {
            try await server.admin.audit(user: user).items.filter {
                $0.event == "logout.undelivered"
            }.compactMap { $0.detail["reason"] }
        } until: {
            !$0.isEmpty
        }
        #expect(reasons == ["not_allowed"])
        #expect(await server.process.stop() == 0)
    }
}
