public import MienAPI
public import MienCore

/// The groups that administrators gave to users. A group exists as long as a user has it.
public struct GroupTable {
    let connection: any SQLConnection

    public func names(of account: UserID) throws(StoreError) -> GroupNames {
        let words = try connection.rows(
            "SELECT name FROM account_group WHERE account_id = ? ORDER BY name", .id(account)
        ).map { row throws(StoreError) in try row.text(0) }
        guard let names = GroupNames(words) else {
            throw StoreError(.corrupt, "a stored name of a group is invalid")
        }
        return names
    }

    /// Replaces the groups of a user.
    ///
    /// - Throws: ``StoreError`` `.stale` if the account no longer exists.
    public func replace(with names: GroupNames, of account: UserID, at now: Instant)
        throws(StoreError)
    {
        let before = Set(try self.names(of: account).words)
        for name in before.subtracting(names.words) {
            try connection.execute(
                "DELETE FROM account_group WHERE account_id = ? AND name = ?", .id(account),
                .text(name))
        }
        for name in names.words where !before.contains(name) {
            try connection.execute(
                "INSERT INTO account_group (account_id, name, created_at) VALUES (?, ?, ?)",
                .id(account), .text(name), .time(now))
        }
    }

    /// Returns the groups by name, with the number of their users.
    public func all(atMost count: Int) throws(StoreError) -> [(name: String, users: Int)] {
        try connection.rows(
            "SELECT name, COUNT(*) FROM account_group GROUP BY name ORDER BY name LIMIT ?",
            .integer(Int64(count))
        ).map { row throws(StoreError) in (try row.text(0), Int(try row.integer(1))) }
    }
}
