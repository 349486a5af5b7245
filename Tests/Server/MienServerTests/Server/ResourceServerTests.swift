import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Services that apps call with their users' access tokens.
@Suite("Services behind the sign-in", .enabled(if: Installed.isThere, Installed.reason))
struct ResourceServerTests {
    private static let service = "https://mail.example.org"

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withServer(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await body(server)
        }
    }

    private static func look(_ token: String?, by service: PageApp) async throws -> JSONValue {
        try await service.client.post(
            "/oauth2/introspect",
            [
                ("token", token ?? ""), ("client_id", service.id),
                ("client_secret", service.secret ?? ""),
            ]
        ).body
    }

    @Test("a service sees the tokens of the apps that its setting names, and of no others")
    func named() async throws {
        try await withServer { server in
            let web = try await PageApp.create(server),
                other = try await PageApp.create(server, id: "other")
            let mail = try await PageApp.create(
                server, id: "mail", ["introspection_apps": ["web"]])
            let stranger = try await PageApp.create(server, id: "stranger")
            let tokens = try await web.tokens(["scope": "openid offline_access"])
            let seen = try await Self.look(tokens["access_token"], by: mail)
            let account = try await server.userID("ada")
            #expect(seen["active"] == true && seen["username"] == "ada")
            #expect(seen["sub"]?.stringValue == account.text && seen["client_id"] == "web")
            #expect(seen["scope"]?.stringValue?.contains("openid") == true)
            #expect(seen["token_type"] == "Bearer" && seen["cnf"] == nil)
            #expect(
                seen["iss"]?.stringValue == server.issuer
                    && seen["aud"]?.stringValue == server.issuer)
            let claims = try TokenClient.claims(tokens["access_token"])
            #expect(seen["exp"] == claims["exp"] && seen["iat"] == claims["iat"])
            #expect(
                try await Self.look(tokens["refresh_token"], by: mail) == ["active": false],
                "a refresh token is the app's alone")
            #expect(
                try await Self.look(tokens["access_token"], by: stranger) == ["active": false])
            let foreign = try await other.tokens()
            #expect(
                try await Self.look(foreign["access_token"], by: mail) == ["active": false])
            // The app's own look at its token tells the name, too.
            #expect(
                try await Self.look(tokens["access_token"], by: web)["username"] == "ada")
            server.time.advance(.seconds(3600))
            #expect(
                try await Self.look(tokens["access_token"], by: mail) == ["active": false])
        }
    }

    @Test("a token that names a service is for that service alone")
    func audience() async throws {
        try await withServer { server in
            let web = try await PageApp.create(server, ["resources": [.string(Self.service)]])
            let mail = try await PageApp.create(
                server, id: "mail", ["resources": [.string(Self.service)]])
            let files = try await PageApp.create(
                server, id: "files", ["introspection_apps": ["web"]])
            let tokens = try await web.tokens(["resource": Self.service])
            let token = tokens["access_token"]
            let seen = try await Self.look(token, by: mail)
            #expect(seen["active"] == true && seen["username"] == "ada")
            #expect(seen["aud"]?.stringValue == Self.service)
            #expect(try await Self.look(token, by: files) == ["active": false])
            let refused = try await web.client.userInfo(token)
            #expect(refused.status == 401 && refused.error == "invalid_token")
            #expect(refused["error_description"]?.contains(Self.service) == true)
            #expect(refused["error_description"]?.contains("expired") == false)
            let wrong = try await web.client.userInfo("x" + (token ?? ""))
            #expect(wrong["error_description"]?.contains(Self.service) == false)
        }
    }

    @Test("a service of others learns the name only if the token's scope tells it")
    func thirdParty() async throws {
        try await withServer { server in
            let web = try await PageApp.create(server)
            let mail = try await PageApp.create(
                server, id: "mail", isFirstParty: false, ["introspection_apps": ["web"]])
            for (scope, name) in [
                ("openid", nil), ("openid email", "ada"), ("openid profile", "ada"),
            ] {
                let tokens = try await web.tokens(["scope": scope])
                let seen = try await Self.look(tokens["access_token"], by: mail)
                #expect(seen["active"] == true)
                #expect(seen["username"]?.stringValue == name, "\(scope)")
            }
        }
    }

    @Test("a token that is bound to a key says so")
    func bound() async throws {
        try await withServer { server in
            let web = try await PageApp.create(server)
            let mail = try await PageApp.create(
                server, id: "mail", ["introspection_apps": ["web"]])
            var client = web.client
            let key = try SoftwareSigner.generate(.es256)
            client.key = key
            let code = try await web.visit().parameters["code"]
            let tokens = try await client.token(
                "authorization_code",
                [
                    ("code", code ?? ""), ("redirect_uri", PageApp.redirect),
                    ("code_verifier", PageApp.verifier),
                ])
            let seen = try await Self.look(tokens["access_token"], by: mail)
            #expect(seen["token_type"] == "DPoP")
            #expect(seen["cnf"]?["jkt"]?.stringValue == key.publicKey.thumbprint)
        }
    }

    @Test("a token in an app's own name ends with the app, and is none of a later app's")
    func deleted() async throws {
        try await withServer { server in
            func make() async throws -> PageApp {
                try await PageApp.create(server, ["client_scopes": ["read"]])
            }
            let mail = try await PageApp.create(
                server, id: "mail", ["introspection_apps": ["web"]])
            let token = try await make().client.token("client_credentials", [])["access_token"]
            #expect(try await Self.look(token, by: mail)["active"] == true)
            try await server.admin.deleteApp(#require(AppID("web")))
            #expect(try await Self.look(token, by: mail) == ["active": false])
            server.time.advance(.seconds(1))
            _ = try await make()
            #expect(try await Self.look(token, by: mail) == ["active": false])
        }
    }

    @Test("Dovecot's request, with the service's ID and secret in the address")
    func dovecot() async throws {
        try await withServer { server in
            let web = try await PageApp.create(server)
            let mail = try await PageApp.create(
                server, id: "mail", ["introspection_apps": ["web"]])
            let tokens = try await web.tokens(["scope": "openid email profile"])
            let login = Data("\(mail.id):\(mail.secret ?? "")".utf8).base64EncodedString()
            let seen = try await mail.client.post(
                "/oauth2/introspect", [("token", tokens["access_token"] ?? "")],
                headers: ["authorization": "Basic \(login)"]
            ).body
            #expect(seen["active"] == true && seen["username"] == "ada")
            let info = try await web.client.userInfo(tokens["access_token"])
            #expect(info["preferred_username"] == "ada", "introspection_mode = auth")
        }
    }

    @Test("the setting is for confidential apps, and both apps say what it does")
    func setting() async throws {
        try await withServer { server in
            let error = await #expect(throws: MienError.self) {
                _ = try await PageApp.create(
                    server, id: "open", type: .public, ["introspection_apps": ["web"]])
            }
            #expect(error?.problem?.errors?.first?.field == "settings.introspection_apps")
            _ = try await PageApp.create(server)
            _ = try await PageApp.create(server, id: "mail", ["introspection_apps": ["web", "x"]])
            _ = try await PageApp.create(server, id: "files", ["introspection_apps": ["x"]])
            let web = try await server.admin.app(#require(AppID("web")))
            #expect(web.introspectedBy == ["mail"])
            let mail = try await server.admin.app(#require(AppID("mail")))
            #expect(mail.introspectedBy == [])
            #expect(mail.settings["introspection_apps"] == ["web", "x"])
        }
    }
}
