public import MienAPI
public import MienCore

/// An invitation of a person to an organization.
public struct OrganizationInvitation: Sendable {
    public let id: OrganizationInvitationID
    public let organization: OrganizationID
    /// The address or the user name that was invited.
    public let name: Sensitive<String>
    public let kind: LoginName.Kind
    public let roles: MemberRoles
    /// The ID of the administrator who invited.
    public let author: String
    public let createdAt: Instant
    public let expiresAt: Instant

    public init(
        id: OrganizationInvitationID, organization: OrganizationID, name: Sensitive<String>,
        kind: LoginName.Kind, roles: MemberRoles, author: String, createdAt: Instant,
        expiresAt: Instant
    ) {
        (self.id, self.organization, self.name, self.kind) = (id, organization, name, kind)
        (self.roles, self.author) = (roles, author)
        (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
    }
}

/// Invitations that nobody has accepted, by the hash of the invited name.
///
/// They need no code: only an account that has the name accepts one. A name counts for the account
/// that had it when it was invited, because another account may have it later. An address that no
/// account had counts for the one that verifies it.
public struct OrganizationInvitationTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns =
        "i.id, i.organization_id, i.kind, i.content_sealed, i.roles, i.author, i.created_at, i.expires_at"

    /// Inserts an invitation, in place of an earlier one of the same name.
    ///
    /// - Parameter account: The account that has the name.
    public func put(_ invitation: OrganizationInvitation, of name: LoginName, account: UserID?)
        throws(StoreError)
    {
        try connection.execute(
            "DELETE FROM organization_invitation WHERE organization_id = ? AND kind = ? AND name_hash = ?",
            .id(invitation.organization), .text(name.kind.rawValue), .blob(hash(name)))
        let content = invitation.name.use {
            keys.seal(
                Array($0.utf8), .organizationInvitation, for: invitation.id.text)
        }
        try connection.execute(
            """
            INSERT INTO organization_invitation
              (id, organization_id, kind, name_hash, account_id, content_sealed, roles, author, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .id(invitation.id), .id(invitation.organization), .text(name.kind.rawValue),
            .blob(hash(name)), account.map { .id($0) } ?? .null, .blob(content),
            .text(JSONColumn.text(invitation.roles.words)), .text(invitation.author),
            .time(invitation.createdAt), .time(invitation.expiresAt))
    }

    /// Returns the open invitations of an organization, the oldest first.
    public func all(of organization: OrganizationID, at now: Instant) throws(StoreError)
        -> [OrganizationInvitation]
    {
        try connection.rows(
            "SELECT \(Self.columns) FROM organization_invitation i WHERE i.organization_id = ? AND i.expires_at > ? ORDER BY i.created_at, i.id",
            .id(organization), .time(now)
        ).map(invitation)
    }

    /// Returns how many invitations of an organization are open.
    public func count(of organization: OrganizationID, at now: Instant) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT COUNT(*) FROM organization_invitation WHERE organization_id = ? AND expires_at > ?",
            .id(organization), .time(now))
        return Int(try rows[0].integer(0))
    }

    /// Returns the open invitations that an account may accept, the oldest first.
    public func all(for account: UserID, at now: Instant) throws(StoreError)
        -> [OrganizationInvitation]
    {
        try connection.rows(
            """
            SELECT \(Self.columns) FROM organization_invitation i
            JOIN account_name n ON n.kind = i.kind AND n.name_hash = i.name_hash
            WHERE n.account_id = ? AND (i.account_id = n.account_id OR (i.account_id IS NULL AND i.kind = ?)) AND i.expires_at > ?
            ORDER BY i.created_at, i.id
            """, .id(account), .text(LoginName.Kind.email.rawValue), .time(now)
        ).map(invitation)
    }

    /// - Returns: whether the organization had the invitation.
    public func remove(_ id: OrganizationInvitationID, of organization: OrganizationID)
        throws(StoreError) -> Bool
    {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM organization_invitation WHERE id = ? AND organization_id = ?", .id(id),
            .id(organization)) == 1
    }

    /// Removes the invitations that an administrator of an organization made, who is one no longer.
    public func removeAll(by author: UserID, of organization: OrganizationID) throws(StoreError) {
        try connection.execute(
            "DELETE FROM organization_invitation WHERE organization_id = ? AND author = ?",
            .id(organization), .id(author))
    }

    /// Removes the invitations of an account, under each of its names, to an organization. A
    /// remaining invitation would let a removed person return.
    public func removeAll(for account: UserID, to organization: OrganizationID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute(
            """
            DELETE FROM organization_invitation WHERE organization_id = ? AND (account_id = ? OR id IN (
              SELECT i.id FROM organization_invitation i
              JOIN account_name n ON n.kind = i.kind AND n.name_hash = i.name_hash
              WHERE n.account_id = ? AND i.kind = ?))
            """, .id(organization), .id(account), .id(account),
            .text(LoginName.Kind.email.rawValue))
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM organization_invitation WHERE id IN (SELECT id FROM organization_invitation WHERE expires_at <= ? LIMIT ?)",
            .time(now), .integer(Int64(count)))
    }

    private func hash(_ name: LoginName) -> [UInt8] {
        keys.hash(of: name.kind.rawValue, name.normal)
    }

    private func invitation(_ row: SQLRow) throws(StoreError) -> OrganizationInvitation {
        let id: OrganizationInvitationID = try row.identifier(0)
        let name = try keys.open(row.blob(3), .organizationInvitation, for: id.text)
        return OrganizationInvitation(
            id: id, organization: try row.identifier(1),
            name: Sensitive(String(decoding: name, as: UTF8.self)), kind: try row.word(2),
            roles: try MemberRoles.stored(row.text(4)), author: try row.text(5),
            createdAt: try row.instant(6), expiresAt: try row.instant(7))
    }
}
