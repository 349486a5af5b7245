public import MienAPI
public import MienCore

/// The sessions of administrators in browsers, by the hash of their secret.
public struct AdminSessionTable {
    let connection: any SQLConnection

    /// - Throws: ``StoreError`` `.stale` if there is no such administrator.
    public func insert(_ session: AdministratorSession, hash: [UInt8]) throws(StoreError) {
        try connection.execute(
            "INSERT INTO admin_session (hash, admin_id, method, signed_in_at, used_at) VALUES (?, ?, ?, ?, ?)",
            .blob(hash), .id(session.admin), .text(session.method.rawValue),
            .time(session.signedInAt), .time(session.usedAt))
    }

    /// Returns a session, live or not.
    public func find(_ hash: [UInt8]) throws(StoreError) -> AdministratorSession? {
        try connection.row(
            "SELECT admin_id, method, signed_in_at, used_at FROM admin_session WHERE hash = ?",
            .blob(hash)
        ).map { row throws(StoreError) in
            AdministratorSession(
                admin: try row.identifier(0), method: try row.word(1),
                signedInAt: try row.instant(2), usedAt: try row.instant(3))
        }
    }

    /// Returns how many sessions of an administrator have not ended.
    public func count(of admin: AdminID, at now: Instant) throws(StoreError) -> Int {
        let row = try connection.row(
            "SELECT COUNT(*) FROM admin_session WHERE admin_id = ? AND signed_in_at > ? AND used_at > ?",
            .id(admin), .time(now - AdministratorSession.lifetime),
            .time(now - AdministratorSession.idle))
        return try row.map { row throws(StoreError) in Int(try row.integer(0)) } ?? 0
    }

    /// Notes the use of a session. One that has ended in the meantime stays ended.
    public func note(_ hash: [UInt8], usedAt: Instant) throws(StoreError) {
        try connection.execute(
            "UPDATE admin_session SET used_at = ? WHERE hash = ? AND used_at < ?", .time(usedAt),
            .blob(hash), .time(usedAt))
    }

    /// - Returns: `false` if there is no such session.
    @discardableResult
    public func remove(_ hash: [UInt8]) throws(StoreError) -> Bool {
        try connection.execute("DELETE FROM admin_session WHERE hash = ?", .blob(hash)) == 1
    }

    /// Ends the sessions of an administrator.
    ///
    /// - Parameter kept: The hash of one that stays.
    /// - Returns: how many ended.
    @discardableResult
    public func removeAll(of admin: AdminID, except kept: [UInt8]? = nil) throws(StoreError) -> Int
    {
        try connection.execute(
            "DELETE FROM admin_session WHERE admin_id = ? AND hash <> ?", .id(admin),
            .blob(kept ?? []))
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM admin_session WHERE hash IN (SELECT hash FROM admin_session WHERE signed_in_at <= ? OR used_at <= ? LIMIT ?)",
            .time(now - AdministratorSession.lifetime), .time(now - AdministratorSession.idle),
            .integer(Int64(count)))
    }
}
