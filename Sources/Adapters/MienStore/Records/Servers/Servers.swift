public import MienCore

/// The servers that share the database, and where each takes requests about its live captures. The
/// address of one that takes none is empty.
public struct ServerTable {
    let connection: any SQLConnection

    /// Says that a server lives.
    public func announce(_ name: String, at address: String, seen now: Instant) throws(StoreError) {
        try connection.execute(
            """
            INSERT INTO server (name, address, seen_at) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at
            """, .text(name), .text(address), .time(now))
    }

    /// The address of a server that has been seen at or after `time`.
    public func address(of name: String, seenSince time: Instant) throws(StoreError) -> String? {
        try connection.row(
            "SELECT address FROM server WHERE name = ? AND seen_at >= ?", .text(name), .time(time)
        )?.text(0)
    }

    /// Whether a server other than `name` has been seen at or after `time`.
    public func hasOthers(than name: String, seenSince time: Instant) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM server WHERE name <> ? AND seen_at >= ? LIMIT 1", .text(name),
            .time(time)) != nil
    }

    /// Removes a server that stops.
    public func remove(_ name: String) throws(StoreError) {
        try connection.execute("DELETE FROM server WHERE name = ?", .text(name))
    }

    /// Removes servers that have not been seen since `time`.
    ///
    /// - Returns: how many.
    public func sweep(unseenSince time: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM server WHERE name IN (SELECT name FROM server WHERE seen_at < ? LIMIT ?)",
            .time(time), .integer(Int64(count)))
    }
}
