public import MienAPI
public import MienCore

/// An administrator, who may use the part of the admin API that the role permits.
public struct AdminRecord: Sendable {
    public let id: AdminID
    public let name: String
    public let role: AdminRole
    public let createdAt: Instant

    public init(id: AdminID, name: String, role: AdminRole, createdAt: Instant) {
        (self.id, self.name, self.role, self.createdAt) = (id, name, role, createdAt)
    }
}

public struct AdminTable {
    let connection: any SQLConnection

    /// - Parameter tokenHash: The hash of the credential's secret; `nil` for an administrator who
    ///   only signs in.
    public func insert(_ admin: AdminRecord, tokenHash: [UInt8]?) throws(StoreError) {
        // An empty hash is the hash of no secret.
        try connection.execute(
            "INSERT INTO admin (id, name, role, token_hash, created_at) VALUES (?, ?, ?, ?, ?)",
            .id(admin.id), .text(admin.name), .text(admin.role.rawValue), .blob(tokenHash ?? []),
            .time(admin.createdAt)
        )
    }

    public func find(tokenHash: [UInt8]) throws(StoreError) -> AdminRecord? {
        guard !tokenHash.isEmpty else { return nil }
        return try connection.row(
            "SELECT id, name, role, created_at FROM admin WHERE token_hash = ?", .blob(tokenHash)
        ).map(Self.record)
    }

    public func find(_ id: AdminID) throws(StoreError) -> AdminRecord? {
        try connection.row("SELECT id, name, role, created_at FROM admin WHERE id = ?", .id(id))
            .map(Self.record)
    }

    /// Returns the administrator who signs in with a name.
    public func find(login: AdministratorName) throws(StoreError) -> AdminRecord? {
        try connection.row(
            "SELECT id, name, role, created_at FROM admin WHERE login = ?", .text(login.normal)
        ).map(Self.record)
    }

    /// Sets the name of an administrator and the form of it to sign in with.
    ///
    /// - Throws: ``StoreError`` `.conflict` if another administrator signs in with it.
    public func rename(_ id: AdminID, to name: String, login: AdministratorName)
        throws(StoreError)
    {
        try connection.execute(
            "UPDATE admin SET name = ?, login = ? WHERE id = ?", .text(name),
            .text(login.normal), .id(id))
    }

    /// Returns all administrators, the oldest first.
    public func all() throws(StoreError) -> [AdminRecord] {
        try connection.rows("SELECT id, name, role, created_at FROM admin ORDER BY created_at, id")
            .map(Self.record)
    }

    /// Returns `count` administrators after `last`, the oldest first.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists.
    public func page(after last: AdminID?, count: Int) throws(StoreError) -> [AdminRecord] {
        try connection.page(
            "id, name, role, created_at", of: TimedList(table: "admin", time: "created_at"),
            after: last, count: count
        ).map(Self.record)
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> AdminRecord {
        AdminRecord(
            id: try row.identifier(0), name: try row.text(1), role: try row.word(2),
            createdAt: try row.instant(3))
    }

    /// Ends the credential of an administrator, who keeps the other ways in.
    public func endCredential(of id: AdminID) throws(StoreError) {
        // An empty hash is the hash of no secret.
        try connection.execute(
            "UPDATE admin SET token_hash = ? WHERE id = ?", .blob([]), .id(id))
    }

    /// - Returns: `false` if there is no such administrator.
    public func change(_ id: AdminID, to role: AdminRole) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE admin SET role = ? WHERE id = ?", .text(role.rawValue), .id(id)) == 1
    }

    /// Removes an administrator with all sign-in methods, sessions, and codes.
    ///
    /// - Returns: `false` if there is no such administrator.
    public func remove(_ id: AdminID) throws(StoreError) -> Bool {
        try connection.execute("DELETE FROM admin_offer WHERE subject = ?", .id(id))
        return try connection.execute("DELETE FROM admin WHERE id = ?", .id(id)) == 1
    }

    /// - Returns: the number of removed administrators.
    @discardableResult
    public func removeAll() throws(StoreError) -> Int {
        try connection.execute("DELETE FROM admin_offer")
        return try connection.execute("DELETE FROM admin")
    }

    public func isEmpty() throws(StoreError) -> Bool {
        try connection.row("SELECT 1 FROM admin LIMIT 1") == nil
    }
}
