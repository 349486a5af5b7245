public import MienCore

/// Challenges that were given out: each is good once, for one purpose.
public struct ChallengeTable {
    let connection: any SQLConnection

    /// - Parameter binding: what it was given out for: an app, a run and a user; empty for anybody.
    public func insert(_ tokenHash: [UInt8], purpose: String, binding: String, expiresAt: Instant)
        throws(StoreError)
    {
        try connection.execute(
            "INSERT INTO challenge (token_hash, purpose, bound_to, expires_at) VALUES (?, ?, ?, ?)",
            .blob(tokenHash), .text(purpose), .text(binding),
            .time(expiresAt))
    }

    /// Uses it up, whether it is in time or not.
    ///
    /// - Returns: whether there was one like this that had not expired.
    public func take(_ tokenHash: [UInt8], purpose: String, binding: String, at now: Instant)
        throws(StoreError) -> Bool
    {
        let row = try connection.row(
            "SELECT expires_at FROM challenge WHERE token_hash = ? AND purpose = ? AND bound_to = ?",
            .blob(tokenHash), .text(purpose), .text(binding)
        )
        guard let row else { return false }
        try connection.execute("DELETE FROM challenge WHERE token_hash = ?", .blob(tokenHash))
        return try now < row.instant(0)
    }

    /// - Returns: how many were removed, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM challenge WHERE token_hash IN (SELECT token_hash FROM challenge WHERE expires_at <= ? LIMIT ?)",
            .time(now),
            .integer(Int64(count)))
    }
}
