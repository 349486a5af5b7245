import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Invitations, and what administrators of an organization do about their members.
@Suite("Members of organizations", .enabled(if: Installed.isThere, Installed.reason))
struct OrganizationMembershipTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func run(
        _ body: @Sendable (TestServer, OrganizationID, OrganizationVisitor) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await PagesTests.makeApp("shop", on: server)
            for name in ["ada", "bob", "eve"] { try await server.makeUser(name) }
            let north = try await server.makeOrganization("North", ["ada": ["admin"]])
            try await body(server, north, try await OrganizationVisitor("ada", server))
        }
    }

    @Test(
        "an invitation answers alike for known and unknown people, mails them, and is for them only"
    )
    func invitations() async throws {
        try await run { server, north, ada in
            let own = "/organizations/\(north.text)/invitations"
            var answers: [[String]] = []
            for name in ["bob@example.org", "nobody@example.org", "bob", "nobody"] {
                let answer = try await ada.send(
                    .post, own, ["identifier": .string(name), "roles": ["billing"]])
                #expect(answer.status == 201)
                answers.append(try #require(answer.body.objectValue).keys.sorted())
            }
            #expect(Set(answers).count == 1)
            for wrong in ["", "a b", "x@", String(repeating: "x", count: 300)] {
                let refused = try await ada.send(.post, own, ["identifier": .string(wrong)])
                #expect(
                    refused.status == 400
                        && refused.body["errors"]?.arrayValue?.first?["field"] == "identifier")
            }
            #expect(
                try await ada.send(.post, own, ["identifier": "ada"]).status == 409,
                "a member already")
            #expect(
                try await ada.send(.post, own, ["identifier": "x", "roles": ["Not A Word"]]).body[
                    "errors"]?.arrayValue?.first?["field"] == "roles")
            // Again within the hour: renewed, without another mail.
            #expect(try await ada.status(.post, own, ["identifier": "BOB@example.org"]) == 201)
            let outbox = Outbox(data: server.folder)
            try await eventually {
                try outbox.mails().filter { $0.subject.contains("Invitation to North") }.count == 3
            }
            let text = try #require(try outbox.mails().first).text
            #expect(text.contains("/organization") && text.contains("North"))

            let bob = try await OrganizationVisitor("bob", server),
                eve = try await OrganizationVisitor("eve", server)
            let received = try await bob.invitations()
            #expect(received.count == 2, "by address and by user name")
            #expect(try await eve.invitations() == [])
            #expect(try await eve.status(.post, "/invitations/\(received[0])") == 404)
            #expect(try await bob.status(.post, "/invitations/\(received[0])") == 200)
            #expect(try await bob.status(.post, "/invitations/\(received[0])") == 404, "used")
            #expect(
                try await bob.status(.post, "/invitations/\(received[1])") == 404,
                "used up with the other one")
            #expect(try await bob.organizations() == ["North"])
            // A name that nobody had when it was invited can be taken by anybody later.
            try await server.makeUser("nobody")
            let taken = try await OrganizationVisitor("nobody", server)
            let open = Set(try await server.admin.invitations(of: north).map(\.identifier))
            #expect(open == ["nobody@example.org", "nobody"])
            #expect(try await taken.invitations().count == 1, "by the verified address only")
            server.time.advance(.seconds(7 * 86_400))
            let late = try await OrganizationVisitor("nobody", server)
            #expect(try await late.invitations() == [])
            await server.server.sweep()
            #expect(try await server.admin.invitations(of: north) == [])
        }
    }

    @Test("an invitation by somebody who is an administrator no longer is worth nothing")
    func authors() async throws {
        try await run { server, north, ada in
            let own = "/organizations/\(north.text)/invitations"
            let id = try await server.userID("ada")
            #expect(
                try await ada.status(
                    .post, own, ["identifier": "eve", "roles": ["admin"]]) == 201)
            let eve = try await OrganizationVisitor("eve", server)
            let invitation = try #require(try await eve.invitations().first)
            _ = try await server.admin.changeRoles(of: id, in: north, to: [])
            #expect(try await eve.status(.post, "/invitations/\(invitation)") == 404)
            // Suspended authors invite nobody either.
            _ = try await server.admin.changeRoles(of: id, in: north, to: ["admin"])
            #expect(try await ada.status(.post, own, ["identifier": "eve"]) == 201)
            let second = try #require(try await eve.invitations().first)
            _ = try await server.admin.updateUser(id, UserRequest(state: .suspended))
            #expect(try await eve.status(.post, "/invitations/\(second)") == 404)
            #expect(try await eve.organizations() == [])
        }
    }

    @Test(
        "nobody who was removed or demoted returns with another invitation",
        arguments: [true, false])
    func leftovers(isAdded: Bool) async throws {
        try await run { server, north, ada in
            let own = "/organizations/\(north.text)/invitations"
            let bob = try await OrganizationVisitor("bob", server)
            let id = try await server.userID("bob")
            for name in ["bob", "bob@example.org"] {
                #expect(
                    try await ada.status(
                        .post, own, ["identifier": .string(name), "roles": ["admin"]]) == 201)
            }
            let received = try await bob.invitations()
            #expect(received.count == 2)
            if isAdded {
                _ = try await server.admin.addMember("bob", to: north, roles: ["admin"])
                try await server.admin.removeMember(id, from: north)
            } else {
                #expect(try await bob.status(.post, "/invitations/\(received[0])") == 200)
                _ = try await server.admin.changeRoles(of: id, in: north, to: [])
                #expect(
                    try await bob.status(.delete, "/organizations/\(north.text)/membership") == 204)
            }
            #expect(try await bob.invitations() == [])
            for one in received {
                #expect(try await bob.status(.post, "/invitations/\(one)") == 404)
            }
            #expect(try await bob.organizations() == [])
            // A new invitation counts.
            #expect(try await ada.status(.post, own, ["identifier": "bob"]) == 201)
            #expect(try await bob.invitations().count == 1)
        }
    }

    @Test(
        "the only administrator cannot leave, and the organization's administrators unlock members")
    func unlocking() async throws {
        try await run { server, north, ada in
            let own = "/organizations/\(north.text)", bob = try await server.userID("bob")
            _ = try await server.admin.addMember("bob", to: north)
            #expect(try await ada.status(.delete, "\(own)/membership") == 409)
            let client = try server.client()
            func fail() async throws {
                for _ in 0..<10 {
                    let journey = try await client.start("password-login")
                    var isAnswered = false
                    for try await step in journey.steps {
                        guard step.id == .loginForm, !isAnswered else { break }
                        isAnswered = true
                        try await step.respond(
                            "password", ["username": "bob", "password": "not the right one"])
                    }
                }
            }
            func lock() async throws -> JSONValue? {
                let answer = try await ada.send(.get, "\(own)/members/\(bob.text)")
                return answer.body["authenticators"]?.arrayValue?.first
            }
            #expect(try await lock()?["lock"] == "open")
            try await fail()
            let locked = try #require(try await lock())
            #expect(locked["lock"] != "open" && locked["type"] == "password")
            let address =
                "\(own)/members/\(bob.text)/authenticators/\(locked["id"]?.stringValue ?? "")/unlock"
            #expect(try await ada.status(.post, address) == 204)
            #expect(try await lock()?["lock"] == "open")
            // An administrator of the server locked it.
            let id = try #require(AuthenticatorID(locked["id"]?.stringValue ?? ""))
            try await server.admin.lock(id, of: bob)
            #expect(try await lock()?["held"] == true)
            #expect(try await ada.status(.post, address) == 403)
            try await server.admin.unlock(id, of: bob)
            for _ in 0..<4 { #expect(try await ada.status(.post, address) == 204) }
            #expect(try await ada.status(.post, address) == 429, "five a day")
            server.time.advance(.seconds(86_401))
            let again = try await OrganizationVisitor("ada", server)
            #expect(try await again.status(.post, address) == 204)
            let events = try await server.admin.audit(
                user: bob, event: "organization.member-unlocked"
            )
            .items
            let actor = try await server.userID("ada").text
            #expect(events.count == 6 && events.allSatisfy { $0.actor == actor })
            #expect(events.first?.detail["organization"] == .string(north.text))
        }
    }

    @Test("the admin API manages organizations, and deleting one says what goes")
    func adminAPI() async throws {
        try await run { server, north, _ in
            let admin = server.admin
            let changed = try await admin.updateOrganization(
                north,
                OrganizationRequest(name: "Northwind", externalID: "crm-17", metadata: ["a": 1]))
            #expect(changed.name == "Northwind" && changed.externalID == "crm-17")
            #expect(try await admin.findOrganization(externalID: "crm-17")?.id == north.text)
            #expect(
                try await admin.organizations(beginning: "NORTH").items.map(\.id) == [north.text])
            #expect(try await admin.organizations(beginning: "south").items == [])
            for (request, field) in [
                (OrganizationRequest(name: ""), "name"),
                (OrganizationRequest(name: "a\nb"), "name"), (OrganizationRequest(), "name"),
                (OrganizationRequest(name: "x", externalID: "none"), "external_id"),
            ] {
                let error = await #expect(throws: MienError.self) {
                    try await admin.createOrganization(request)
                }
                #expect(error?.problem?.errors?.first?.field == field)
            }
            let twice = await #expect(throws: MienError.self) {
                try await admin.createOrganization(
                    OrganizationRequest(name: "Other", externalID: "crm-17"))
            }
            #expect(twice?.problem?.code == .conflict)
            let bob = try await server.userID("bob")
            _ = try await admin.addMember("bob@example.org", to: north, roles: ["b", "a", "b"])
            #expect(
                Set(try await admin.members(of: north).items.map(\.roles)) == [
                    ["admin"], ["a", "b"],
                ])
            #expect(
                try await admin.members(of: north, areAdmins: true).items.map(\.username) == ["ada"]
            )
            #expect(try await admin.organizations(of: bob).map(\.name) == ["Northwind"])
            let unknown = await #expect(throws: MienError.self) {
                try await admin.addMember("nobody", to: north)
            }
            #expect(unknown?.problem?.errors?.first?.field == "user")
            _ = try await admin.invite("x@example.org", to: north)
            try await admin.allow(AppID("shop")!, for: north)
            #expect(try await admin.organization(north).apps == ["shop"])
            let goes = try await admin.deletionPreview(of: north)
            #expect(
                goes
                    == OrganizationDeletionAnswer(members: 2, invitations: 1, apps: 1, signIns: 0))
            try await admin.deleteOrganization(north)
            #expect(try await admin.organizations(of: bob) == [])
            let gone = await #expect(throws: MienError.self) { try await admin.organization(north) }
            #expect(gone?.problem?.code == .notFound)
            #expect(try await admin.user(bob).state == .known(.active))
            let events = Set(
                try await admin.audit(isNewestFirst: true).items.map(\.event).filter {
                    $0.hasPrefix("organization.")
                })
            #expect(
                events == [
                    "organization.created", "organization.changed", "organization.member-added",
                    "organization.invited", "organization.app-allowed", "organization.deleted",
                ])
        }
    }
}
