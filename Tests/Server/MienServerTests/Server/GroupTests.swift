import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Groups that administrators give to users, and apps read.
@Suite("Groups of users", .enabled(if: Installed.isThere, Installed.reason))
struct GroupTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "an administrator's change is in the next tokens, at the UserInfo endpoint, and in the log")
    func life() async throws {
        try await TestServer.run(in: scratch) { server in
            let ada = try await server.makeUser(), bob = try await server.makeUser("bob")
            let app = try await PageApp.create(server, ["claims": ["groups": "roles"]])
            #expect(
                try await server.admin.setGroups(["editors", "Grafana admins", "editors"], of: ada)
                    == ["Grafana admins", "editors"])
            let tokens = try await app.tokens(["scope": "openid groups offline_access"])
            #expect(
                try TokenClient.claims(tokens["id_token"])["roles"]
                    == ["Grafana admins", "editors"])
            try await server.admin.setGroups(["editors"], of: ada)
            #expect(
                try await app.client.userInfo(tokens["access_token"]).body["roles"] == ["editors"])
            let refreshed = try await app.client.refresh(tokens["refresh_token"])
            #expect(try TokenClient.claims(refreshed["id_token"])["roles"] == ["editors"])
            try await server.admin.setGroups(["editors", "readers"], of: bob)
            #expect(
                try await server.admin.groups().map { "\($0.name) \($0.users)" }
                    == ["editors 2", "readers 1"])
            #expect(
                try await Set(server.admin.users(in: "editors").items.map(\.id))
                    == [ada.text, bob.text])
            #expect(try await server.admin.users(in: "nobody").items.isEmpty)
            let entries = try await server.admin.audit(event: "user.groups-changed").items
            #expect(entries.count == 3)
            try await server.admin.deleteUser(bob)
            #expect(try await server.admin.groups().map(\.users) == [1])
        }
    }

    @Test(
        "names that software could misread are refused",
        arguments: [
            "", " a", "a ", "a,b", "a\"b", "a\\b", "a\nb", "ä", String(repeating: "a", count: 65),
        ])
    func names(name: String) async throws {
        #expect(GroupNames([name]) == nil)
        #expect(GroupNames(["a b-c_d:e/f"]) != nil)
        #expect(GroupNames((0...64).map { "g\($0)" }) == nil)
    }
}
