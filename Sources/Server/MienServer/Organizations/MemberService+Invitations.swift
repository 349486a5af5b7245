internal import MienAPI
internal import MienCore
internal import MienStore

extension MemberService {
    /// How long an invitation can be accepted.
    static let invitationLifetime = Duration.seconds(7 * 86_400)
    /// The most open invitations of an organization.
    static let maxInvitations = 1000
    /// How soon an organization's next invitation mails the same person again.
    private static let mailInterval = Duration.seconds(3600)

    /// Invites an address or a user name, and mails the person. Repeating it renews the invitation.
    ///
    /// The answer is the same whether an account has the name or not.
    func invite(
        _ text: String, with roles: MemberRoles, to id: OrganizationID,
        by actor: OrganizationActor
    ) async throws -> OrganizationInvitation {
        let name = try Self.name(text), now = clock.now, keys = store.keys
        if actor.account != nil, try await invitations.take(id.text) != nil {
            throw Problem(
                .tooManyRequests, "Too many invitations by this organization. Try again later.")
        }
        var generator = SystemRandomNumberGenerator()
        let invitation = OrganizationInvitation(
            id: .random(using: &generator), organization: id, name: Sensitive(text),
            kind: name.kind, roles: roles, author: actor.id, createdAt: now,
            expiresAt: now + Self.invitationLifetime)
        try await write(id, actor) { record, tables, now in
            let open = try tables.organizationInvitations.all(of: id, at: now)
            let earlier = open.first { $0.isFor(name) }
            guard earlier != nil || open.count < Self.maxInvitations else {
                throw Problem(
                    .conflict,
                    "An organization can have \(Self.maxInvitations) open invitations. Revoke some, or wait."
                )
            }
            let account = try tables.accounts.find(name)
            if let account, try tables.organizationMembers.find(account.id, in: id) != nil {
                throw Problem(.conflict, "This person is a member of the organization already.")
            }
            try tables.organizationInvitations.put(
                invitation, of: name, account: account?.id)
            try tables.audit.append(
                .ofOrganization(
                    "organization.invited", id, by: actor.id,
                    ["invitation": .string(invitation.id.text), "roles": roles.json]), at: now)
            // Counted apart from the invitation, which its author can revoke and make again.
            guard
                try tables.spent.spend(
                    .invitation,
                    keys.hash(ofSecret: Array("\(id.text) \(name.identifier)".utf8)),
                    until: now + Self.mailInterval)
            else { return }
            let address = name.kind == .email ? Sensitive(text) : account?.noticeAddress
            guard let address else { return }
            try mail.post(
                mailOfInvitation(to: address, record.name.text.isolated, invitation),
                through: .notices, about: account?.id, in: tables, at: now)
        }
        return invitation
    }

    func openInvitations(of id: OrganizationID, by actor: OrganizationActor) async throws
        -> [OrganizationInvitation]
    {
        let now = clock.now
        return try await read(id, actor) { _, tables in
            try tables.organizationInvitations.all(of: id, at: now)
        }
    }

    func revoke(
        _ invitation: OrganizationInvitationID, of id: OrganizationID,
        by actor: OrganizationActor
    ) async throws {
        try await write(id, actor) { _, tables, now in
            guard try tables.organizationInvitations.remove(invitation, of: id) else {
                throw Problem.noSuchInvitation
            }
            try tables.audit.append(
                .ofOrganization(
                    "organization.invitation-revoked", id, by: actor.id,
                    ["invitation": .string(invitation.text)]), at: now)
        }
    }

    static func name(_ text: String) throws -> LoginName {
        do throws(LoginNameError) {
            return try LoginName(text, kind: text.contains("@") ? .email : .username)
        } catch { throw Problem.field("identifier", error.description) }
    }

    private func mailOfInvitation(
        to address: Sensitive<String>, _ organization: String, _ invitation: OrganizationInvitation
    ) -> Mail {
        Mail(
            to: address, subject: "Invitation to \(organization)",
            body: Sensitive(
                """
                You were invited to join the organization “\(organization)”.

                Its administrators will see your name, your sign-in methods, and your sign-ins through the organization, and can end those sign-ins and unlock your sign-in methods.

                To accept or decline, open this page and sign in. If you have no account, create one with this address first:

                \(publicURL())/organization

                The invitation ends on \(invitation.expiresAt.noticeText). If you do not expect it, ignore this message.
                """))
    }
}

extension OrganizationInvitation {
    /// Whether it invites a name.
    fileprivate func isFor(_ other: LoginName) -> Bool {
        kind == other.kind
            && name.use { text in (try? LoginName(text, kind: kind)) == other }
    }
}

extension Problem {
    static let noSuchInvitation = Problem(.notFound, "There is no such invitation.")
}
