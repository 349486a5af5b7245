import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Mails that name apps and organizations.
@Suite(.enabled(if: Installed.isThere, Installed.reason)) struct IsolatedMailTests {
    @Test func `a name in the other direction of writing stays in one piece`() async throws {
        let name = "שלום!", isolated = "\u{2068}שלום!\u{2069}"
        try await TestServer.run(in: ScratchFolder()) { server in
            try await server.makeUser()
            _ = try await server.admin.createApp(
                AppRequest(id: "shop", name: name, isFirstParty: true))
            let steps = WaitingSteps(server: server)
            try await steps.publish()
            _ = try await steps.beginCode("code", in: "shop")
            let code = try await steps.outbox.mail(with: "Your code is")
            #expect(code.contains("for one sign-in at \(isolated).") && !code.contains(" \(name)"))

            let access = try await TokenClient(server: server, app: "shop").signIn()["access_token"]
            let made = try await server.sendJSON(
                .post, "/v1/me/recovery-codes", body: "{}", access: access)
            #expect(made.status < 300, "\(made)")
            let notice = try await steps.outbox.mail(with: "A set of recovery codes was added")
            #expect(notice.contains("to your account in \(isolated) on"))

            let organization = try await server.admin.createOrganization(
                OrganizationRequest(name: name))
            _ = try await server.admin.invite(
                "eve@example.org", to: #require(OrganizationID(organization.id)))
            let invitation = try await steps.outbox.mail(with: "You were invited")
            #expect(invitation.contains("the organization “\(isolated)”."))
        }
    }
}
