public import MienCore

/// One-time codes that were sent.
public struct OneTimeCodeTable {
    let connection: any SQLConnection

    /// Stores a new code, replacing an existing one with the same ID.
    ///
    /// - Parameter account: The account that the code was sent for; `nil` for an unknown user. The
    ///   code is deleted with the account.
    public func put(
        _ id: String, hash: [UInt8], of account: UserID? = nil, expiresAt: Instant
    ) throws(StoreError) {
        try connection.execute(
            """
            INSERT INTO one_time_code (id, code_hash, attempts, account_id, expires_at)
            VALUES (?, ?, 0, (SELECT id FROM account WHERE id = ?), ?)
            ON CONFLICT (id) DO UPDATE SET code_hash = excluded.code_hash, attempts = 0, account_id = excluded.account_id, expires_at = excluded.expires_at
            """, .text(id), .blob(hash), account.map { .id($0) } ?? .null, .time(expiresAt))
    }

    /// Deletes the codes that wait for an account.
    func deleteAll(of account: UserID) throws(StoreError) {
        try connection.execute("DELETE FROM one_time_code WHERE account_id = ?", .id(account))
    }

    /// Counts an attempt, then compares. The correct code is used up.
    ///
    /// - Returns: whether `hash` matches, the code has not expired, and there were at most
    ///   `attempts` attempts.
    public func take(_ id: String, hash: [UInt8], attempts: Int, at now: Instant) throws(StoreError)
        -> Bool
    {
        let counted = try connection.execute(
            "UPDATE one_time_code SET attempts = attempts + 1 WHERE id = ? AND attempts < ? AND expires_at > ?",
            .text(id),
            .integer(Int64(attempts)), .time(now))
        guard counted == 1 else { return false }
        // Comparing in the database reveals nothing, because these are keyed hashes.
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
