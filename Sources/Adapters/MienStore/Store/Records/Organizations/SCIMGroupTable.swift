public import MienCore

/// A group of an organization's directory, which gives its members a role.
public struct SCIMGroupRecord: Sendable, Hashable {
    public let id: SCIMGroupID
    public let organization: OrganizationID
    public var name: String
    public var role: String
    public var externalID: String?
    public let createdAt: Instant
    public var updatedAt: Instant

    public init(
        id: SCIMGroupID, organization: OrganizationID, name: String, role: String,
        externalID: String?, createdAt: Instant
    ) {
        (self.id, self.organization, self.name, self.role) = (id, organization, name, role)
        (self.externalID, self.createdAt, updatedAt) = (externalID, createdAt, createdAt)
    }
}

public struct SCIMGroupTable {
    let connection: any SQLConnection
    private static let columns =
        "id, organization_id, name, role, external_id, created_at, updated_at"

    /// - Throws: ``StoreError`` `.conflict` if another group of the organization has the role.
    public func insert(_ group: SCIMGroupRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO scim_group (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .id(group.id), .id(group.organization), .text(group.name), .text(group.role),
            group.externalID.map { .text($0) } ?? .null, .time(group.createdAt),
            .time(group.updatedAt))
    }

    /// - Throws: ``StoreError`` `.conflict` if another group has the role; `.stale` if it has
    ///   changed since it was read.
    public func update(_ group: SCIMGroupRecord, at now: Instant) throws(StoreError) {
        let changed = try connection.execute(
            "UPDATE scim_group SET name = ?, role = ?, external_id = ?, updated_at = ? WHERE id = ? AND updated_at = ?",
            .text(group.name), .text(group.role),
            group.externalID.map { .text($0) } ?? .null,
            .time(max(now, group.updatedAt + .milliseconds(1))), .id(group.id),
            .time(group.updatedAt))
        guard changed == 1 else {
            throw StoreError(.stale, "the group has changed since it was read")
        }
    }

    public func delete(_ id: SCIMGroupID) throws(StoreError) {
        try connection.execute("DELETE FROM scim_group WHERE id = ?", .id(id))
    }

    public func find(_ id: SCIMGroupID, in organization: OrganizationID) throws(StoreError)
        -> SCIMGroupRecord?
    {
        try connection.row(
            "SELECT \(Self.columns) FROM scim_group WHERE id = ? AND organization_id = ?",
            .id(id), .id(organization)
        ).map(Self.record)
    }

    /// Returns the groups of an organization, the oldest first.
    public func all(of organization: OrganizationID) throws(StoreError) -> [SCIMGroupRecord] {
        try connection.rows(
            "SELECT \(Self.columns) FROM scim_group WHERE organization_id = ? ORDER BY created_at, id",
            .id(organization)
        ).map(Self.record)
    }

    /// Returns the groups of a person, the oldest first.
    public func all(of account: UserID, in organization: OrganizationID) throws(StoreError)
        -> [SCIMGroupRecord]
    {
        try connection.rows(
            "SELECT \(Self.columns) FROM scim_group WHERE organization_id = ? AND id IN (SELECT group_id FROM scim_group_member WHERE account_id = ?) ORDER BY created_at, id",
            .id(organization), .id(account)
        ).map(Self.record)
    }

    /// Returns the roles that the groups of an organization give.
    public func roles(of organization: OrganizationID) throws(StoreError) -> Set<String> {
        var roles: Set<String> = []
        for row in try connection.rows(
            "SELECT role FROM scim_group WHERE organization_id = ?", .id(organization))
        {
            roles.insert(try row.text(0))
        }
        return roles
    }

    public func count(of organization: OrganizationID) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT COUNT(*) FROM scim_group WHERE organization_id = ?", .id(organization))
        return Int(try rows[0].integer(0))
    }

    public func members(of id: SCIMGroupID) throws(StoreError) -> [UserID] {
        try connection.rows(
            "SELECT account_id FROM scim_group_member WHERE group_id = ? ORDER BY account_id",
            .id(id)
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    public func add(_ account: UserID, to id: SCIMGroupID) throws(StoreError) {
        try connection.execute(
            "INSERT INTO scim_group_member (group_id, account_id) VALUES (?, ?) ON CONFLICT (group_id, account_id) DO NOTHING",
            .id(id), .id(account))
    }

    public func remove(_ account: UserID, from id: SCIMGroupID) throws(StoreError) {
        try connection.execute(
            "DELETE FROM scim_group_member WHERE group_id = ? AND account_id = ?", .id(id),
            .id(account))
    }

    /// Removes a person from all groups of an organization.
    public func removeAll(_ account: UserID, in organization: OrganizationID) throws(StoreError) {
        try connection.execute(
            "DELETE FROM scim_group_member WHERE account_id = ? AND group_id IN (SELECT id FROM scim_group WHERE organization_id = ?)",
            .id(account), .id(organization))
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> SCIMGroupRecord {
        var record = SCIMGroupRecord(
            id: try row.identifier(0), organization: try row.identifier(1),
            name: try row.text(2), role: try row.text(3),
            externalID: try row.optionalText(4), createdAt: try row.instant(5))
        record.updatedAt = try row.instant(6)
        return record
    }
}
