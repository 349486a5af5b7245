public import MienCore

/// An administrator, who may use the admin API.
public struct AdminRecord: Sendable {
    public let id: AdminID
    public let name: String

    public init(id: AdminID, name: String) { (self.id, self.name) = (id, name) }
}

public struct AdminTable {
    let connection: any SQLConnection

    public func insert(_ admin: AdminRecord, tokenHash: [UInt8], at now: Instant) throws(StoreError)
    {
        try connection.execute(
            "INSERT INTO admin (id, name, token_hash, created_at) VALUES (?, ?, ?, ?)",
            .id(admin.id), .text(admin.name), .blob(tokenHash), .time(now)
        )
    }

    public func find(tokenHash: [UInt8]) throws(StoreError) -> AdminRecord? {
        try connection.row("SELECT id, name FROM admin WHERE token_hash = ?", .blob(tokenHash))
            .map { row throws(StoreError) in
                AdminRecord(id: try row.identifier(0), name: try row.text(1))
            }
    }

    /// - Returns: the number of removed administrators.
    @discardableResult
    public func removeAll() throws(StoreError) -> Int {
        try connection.execute("DELETE FROM admin")
    }

    public func isEmpty() throws(StoreError) -> Bool {
        try connection.row("SELECT 1 FROM admin LIMIT 1") == nil
    }
}
