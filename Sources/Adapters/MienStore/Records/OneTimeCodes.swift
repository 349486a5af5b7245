public import MienCore

/// Codes that were sent out.
public struct OneTimeCodeTable {
    let connection: any SQLConnection

    /// A new code, or a new one in an old one's place.
    public func put(_ id: String, hash: [UInt8], expiresAt: Instant) throws(StoreError) {
        try connection.execute(
            """
            INSERT INTO one_time_code (id, code_hash, attempts, expires_at) VALUES (?, ?, 0, ?)
            ON CONFLICT (id) DO UPDATE SET code_hash = excluded.code_hash, attempts = 0, expires_at = excluded.expires_at
            """, .text(id), .blob(hash), .time(expiresAt))
    }

    /// Counts a guess, then compares; the right one is used up.
    ///
    /// - Returns: whether `hash` is the code's, it has not expired, and it was guessed at most
    ///   `attempts` times.
    public func take(_ id: String, hash: [UInt8], attempts: Int, at now: Instant) throws(StoreError)
        -> Bool
    {
        let counted = try connection.execute(
            "UPDATE one_time_code SET attempts = attempts + 1 WHERE id = ? AND attempts < ? AND expires_at > ?",
            .text(id),
            .integer(Int64(attempts)), .time(now))
        guard counted == 1 else { return false }
        // Hashes of a keyed code: comparing them in the database tells nothing of the code.
        return try connection.execute(
            "DELETE FROM one_time_code WHERE id = ? AND code_hash = ?", .text(id), .blob(hash)) == 1
    }

    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM one_time_code WHERE id IN (SELECT id FROM one_time_code WHERE expires_at <= ? LIMIT ?)",
            .time(now),
            .integer(Int64(count)))
    }
}
