public import MienCore

/// A token with which an organization's directory manages people. The token itself is stored as a
/// hash.
public struct SCIMTokenRecord: Sendable, Hashable {
    public let id: SCIMTokenID
    public let organization: OrganizationID
    public let name: String
    /// The domains of mail whose addresses the operator lets the directory vouch for, normalized.
    public let domains: [String]
    /// The administrator who made it.
    public let author: String
    public let createdAt: Instant
    public let usedAt: Instant?

    public init(
        id: SCIMTokenID, organization: OrganizationID, name: String, domains: [String],
        author: String, createdAt: Instant, usedAt: Instant? = nil
    ) {
        (self.id, self.organization, self.name, self.domains) = (id, organization, name, domains)
        (self.author, self.createdAt, self.usedAt) = (author, createdAt, usedAt)
    }
}

public struct SCIMTokenTable {
    let connection: any SQLConnection
    private static let columns = "id, organization_id, name, domains, author, created_at, used_at"

    /// - Throws: ``StoreError`` `.stale` if the organization no longer exists.
    public func insert(_ token: SCIMTokenRecord, hash: [UInt8]) throws(StoreError) {
        try connection.execute(
            "INSERT INTO scim_token (\(Self.columns), token_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .id(token.id), .id(token.organization), .text(token.name),
            .text(JSONColumn.text(token.domains)), .text(token.author), .time(token.createdAt),
            .null, .blob(hash))
    }

    public func find(hash: [UInt8]) throws(StoreError) -> SCIMTokenRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM scim_token WHERE token_hash = ?", .blob(hash)
        ).map(Self.record)
    }

    /// Returns the tokens of an organization, the oldest first.
    public func all(of organization: OrganizationID) throws(StoreError) -> [SCIMTokenRecord] {
        try connection.rows(
            "SELECT \(Self.columns) FROM scim_token WHERE organization_id = ? ORDER BY created_at, id",
            .id(organization)
        ).map(Self.record)
    }

    public func note(_ id: SCIMTokenID, usedAt now: Instant) throws(StoreError) {
        try connection.execute(
            "UPDATE scim_token SET used_at = ? WHERE id = ?", .time(now), .id(id))
    }

    /// - Returns: whether the organization had the token.
    public func delete(_ id: SCIMTokenID, of organization: OrganizationID) throws(StoreError)
        -> Bool
    {
        try connection.execute(
            "DELETE FROM scim_token WHERE id = ? AND organization_id = ?", .id(id),
            .id(organization)) == 1
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> SCIMTokenRecord {
        SCIMTokenRecord(
            id: try row.identifier(0), organization: try row.identifier(1),
            name: try row.text(2),
            domains: try JSONColumn.value([String].self, row.text(3).utf8),
            author: try row.text(4), createdAt: try row.instant(5),
            usedAt: try row.optionalInstant(6))
    }
}
