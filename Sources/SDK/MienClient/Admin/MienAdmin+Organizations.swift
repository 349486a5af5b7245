public import MienAPI
public import MienCore

// MARK: Organizations

extension MienAdmin {
    /// Returns at most 100 organizations, by name.
    ///
    /// - Parameters:
    ///   - beginning: How their names begin, in any case.
    ///   - after: `next` of the previous page.
    public func organizations(beginning: String? = nil, after: OrganizationID? = nil) async throws
        -> Page<OrganizationAnswer>
    {
        var query: [(String, String)] = []
        if let beginning { query.append(("name", beginning)) }
        if let after { query.append(("after", after.text)) }
        return try await get("organizations", query: query)
    }

    /// Finds an organization by its external ID.
    public func findOrganization(externalID: String) async throws -> OrganizationAnswer? {
        try await
            (get("organizations", query: [("external_id", externalID)])
            as Page<OrganizationAnswer>).items.first
    }

    public func organization(_ id: OrganizationID) async throws -> OrganizationAnswer {
        try await get("organizations", id.text)
    }

    /// - Throws: ``MienError`` with the problem `conflict` if another one has the external ID.
    public func createOrganization(_ wanted: OrganizationRequest) async throws
        -> OrganizationAnswer
    {
        try await send(.post, "organizations", body: wanted, isRepeatable: false)
    }

    /// Changes the given members; members that are left out stay as they are. Suspending an
    /// organization ends the sign-ins through it.
    public func updateOrganization(_ id: OrganizationID, _ change: OrganizationRequest)
        async throws -> OrganizationAnswer
    { try await send(.patch, "organizations", id.text, body: change) }

    /// Returns what deleting an organization removes or ends.
    public func deletionPreview(of id: OrganizationID) async throws -> OrganizationDeletionAnswer {
        try await get("organizations", id.text, "deletion")
    }

    /// Deletes an organization. Sign-ins through it end; the members' accounts stay.
    public func deleteOrganization(_ id: OrganizationID) async throws {
        try await act(.delete, "organizations", id.text)
    }

    /// Lets an organization use an app whose `organizations.access` is `listed`.
    public func allow(_ app: AppID, for id: OrganizationID) async throws {
        try await act(.put, "organizations", id.text, "apps", app.text)
    }

    public func forbid(_ app: AppID, for id: OrganizationID) async throws {
        try await act(.delete, "organizations", id.text, "apps", app.text)
    }

    /// Returns the organizations of a user, by name.
    public func organizations(of user: UserID) async throws -> [UserOrganizationAnswer] {
        try await (get("users", user.text, "organizations") as Page<UserOrganizationAnswer>).items
    }
}

// MARK: Members

extension MienAdmin {
    /// Returns at most 100 members, in the order in which they became members.
    ///
    /// - Parameter areAdmins: Whether only the organization's administrators are wanted.
    public func members(
        of id: OrganizationID, areAdmins: Bool = false, after: UserID? = nil
    ) async throws -> Page<OrganizationMemberAnswer> {
        var query: [(String, String)] = []
        if areAdmins { query.append(("administrators", "true")) }
        if let after { query.append(("after", after.text)) }
        return try await get("organizations", id.text, "members", query: query)
    }

    /// Makes a user a member.
    ///
    /// - Parameters:
    ///   - user: An ID, a user name, a verified address, or an external ID.
    ///   - roles: `admin` makes an organization administrator.
    /// - Throws: ``MienError`` with the problem `conflict` if the user is a member already.
    public func addMember(_ user: String, to id: OrganizationID, roles: [String] = [])
        async throws -> OrganizationMemberAnswer
    {
        try await send(
            .post, "organizations", id.text, "members",
            body: OrganizationMemberRequest(user: user, roles: roles), isRepeatable: false)
    }

    /// Replaces the roles of a member.
    public func changeRoles(of user: UserID, in id: OrganizationID, to roles: [String])
        async throws -> OrganizationMemberAnswer
    {
        try await send(
            .put, "organizations", id.text, "members", user.text, "roles",
            body: OrganizationRolesRequest(roles: roles))
    }

    /// Removes a member, and ends the sign-ins through the organization. The account stays.
    public func removeMember(_ user: UserID, from id: OrganizationID) async throws {
        try await act(.delete, "organizations", id.text, "members", user.text)
    }

    /// Invites an email address or a user name, and mails the person. Repeating it renews the
    /// invitation.
    public func invite(_ identifier: String, to id: OrganizationID, roles: [String] = [])
        async throws -> OrganizationInvitationAnswer
    {
        try await send(
            .post, "organizations", id.text, "invitations",
            body: OrganizationInvitationRequest(identifier: identifier, roles: roles),
            isRepeatable: false)
    }

    /// Returns the invitations that nobody has accepted, the oldest first.
    public func invitations(of id: OrganizationID) async throws -> [OrganizationInvitationAnswer] {
        try await
            (get("organizations", id.text, "invitations")
            as Page<OrganizationInvitationAnswer>).items
    }

    public func revokeInvitation(_ invitation: String, of id: OrganizationID) async throws {
        try await act(.delete, "organizations", id.text, "invitations", invitation)
    }
}
