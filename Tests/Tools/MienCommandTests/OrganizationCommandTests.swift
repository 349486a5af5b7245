import Foundation
import MienTesting
import Testing

/// `mien admin organization` against a server.
@Suite struct OrganizationCommandTests {
    @Test(.needsPack)
    func `organizations and their members are created, listed, changed, and deleted`() async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ]
            func mien(_ arguments: String...) async throws -> MienProgram.Result {
                try await home.mien(["admin"] + arguments, settings: settings)
            }
            func json(_ arguments: String..., at location: SourceLocation = #_sourceLocation)
                async throws -> [String: Any]
            {
                let result = try await home.mien(
                    ["admin", "organization"] + arguments + ["--json"], settings: settings)
                #expect(
                    result.status == 0, "\(arguments): \(result.err)", sourceLocation: location)
                return try result.json
            }
            func list(_ key: String, _ arguments: String...) async throws -> [[String: Any]] {
                let result = try await home.mien(
                    ["admin", "organization"] + arguments + ["--json"], settings: settings)
                return try #require(try result.json[key] as? [[String: Any]])
            }
            _ = try await mien("user", "create", "--username", "ada", "--email", "ada@example.org")
            #expect(
                try await mien("organization", "list").out
                    == "There are no such organizations.\n")
            let made = try await json("create", "Northwind", "--external-id", "crm-17")
            let id = try #require(made["id"] as? String)
            #expect(id.hasPrefix("org_") && made["state"] as? String == "active")
            _ = try await json("create", "Southwind")
            #expect(try await list("organizations", "list").count == 2)
            #expect(
                try await list("organizations", "list", "--name", "north").first?["id"] as? String
                    == id)
            #expect(try await list("organizations", "list", "--limit", "1").count == 1)
            for name in [id, "crm-17"] {
                #expect(try await json("show", name)["name"] as? String == "Northwind")
            }
            #expect(
                try await mien("organization", "show", "crm-17").out.contains(
                    "external id  crm-17"))
            let unknown = try await mien("organization", "show", "crm-18", "--json")
            #expect(try unknown.status == 2 && unknown.error.code == "organization.unknown")

            let member = try await json(
                "add", "crm-17", "ada", "--role", "admin", "--role", "sales")
            #expect(member["roles"] as? [String] == ["admin", "sales"])
            let again = try await mien("organization", "add", "crm-17", "ada", "--json")
            #expect(try again.status == 2 && again.error.code == "server.conflict")
            #expect(
                try await list("members", "members", "crm-17", "--administrators").first?[
                    "username"] as? String == "ada")
            #expect(try await json("roles", "crm-17", "ada")["roles"] as? [String] == [])
            #expect(
                try await list("members", "members", "crm-17", "--administrators").isEmpty)
            let invited = try await json("invite", "crm-17", "grace@example.org")
            let invitation = try #require(invited["id"] as? String)
            #expect(
                try await list("invitations", "invitations", "crm-17").first?["identifier"]
                    as? String == "grace@example.org")
            #expect(
                try await json("revoke", "crm-17", invitation)["revoked"] as? String == invitation)
            _ = try await mien("app", "create", "Shop", "--id", "shop")
            #expect(try await json("allow", "crm-17", "shop")["allowed"] as? String == "shop")
            #expect(try await json("show", "crm-17")["apps"] as? [String] == ["shop"])
            #expect(try await json("forbid", "crm-17", "shop")["forbidden"] as? String == "shop")
            let set = try await json("set", "crm-17", "--state", "suspended", "--name", "North")
            #expect(set["state"] as? String == "suspended" && set["name"] as? String == "North")

            let unsure = try await mien("organization", "delete", "crm-17", "--json")
            #expect(
                try unsure.status == 2 && unsure.error.code == "organization.unconfirmed"
                    && unsure.err.contains("1 memberships"))
            _ = try await json("remove", "crm-17", "ada")
            #expect(try await list("members", "members", "crm-17").isEmpty)
            #expect(try await json("delete", "crm-17", "--yes")["deleted"] as? String == id)
            #expect(try await mien("user", "show", "ada").status == 0, "the account stays")
            let gone = try await mien("organization", "show", id, "--json")
            #expect(try gone.error.code == "organization.unknown")
        }
    }
}
