public import MienCore

/// Issued challenges. Each can be used once, for one purpose.
public struct ChallengeTable {
    let connection: any SQLConnection

    /// - Parameter binding: the app, run, and user that the challenge was issued for; empty for
    ///   anyone.
    public func insert(_ tokenHash: [UInt8], purpose: String, binding: String, expiresAt: Instant)
        throws(StoreError)
    {
        try connection.execute(
            "INSERT INTO challenge (token_hash, purpose, bound_to, expires_at) VALUES (?, ?, ?, ?)",
            .blob(tokenHash), .text(purpose), .text(binding),
            .time(expiresAt))
    }

    /// Uses the challenge up, even if it has expired.
    ///
    /// - Returns: whether a matching challenge existed that had not expired.
    public func take(_ tokenHash: [UInt8], purpose: String, binding: String, at now: Instant)
        throws(StoreError) -> Bool
    {
        let row = try connection.row(
            "SELECT expires_at FROM challenge WHERE token_hash = ? AND purpose = ? AND bound_to = ?",
            .blob(tokenHash), .text(purpose), .text(binding)
        )
        guard let row else { return false }
        // If two servers read the challenge at once, only one removes it.
        guard
            try connection.execute(
                "DELETE FROM challenge WHERE token_hash = ?", .blob(tokenHash)) == 1
        else { return false }
        return try now < row.instant(0)
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM challenge WHERE token_hash IN (SELECT token_hash FROM challenge WHERE expires_at <= ? LIMIT ?)",
            .time(now),
            .integer(Int64(count)))
    }
}
