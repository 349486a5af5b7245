import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@testable import MienServer

/// Managing passkeys, and the relying party.
extension PasskeyTests {
    @Test(
        "users list, rename, and remove their own passkeys, at most ten; removal ends the passkey's sign-ins"
    )
    func management() async throws {
        try await withPasskey { server, passkey, access in
            let id = try #require(try await passkey.register(access)["id"])
            try await server.makeUser("eve")
            let eve = try await passkey.client.signIn("eve")["access_token"]
            @Sendable func change(
                _ method: HTTPTransportRequest.Method, _ id: String, _ access: String?,
                _ body: String = ""
            ) async throws -> Int {
                try await passkey.client.send(
                    method, "/v1/me/passkeys/\(id)", SoftwarePasskey.headers(access), body
                ).status
            }
            #expect(try await change(.patch, id, access, #"{"name":"Blue key"}"#) == 204)
            #expect(try await change(.patch, id, access, #"{"name":""}"#) == 400)
            #expect(try await change(.patch, id, eve, #"{"name":"Mine"}"#) == 404)
            #expect(try await change(.delete, id, eve) == 404)
            #expect(try await change(.delete, id, nil) == 401)
            #expect(
                try await Self.passkeys(passkey.client, access).map { $0["name"] } == ["Blue key"])
            // Other authenticators cannot be changed through these routes.
            let password = try await server.admin.authenticators(of: server.userID("ada")).first {
                $0.type == .known(.password)
            }?.id
            #expect(try await change(.delete, try #require(password), access) == 404)

            let tokens = try await passkey.with { $0.counter = 2 }.signIn()
            #expect(tokens.status == 200)
            #expect(try await change(.delete, id, access) == 204)
            #expect(try await passkey.client.userInfo(tokens["access_token"]).status == 401)
            #expect(try await passkey.client.refresh(tokens["refresh_token"]).status == 400)
            #expect(try await passkey.with { $0.counter = 3 }.signIn().status == 401)
            #expect(
                try await passkey.client.userInfo(access).status == 200,
                "the password's sign-in remains")

            let first = try SoftwarePasskey(passkey.client).with {
                $0.userHandle = passkey.userHandle
            }
            #expect(try await first.register(access).status == 200)
            let strong = try await first.access(counter: 2)
            for _ in 1..<10 {
                #expect(try await SoftwarePasskey(passkey.client).register(strong).status == 200)
            }
            #expect(try await passkey.registrationOptions(strong).status == 403)
        }
    }

    // MARK: Relying party

    @Test("the relying party is the public host or a parent domain; origins are checked")
    func places() throws {
        func party(_ url: String, id: String? = nil, _ origins: [String] = []) -> [String]? {
            guard let rp = try? RelyingPartySettings(id: id, origins: origins).relyingParty(url)
            else {
                return nil
            }
            return [rp.id] + rp.origins.sorted()
        }
        #expect(
            party("https://login.example.org") == [
                "login.example.org", "https://login.example.org",
            ])
        #expect(
            party("https://Login.example.org:443/") == [
                "login.example.org", "https://login.example.org",
            ])
        #expect(
            party("https://login.example.org:8443") == [
                "login.example.org", "https://login.example.org:8443",
            ])
        #expect(
            party("https://login.example.org", id: "example.org", ["https://app.example.org"])
                == ["example.org", "https://app.example.org", "https://login.example.org"])
        #expect(party("http://localhost:8080") == ["localhost", "http://localhost:8080"])
        #expect(party("http://127.0.0.1:8080") == nil && party("http://[::1]:8080") == nil)

        func problems(_ url: String, id: String = "", _ origins: [String] = []) -> Int {
            RelyingPartySettings.problems(id: id, origins: origins, publicURL: url).count
        }
        let url = "https://login.example.org"
        #expect(
            problems("") == 0 && problems(url) == 0 && problems(url, id: "example.org") == 0
                && problems(url, id: "login.example.org") == 0)
        for id in [
            "example.com", "org", "ple.org", "app.login.example.org", "https://example.org", "",
        ] where !id.isEmpty {
            #expect(problems(url, id: id) == 1, "\(id)")
        }
        #expect(problems("", id: "example.org") == 1)
        #expect(
            problems(
                url, id: "example.org", ["https://app.example.org", "android:apk-key-hash:abc"])
                == 0)
        for origin in [
            "https://app.example.org", "http://login.example.org", "https://login.example.org/",
            "login.example.org", "https://example.com",
        ] {
            #expect(problems(url, [origin]) == 1, "\(origin)")
        }
        #expect(problems("http://localhost:8080", ["http://localhost:9000"]) == 0)
    }

    @Test(
        "a server with an IP address, or with passkeys disabled, refuses passkeys",
        arguments: [
            [:],
            [
                "MIEN_AUTHENTICATION_IDENTITIES": "biometric",
                "MIEN_PUBLIC_URL": "https://login.example.org",
            ],
        ])
    func disabled(settings: [String: String]) async throws {
        try await TestServer.run(in: scratch, settings: settings) { server in
            let answer = try await server.send(
                .post, "/v1/webauthn/login/options", #"{"client_id":"default_application"}"#)
            #expect(answer.status == 403 && answer.body["code"] == "not_permitted")
        }
    }
}
