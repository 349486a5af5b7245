public import MienAPI
public import MienCore

/// A customer whose people sign in to B2B apps.
public struct OrganizationRecord: Sendable, Hashable {
    public let id: OrganizationID
    /// The operator's own name for it, such as the number of a customer.
    public var externalID: String?
    public var name: OrganizationName
    public var state: OrganizationState
    public var metadata: [String: JSONValue]
    public let createdAt: Instant

    public init(
        id: OrganizationID, externalID: String? = nil, name: OrganizationName,
        state: OrganizationState = .active, metadata: [String: JSONValue] = [:],
        createdAt: Instant
    ) {
        (self.id, self.externalID, self.name, self.state) = (id, externalID, name, state)
        (self.metadata, self.createdAt) = (metadata, createdAt)
    }
}

public struct OrganizationTable {
    let connection: any SQLConnection
    private static let columns = "id, external_id, name, state, metadata, created_at"

    /// - Throws: ``StoreError`` `.conflict` if another organization has the ID or external ID.
    public func insert(_ record: OrganizationRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO organization (\(Self.columns), name_key, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .id(record.id), record.externalID.map { .text($0) } ?? .null, .text(record.name.text),
            .text(record.state.rawValue), .text(JSONColumn.text(record.metadata)),
            .time(record.createdAt), .text(record.name.normal), .time(record.createdAt))
    }

    /// - Returns: whether the organization exists.
    /// - Throws: ``StoreError`` `.conflict` if another organization has the external ID.
    public func update(_ record: OrganizationRecord, at now: Instant) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE organization SET external_id = ?, name = ?, name_key = ?, state = ?, metadata = ?, updated_at = ? WHERE id = ?",
            record.externalID.map { .text($0) } ?? .null, .text(record.name.text),
            .text(record.name.normal), .text(record.state.rawValue),
            .text(JSONColumn.text(record.metadata)), .time(now), .id(record.id)) == 1
    }

    /// Deletes an organization with its members' roles, invitations, and permission to use apps.
    /// The accounts stay. Call ``TokenGrantTable/revokeAll(through:of:at:)`` before.
    ///
    /// - Returns: whether it existed.
    public func delete(_ id: OrganizationID) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        return try connection.execute("DELETE FROM organization WHERE id = ?", .id(id)) == 1
    }

    public func find(_ id: OrganizationID) throws(StoreError) -> OrganizationRecord? {
        try connection.row("SELECT \(Self.columns) FROM organization WHERE id = ?", .id(id)).map(
            Self.record)
    }

    /// Returns the organization with an ID or, if there is none, an external ID.
    public func find(named text: String) throws(StoreError) -> OrganizationRecord? {
        if let id = OrganizationID(text), let found = try find(id) { return found }
        return try find(externalID: text)
    }

    public func find(externalID text: String) throws(StoreError) -> OrganizationRecord? {
        // No name has this character, which PostgreSQL rejects in any text.
        guard !text.utf8.contains(0) else { return nil }
        return try connection.row(
            "SELECT \(Self.columns) FROM organization WHERE external_id = ?", .text(text)
        ).map(Self.record)
    }

    /// Returns `count` organizations after `last`, by name.
    ///
    /// - Parameter beginning: How their names begin, in any case.
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists, so that the remaining ones do
    ///   not seem to be empty.
    public func page(beginning: OrganizationName?, after last: OrganizationID?, count: Int)
        throws(StoreError) -> [OrganizationRecord]
    {
        var conditions: [String] = [], values: [SQLValue] = []
        if let beginning {
            conditions.append("name_key >= ? AND name_key < ?")
            // Sorts after every text that begins with the name.
            values += [.text(beginning.normal), .text(beginning.normal + "\u{10FFFF}")]
        }
        if let last {
            guard
                let start = try connection.row(
                    "SELECT name_key FROM organization WHERE id = ?", .id(last))
            else {
                throw StoreError(.stale, "the organization that the page follows no longer exists")
            }
            conditions.append("(name_key, id) > (?, ?)")
            values += [.text(try start.text(0)), .id(last)]
        }
        let rows = try connection.rows(
            "SELECT \(Self.columns) FROM organization\(conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))") ORDER BY name_key, id LIMIT ?",
            values + [.integer(Int64(count))])
        return try rows.map(Self.record)
    }

    // MARK: Apps

    /// Lets an organization use an app, for apps that not every organization may use.
    ///
    /// - Throws: ``StoreError`` `.stale` if one of them no longer exists.
    public func allow(_ app: AppID, for id: OrganizationID) throws(StoreError) {
        try connection.execute(
            "INSERT INTO organization_app (organization_id, app_id) VALUES (?, ?) ON CONFLICT (organization_id, app_id) DO NOTHING",
            .id(id), .id(app))
    }

    /// - Returns: whether the organization was allowed to use the app.
    public func forbid(_ app: AppID, for id: OrganizationID) throws(StoreError) -> Bool {
        try connection.execute(
            "DELETE FROM organization_app WHERE organization_id = ? AND app_id = ?", .id(id),
            .id(app)) == 1
    }

    public func allows(_ app: AppID, for id: OrganizationID) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM organization_app WHERE organization_id = ? AND app_id = ?", .id(id),
            .id(app)) != nil
    }

    /// Returns the apps that an organization was allowed to use.
    public func apps(of id: OrganizationID) throws(StoreError) -> [AppID] {
        try connection.rows(
            "SELECT app_id FROM organization_app WHERE organization_id = ? ORDER BY app_id",
            .id(id)
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    /// Returns how many rows deleting an organization removes.
    public func contents(of id: OrganizationID, at now: Instant) throws(StoreError)
        -> OrganizationContents
    {
        func count(_ table: String, _ condition: String, _ values: [SQLValue]) throws(StoreError)
            -> Int
        {
            let rows = try connection.rows(
                "SELECT COUNT(*) FROM \(table) WHERE \(condition)", values)
            return Int(try rows[0].integer(0))
        }
        return OrganizationContents(
            members: try count("organization_member", "organization_id = ?", [.id(id)]),
            invitations: try count("organization_invitation", "organization_id = ?", [.id(id)]),
            apps: try count("organization_app", "organization_id = ?", [.id(id)]),
            signIns: try count(
                "token_grant",
                "organization_id = ? AND organization_id <> '' AND revoked_at IS NULL AND expires_at > ?",
                [.id(id), .time(now)]))
    }

    static func record(_ row: SQLRow) throws(StoreError) -> OrganizationRecord {
        guard let name = OrganizationName(try row.text(2)) else {
            throw StoreError(.corrupt, "an organization's name is malformed")
        }
        return OrganizationRecord(
            id: try row.identifier(0), externalID: try row.optionalText(1), name: name,
            state: try row.word(3),
            metadata: try JSONColumn.value([String: JSONValue].self, row.text(4).utf8),
            createdAt: try row.instant(5))
    }
}

/// The numbers of what belongs to an organization.
public struct OrganizationContents: Sendable, Hashable {
    public let members, invitations, apps: Int
    /// Sign-ins through the organization that have not ended.
    public let signIns: Int
}
