internal import MienAPI
internal import MienCore
internal import MienStore

/// The memberships of users, as they manage them themselves.
extension MemberService {
    /// The user's memberships and open invitations.
    func visitor(_ caller: OrganizationCaller) async throws -> OrganizationVisitorAnswer {
        let now = clock.now
        return try await store.read { tables in
            try caller.require(in: tables)
            let own = try tables.organizationMembers.all(of: caller.account.id)
            let invited = try tables.organizationInvitations.all(for: caller.account.id, at: now)
            return OrganizationVisitorAnswer(
                id: caller.account.id.text,
                name: caller.account.profile.use { $0.username ?? $0.email ?? $0.externalID } ?? "",
                organizations: own.map {
                    OrganizationAnswers.organization($0.organization, of: $0.member)
                },
                invitations: try invited.compactMap { one in
                    try tables.organizations.find(one.organization).map {
                        ReceivedInvitationAnswer(
                            id: one.id.text, organization: $0.name.text, roles: one.roles.words,
                            expiresAt: one.expiresAt.milliseconds)
                    }
                })
        }
    }

    /// Makes the user a member, as invited.
    func accept(_ id: OrganizationInvitationID, by caller: OrganizationCaller) async throws
        -> UserOrganizationAnswer
    {
        let now = clock.now, user = caller.account.id
        return try await store.write { tables in
            try caller.require(in: tables)
            let invitation = try tables.invitation(id, for: user, at: now)
            guard let record = try tables.organizations.find(invitation.organization),
                try tables.mayStillInvite(invitation)
            else { throw Problem.noSuchInvitation }
            let member = try tables.join(
                user, record.id, invitation.roles, by: "user", at: now)
            return OrganizationAnswers.organization(record, of: member)
        }
    }

    func decline(_ id: OrganizationInvitationID, by caller: OrganizationCaller) async throws {
        let now = clock.now, user = caller.account.id
        try await store.write { tables in
            try caller.require(in: tables)
            let invitation = try tables.invitation(id, for: user, at: now)
            _ = try tables.organizationInvitations.remove(id, of: invitation.organization)
            try tables.audit.append(
                .ofOrganization(
                    "organization.invitation-declined", invitation.organization, by: "user",
                    account: user, ["invitation": .string(id.text)]), at: now)
        }
    }

    /// Ends the user's own membership.
    ///
    /// - Throws: ``Problem`` `.conflict` for the last administrator.
    func leave(_ id: OrganizationID, by caller: OrganizationCaller) async throws {
        let now = clock.now, user = caller.account.id
        try await store.write { tables in
            try caller.require(in: tables)
            guard let member = try tables.organizationMembers.find(user, in: id) else {
                throw Problem.noSuchOrganization
            }
            if member.roles.isAdmin {
                let admins = try tables.organizationMembers.page(
                    of: id, areAdmins: true, after: nil, count: 2)
                guard admins.count > 1 else {
                    throw Problem(
                        .conflict,
                        "You are the only administrator. Make somebody else one before you leave.")
                }
            }
            try tables.leave(user, id, "organization.left", by: "user", at: now)
        }
    }
}

extension Tables {
    fileprivate func invitation(
        _ id: OrganizationInvitationID, for user: UserID, at now: Instant
    ) throws -> OrganizationInvitation {
        guard
            let found = try organizationInvitations.all(for: user, at: now).first(where: {
                $0.id == id
            })
        else { throw Problem.noSuchInvitation }
        return found
    }

    /// Whether the author of an invitation may still invite: an administrator of the server, or one
    /// of the organization who still is one.
    fileprivate func mayStillInvite(_ invitation: OrganizationInvitation) throws -> Bool {
        guard let author = UserID(invitation.author),
            invitation.author.hasPrefix("\(UserKind.prefix)_")
        else { return true }
        return try accounts.standing(of: author)?.state == .active
            && organizationMembers.find(author, in: invitation.organization)?.roles.isAdmin == true
    }
}
