public import MienAPI
public import MienCore

/// An account in an organization.
public struct OrganizationMember: Sendable, Hashable {
    public let organization: OrganizationID
    public let account: UserID
    public var roles: MemberRoles
    public let createdAt: Instant

    public init(
        organization: OrganizationID, account: UserID, roles: MemberRoles, createdAt: Instant
    ) {
        (self.organization, self.account) = (organization, account)
        (self.roles, self.createdAt) = (roles, createdAt)
    }
}

public struct OrganizationMemberTable {
    let connection: any SQLConnection
    private static let columns = "organization_id, account_id, roles, created_at"

    /// - Throws: ``StoreError`` `.conflict` if the account is a member already, `.stale` if one of
    ///   them no longer exists.
    public func insert(_ member: OrganizationMember) throws(StoreError) {
        try connection.execute(
            "INSERT INTO organization_member (\(Self.columns), is_admin) VALUES (?, ?, ?, ?, ?)",
            .id(member.organization), .id(member.account),
            .text(JSONColumn.text(member.roles.words)), .time(member.createdAt),
            .flag(member.roles.isAdmin))
    }

    /// - Returns: whether the account is a member.
    public func change(
        _ account: UserID, in organization: OrganizationID, to roles: MemberRoles
    ) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE organization_member SET roles = ?, is_admin = ? WHERE organization_id = ? AND account_id = ?",
            .text(JSONColumn.text(roles.words)), .flag(roles.isAdmin), .id(organization),
            .id(account)) == 1
    }

    /// - Returns: whether the account was a member.
    public func remove(_ account: UserID, from organization: OrganizationID) throws(StoreError)
        -> Bool
    {
        try connection.execute(
            "DELETE FROM organization_member WHERE organization_id = ? AND account_id = ?",
            .id(organization), .id(account)) == 1
    }

    public func find(_ account: UserID, in organization: OrganizationID) throws(StoreError)
        -> OrganizationMember?
    {
        try connection.row(
            "SELECT \(Self.columns) FROM organization_member WHERE organization_id = ? AND account_id = ?",
            .id(organization), .id(account)
        ).map(Self.member)
    }

    /// Returns `count` members after `last`, in the order in which they became members.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` is no longer a member, so that the remaining
    ///   ones do not seem to be empty.
    public func page(
        of organization: OrganizationID, areAdmins: Bool = false, after last: UserID?, count: Int
    ) throws(StoreError) -> [OrganizationMember] {
        var condition = "organization_id = ?", values: [SQLValue] = [.id(organization)]
        if areAdmins { condition += " AND is_admin = 1" }
        if let last {
            guard let start = try find(last, in: organization) else {
                throw StoreError(.stale, "the member whom the page follows is no longer there")
            }
            condition += " AND (created_at, account_id) > (?, ?)"
            values += [.time(start.createdAt), .id(last)]
        }
        return try connection.rows(
            "SELECT \(Self.columns) FROM organization_member WHERE \(condition) ORDER BY created_at, account_id LIMIT ?",
            values + [.integer(Int64(count))]
        ).map(Self.member)
    }

    /// Returns the organizations of an account, by name.
    public func all(of account: UserID) throws(StoreError) -> [(
        organization: OrganizationRecord, member: OrganizationMember
    )] {
        try connection.rows(
            """
            SELECT o.id, o.external_id, o.name, o.state, o.metadata, o.created_at,
              m.organization_id, m.account_id, m.roles, m.created_at
            FROM organization_member m JOIN organization o ON o.id = m.organization_id
            WHERE m.account_id = ? ORDER BY o.name_key, o.id
            """, .id(account)
        ).map { row throws(StoreError) in
            (try OrganizationTable.record(row), try Self.parsed(row, from: 6))
        }
    }

    /// Returns how many organizations an account is a member of.
    public func count(of account: UserID) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT COUNT(*) FROM organization_member WHERE account_id = ?", .id(account))
        return Int(try rows[0].integer(0))
    }

    private static func member(_ row: SQLRow) throws(StoreError) -> OrganizationMember {
        try parsed(row, from: 0)
    }

    private static func parsed(_ row: SQLRow, from column: Int) throws(StoreError)
        -> OrganizationMember
    {
        OrganizationMember(
            organization: try row.identifier(column), account: try row.identifier(column + 1),
            roles: try MemberRoles.stored(row.text(column + 2)),
            createdAt: try row.instant(column + 3))
    }
}

extension MemberRoles {
    static func stored(_ text: String) throws(StoreError) -> MemberRoles {
        guard let roles = MemberRoles(try JSONColumn.value([String].self, text.utf8)) else {
            throw StoreError(.corrupt, "a member's roles are malformed")
        }
        return roles
    }
}
