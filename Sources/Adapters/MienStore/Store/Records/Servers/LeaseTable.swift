public import MienCore

/// A server's right to do work that only one server does at a time, such as sweeping.
public struct Lease: Sendable, Hashable {
    public let name: String
    public let holder: String
    /// Grows each time the lease passes to another holder, or to the same one after it expired.
    ///
    /// A power loss of the database may undo that a lease was taken, and the next holder then gets the
    /// same number. So the holder is part of the lease.
    public let fence: Int64
}

/// The lease under which the current task writes.
public enum HeldLease {
    /// Each transaction of ``Store/write(_:_:)`` in this task is refused once the lease has passed to
    /// another server.
    @TaskLocal public static var current: Lease?
}

/// The leases of work that one server does for all.
///
/// A lease ends by itself, so that a dead server blocks nobody. A holder that was paused may not
/// notice that its lease has ended: so each of its writes calls ``require(_:)``, which refuses the
/// transaction once another server holds the lease.
public struct LeaseTable {
    let connection: any SQLConnection

    /// Takes or extends a lease.
    ///
    /// - Returns: `nil` while another server holds it.
    public func take(_ name: String, for holder: String, at now: Instant, until expiry: Instant)
        throws(StoreError) -> Lease?
    {
        try connection.rows(
            """
            INSERT INTO lease (name, holder, fence, expires_at) VALUES (?, ?, 1, ?)
            ON CONFLICT (name) DO UPDATE SET
              fence = CASE WHEN lease.holder = excluded.holder AND lease.expires_at > ? THEN lease.fence ELSE lease.fence + 1 END,
              holder = excluded.holder, expires_at = excluded.expires_at
            WHERE lease.holder = excluded.holder OR lease.expires_at <= ? OR lease.expires_at > ?
            RETURNING fence
            """, .text(name), .text(holder), .time(expiry), .time(now), .time(now),
            // A lease that ends later than this is that of a server whose clock is far ahead, and
            // is replaced.
            .time(expiry + (expiry - now))
        ).first.map { row throws(StoreError) in
            Lease(name: name, holder: holder, fence: try row.integer(0))
        }
    }

    /// Requires that `lease` has not passed on. The row is written, not only read, so that a
    /// transaction that takes the lease at the same moment waits for this one, or this one for it.
    ///
    /// - Throws: ``StoreError`` `.stale`, which undoes the transaction.
    public func require(_ lease: Lease) throws(StoreError) {
        let count = try connection.execute(
            "UPDATE lease SET fence = fence WHERE name = ? AND holder = ? AND fence = ?",
            .text(lease.name), .text(lease.holder), .integer(lease.fence))
        guard count == 1 else {
            throw StoreError(.stale, "the lease “\(lease.name)” has passed to another server")
        }
    }

    /// Gives a lease back, so that another server can take it at once.
    public func release(_ lease: Lease) throws(StoreError) {
        try connection.execute(
            "UPDATE lease SET expires_at = 0, fence = fence + 1 WHERE name = ? AND holder = ? AND fence = ?",
            .text(lease.name), .text(lease.holder), .integer(lease.fence))
    }

    /// Gives back what a server that ends may hold under a name.
    package func release(_ name: String, of holder: String) throws(StoreError) {
        try connection.execute(
            "UPDATE lease SET expires_at = 0, fence = fence + 1 WHERE name = ? AND holder = ?",
            .text(name), .text(holder))
    }
}
