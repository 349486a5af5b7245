import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

/// Administrators who change the same rows at the same time.
@Suite("Changes of administrators", .enabled(if: Installed.isThere, Installed.reason))
struct AppChangeTests {
    private static let shop = AppID("shop")!
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("of two changes of an app that were made from the same state, the second is refused")
    func conflict() async throws {
        try await TestServer.run(in: scratch) { server in
            let made = try await server.admin.createApp(AppRequest(id: "shop", name: "Shop"))
            let revision = try #require(made.revision)
            #expect(try await server.admin.app(Self.shop).revision == revision)
            #expect(
                try await server.admin.apps().first { $0.id == "shop" }?.revision == revision)
            let first = try await server.admin.updateApp(
                Self.shop,
                AppRequest(
                    name: "Shop", settings: ["token_seconds": 120], revision: revision))
            #expect(first.revision != revision)
            let refused = await #expect(throws: MienError.self) {
                try await server.admin.updateApp(
                    Self.shop, AppRequest(name: "Store", revision: revision))
            }
            #expect(refused?.problem?.code == .conflict)
            #expect(refused?.reason.contains("Look at it as it is now") == true)
            var stored = try await server.admin.app(Self.shop)
            // Only the answer about one app says who may ask about its tokens.
            #expect(stored.introspectedBy == [])
            stored.introspectedBy = nil
            #expect(stored == first && stored.settings["token_seconds"] == 120)
            let second = try await server.admin.updateApp(
                Self.shop, AppRequest(name: "Store", revision: first.revision))
            #expect(second.name == "Store" && second.settings["token_seconds"] == 120)
            // Without a revision, the caller wants what it sends.
            _ = try await server.admin.updateApp(Self.shop, AppRequest(name: "Shop"))
            await #expect(throws: MienError.self) {
                try await server.admin.createApp(AppRequest(name: "New", revision: "x"))
            }
        }
    }

    @Test("of sixteen changes at once from the same state, one is made")
    func race() async throws {
        try await TestServer.run(in: scratch) { server in
            let made = try await server.admin.createApp(AppRequest(id: "shop", name: "Shop"))
            let winners = await withTaskGroup(of: String?.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        try? await server.admin.updateApp(
                            Self.shop,
                            AppRequest(name: "Shop \(number)", revision: made.revision)
                        ).name
                    }
                }
                return await group.reduce(into: [String]()) { $0 += [$1].compactMap { $0 } }
            }
            #expect(winners.count == 1)
            #expect(try await server.admin.app(Self.shop).name == winners.first)
            let entries = try await server.admin.audit(event: "app.changed").items
            #expect(entries.filter { $0.appID == "shop" }.count == 1)
        }
    }

    @Test("a change of an app never brings its former secret back")
    func secret() async throws {
        try await TestServer.run(in: scratch) { server in
            _ = try await server.admin.createApp(
                AppRequest(id: "shop", name: "Shop", type: .confidential))
            for round in 0..<10 {
                async let renamed = server.admin.updateApp(
                    Self.shop, AppRequest(name: "Shop \(round)"))
                async let renewed = server.admin.renewSecret(Self.shop)
                let (app, secret) = try await (renamed, renewed.clientSecret)
                #expect(app.name == "Shop \(round)")
                let text = try #require(secret)
                let found = try await server.server.parts.apps.authenticated(
                    id: "shop", secret: text)
                #expect(found.name == "Shop \(round)", "the new secret is valid, and the name new")
            }
        }
    }

    @Test(
        "an address that the server would never call is refused with the setting that lists its host"
    )
    func unlisted() async throws {
        try await TestServer.run(in: scratch) { server in
            for settings: JSONValue in [
                ["backchannel_logout_uri": "https://shop.example/out"],
                ["identity": ["webhook": "https://shop.example/results"]],
            ] {
                let error = await #expect(throws: MienError.self) {
                    _ = try await server.admin.createApp(
                        AppRequest(id: "shop", name: "Shop", settings: settings))
                }
                let fault = try #require(error?.problem?.errors?.first)
                #expect(fault.message.contains("webhook.hosts"), "\(fault)")
            }
        }
    }

    @Test("the audit log says which settings changed, from what to what, without secrets")
    func audited() async throws {
        let hosts = [
            "MIEN_WEBHOOK_HOSTS": "shop.example",
            "MIEN_WEBHOOK_SECRET": "a secret that no receiver of this test uses",
        ]
        try await TestServer.run(in: scratch, settings: hosts) { server in
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "shop", name: "Shop",
                    settings: ["redirect_uris": ["https://shop.example/back"]]))
            _ = try await server.admin.updateApp(
                Self.shop,
                AppRequest(
                    name: "Store", isFirstParty: true,
                    settings: [
                        "redirect_uris": ["https://shop.example/back", "https://evil.example/x"],
                        "token_seconds": 120,
                        "backchannel_logout_uri": "https://shop.example/out?token=hidden-value",
                    ]))
            let entry = try #require(
                try await server.admin.audit(event: "app.changed").items.last)
            let changes = try #require(entry.detail["changes"]?.arrayValue)
            func change(_ field: String) -> JSONValue? {
                changes.first { $0["field"]?.stringValue == field }
            }
            #expect(change("name") == ["field": "name", "from": "Shop", "to": "Store"])
            #expect(change("first_party") == ["field": "first_party", "from": false, "to": true])
            #expect(
                change("settings.redirect_uris")?["to"]
                    == ["https://shop.example/back", "https://evil.example/x"])
            #expect(change("settings.token_seconds")?["to"] == 120)
            #expect(
                change("settings.backchannel_logout_uri")?["to"] == "https://shop.example/out?…")
            #expect(changes.count == 5, "nothing that stayed: \(changes)")
            #expect(!"\(entry)".contains("hidden-value"))

            let user = try await server.admin.createUser(
                UserRequest(username: "ada", email: "ada@example.org"))
            _ = try await server.admin.updateUser(
                try #require(UserID(user.id)),
                UserRequest(email: "new@example.org", state: .suspended))
            let changed = try #require(
                try await server.admin.audit(event: "user.changed").items.last)
            #expect(changed.detail["changed"] == ["email", "state"])
            #expect(!"\(changed)".contains("example.org"), "no personal data")
        }
    }
}
