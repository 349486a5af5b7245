internal import MienAPI
public import MienCore

/// A person as the directory of an organization describes them.
public struct SCIMUserRecord: Sendable {
    public let organization: OrganizationID
    public let account: UserID
    /// The resource as the directory wrote it. ``isActive`` says whether the person is active.
    public var content: Sensitive<[String: JSONValue]>
    /// Whether the directory created the account, and may suspend and delete it.
    public let isOwned: Bool
    /// Whether the directory lets the person sign in.
    public var isActive: Bool
    /// Whether the directory suspended the account. It lifts no suspension but its own.
    public var hasSuspended = false
    public let createdAt: Instant
    public var updatedAt: Instant

    public init(
        organization: OrganizationID, account: UserID, content: [String: JSONValue],
        isOwned: Bool, isActive: Bool, createdAt: Instant
    ) {
        (self.organization, self.account, self.isOwned) = (organization, account, isOwned)
        (self.content, self.isActive) = (Sensitive(content), isActive)
        (self.createdAt, updatedAt) = (createdAt, createdAt)
    }

    /// The name in the directory.
    public var userName: String { content.use { $0["userName"]?.stringValue ?? "" } }
}

public struct SCIMUserTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns =
        "organization_id, account_id, is_owned, is_active, has_suspended, content_sealed, created_at, updated_at"

    /// - Throws: ``StoreError`` `.conflict` if the directory has the person, or the name, already.
    public func insert(_ record: SCIMUserRecord, of account: AccountRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO scim_user (\(Self.columns), name_hash, external_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(record.organization), .id(record.account), .flag(record.isOwned),
            .flag(record.isActive), .flag(record.hasSuspended),
            .blob(sealed(record, account)), .time(record.createdAt), .time(record.updatedAt),
            .blob(nameHash(record.userName, in: record.organization)),
            externalHash(record))
    }

    /// - Throws: ``StoreError`` `.conflict` if another person of the directory has the name;
    ///   `.stale` if it has changed since it was read.
    public func update(_ record: SCIMUserRecord, of account: AccountRecord, at now: Instant)
        throws(StoreError)
    {
        connection.leaveNoTrace()
        let changed = try connection.execute(
            "UPDATE scim_user SET is_active = ?, has_suspended = ?, content_sealed = ?, updated_at = ?, name_hash = ?, external_hash = ? WHERE organization_id = ? AND account_id = ? AND updated_at = ?",
            .flag(record.isActive), .flag(record.hasSuspended), .blob(sealed(record, account)),
            .time(max(now, record.updatedAt + .milliseconds(1))),
            .blob(nameHash(record.userName, in: record.organization)), externalHash(record),
            .id(record.organization), .id(record.account), .time(record.updatedAt))
        guard changed == 1 else {
            throw StoreError(.stale, "the person of the directory has changed since it was read")
        }
    }

    /// Leaves it to an administrator whether an account is suspended: no directory lifts a
    /// suspension that an administrator has decided about since.
    public func forgetSuspensions(of account: UserID) throws(StoreError) {
        try connection.execute(
            "UPDATE scim_user SET has_suspended = ? WHERE account_id = ?", .flag(false),
            .id(account))
    }

    /// - Returns: whether the directory had the person.
    public func delete(_ account: UserID, of organization: OrganizationID) throws(StoreError)
        -> Bool
    {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM scim_user WHERE organization_id = ? AND account_id = ?",
            .id(organization), .id(account)) == 1
    }

    public func find(_ account: AccountRecord, in organization: OrganizationID) throws(StoreError)
        -> SCIMUserRecord?
    {
        try connection.row(
            "SELECT \(Self.columns) FROM scim_user WHERE organization_id = ? AND account_id = ?",
            .id(organization), .id(account.id)
        ).map { row throws(StoreError) in try record(row, account) }
    }

    public func has(_ account: UserID, in organization: OrganizationID) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM scim_user WHERE organization_id = ? AND account_id = ?",
            .id(organization), .id(account)) != nil
    }

    /// Returns the person with a name in the directory, in any case.
    public func find(userName: String, in organization: OrganizationID) throws(StoreError)
        -> UserID?
    {
        try connection.row(
            "SELECT account_id FROM scim_user WHERE organization_id = ? AND name_hash = ?",
            .id(organization), .blob(nameHash(userName, in: organization))
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    /// Returns the people with an ID of the directory's own, at most 100.
    public func find(externalID: String, in organization: OrganizationID) throws(StoreError)
        -> [UserID]
    {
        try connection.rows(
            "SELECT account_id FROM scim_user WHERE organization_id = ? AND external_hash = ? ORDER BY created_at, account_id LIMIT 100",
            .id(organization),
            .blob(keys.hash(of: "scim-external \(organization.text)", externalID))
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    public func count(of organization: OrganizationID) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT COUNT(*) FROM scim_user WHERE organization_id = ?", .id(organization))
        return Int(try rows[0].integer(0))
    }

    /// Returns `count` people after the first `offset`, the oldest first.
    public func page(of organization: OrganizationID, offset: Int, count: Int) throws(StoreError)
        -> [UserID]
    {
        try connection.rows(
            "SELECT account_id FROM scim_user WHERE organization_id = ? ORDER BY created_at, account_id LIMIT ? OFFSET ?",
            .id(organization), .integer(Int64(count)), .integer(Int64(offset))
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    private func nameHash(_ name: String, in organization: OrganizationID) -> [UInt8] {
        keys.hash(of: "scim-name \(organization.text)", SCIMText.folded(name))
    }

    private func externalHash(_ record: SCIMUserRecord) -> SQLValue {
        guard let id = record.content.use({ $0["externalId"]?.stringValue }) else { return .null }
        return .blob(keys.hash(of: "scim-external \(record.organization.text)", id))
    }

    private func sealed(_ record: SCIMUserRecord, _ account: AccountRecord) -> [UInt8] {
        record.content.use {
            account.key.seal(
                Array(JSONText.write(.object($0)).utf8), .scimUser,
                for: "\(record.organization.text) \(account.id.text)")
        }
    }

    private func record(_ row: SQLRow, _ account: AccountRecord) throws(StoreError)
        -> SCIMUserRecord
    {
        let organization: OrganizationID = try row.identifier(0)
        let content = try JSONColumn.value(
            [String: JSONValue].self,
            account.key.open(
                row.blob(5), .scimUser, for: "\(organization.text) \(account.id.text)"))
        var record = SCIMUserRecord(
            organization: organization, account: account.id, content: content,
            isOwned: try row.integer(2) != 0, isActive: try row.integer(3) != 0,
            createdAt: try row.instant(6))
        record.hasSuspended = try row.integer(4) != 0
        record.updatedAt = try row.instant(7)
        return record
    }
}
