import MienAPI
import MienClient
import MienCore
import Testing

/// An owner who has made a setup code for an administrator, and has invited another one.
struct WaitingAdministrators: Sendable {
    private let server: TestServer
    private let owner, administrator: AdministratorAnswer
    private let setup, invitation: String

    init(_ server: TestServer) async throws {
        self.server = server
        let (owner, theirs) = try await server.admin(as: .owner)
        self.owner = owner
        administrator = try await server.admin.createAdministrator("Grace", as: .operator)
        setup = try await theirs.makeSetupCode(forAdministrator: administrator.id).link
        invitation = try #require(
            try await theirs.inviteAdministrator("Heidi", as: .auditor).link)
    }

    /// Makes a change, if administrators have one like it.
    func apply(_ change: AccountChange) async throws {
        let admin = server.admin
        switch change {
        case .deleted:
            try await admin.removeAdministrator(administrator.id)
            _ = try await admin.createAdministrator("Grace", as: .operator)
        case .compromised:
            // Another owner renews all that the owner signs in with.
            let code = try await admin.makeSetupCode(forAdministrator: owner.id)
            try await PortalBrowser(server).setUp(
                code: PortalBrowser.code(of: Sensitive(code.link)))
        case .allEnded:
            for credential in [owner.credential, administrator.credential] {
                let answer = try await server.sendJSON(
                    .delete, "/v1/administrator/sessions", access: credential)
                #expect(answer.status == 204, "\(answer)")
            }
        case .removedRole:
            for role in [AdminRole.operator, .owner] {
                _ = try await admin.changeAdministrator(owner.id, to: role)
            }
        case .renamed, .otherAddress, .noAddress, .unverified, .addressAndBack, .suspended,
            .othersEnded, .withdrawn, .remadeApp, .remadeOrganization:
            break
        }
    }

    /// - Returns: Whether the setup code sets up the administrator for whom it was made.
    func setsUp() async throws -> Bool {
        guard let me = try await Self.use(setup, "setup", on: server) else { return false }
        return me["id"] == .string(administrator.id)
    }

    /// - Returns: Whether the invitation makes an administrator, with its name and role.
    func invites() async throws -> Bool {
        guard let me = try await Self.use(invitation, "invitation", on: server) else {
            return false
        }
        return me["name"] == "Heidi" && me["role"] == "auditor"
    }

    /// Uses the code of a link, and returns who is signed in then; `nil` if it is refused.
    static func use(_ link: String, _ kind: String, on server: TestServer) async throws
        -> JSONValue?
    {
        let browser = PortalBrowser(server), code = PortalBrowser.code(of: Sensitive(link))
        let options = try await browser.send(
            .post, "/v1/administrator/\(kind)/options", ["code": .string(code)])
        guard options.status == 200 else { return nil }
        try await browser.setUp(kind, code: code)
        return try await browser.send(.get, "/v1/administrator").body
    }
}
