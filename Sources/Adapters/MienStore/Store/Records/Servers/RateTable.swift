public import MienAPI
public import MienCore

/// Rate limits that all servers share.
///
/// A bucket is one number: the time at which it is full again. Taking a token moves that time by the
/// interval between two tokens, in one statement, so that two servers never take the same token. A
/// bucket that is full has no effect, and its row is swept.
public struct RateTable {
    let connection: any SQLConnection

    /// How far the clocks of servers may differ, in microseconds, without anybody gaining from it.
    /// Beyond this, a bucket whose time lies in the future is not believed.
    private static let clockTolerance: Int64 = 60_000_000

    /// Takes as many tokens as there are, at most `wanted`.
    ///
    /// - Parameters:
    ///   - name: The name of the limit.
    ///   - hash: A keyed hash of what it limits, so that no address or account is stored.
    public func take(
        _ wanted: Int = 1, of name: String, _ hash: [UInt8], _ rate: TokenBucket.Rate,
        at now: Instant
    ) throws(StoreError) -> TokenLease.Answer {
        let interval = rate.intervalMicroseconds, now = now.milliseconds * 1000
        let latest = now + Int64(rate.burst) * interval
        for tokens in wanted > 1 ? [wanted, 1] : [1] {
            let row = try connection.rows(
                """
                INSERT INTO rate (name, hash, full_at) VALUES (?, ?, ?)
                ON CONFLICT (name, hash) DO UPDATE SET
                  full_at = CASE WHEN rate.full_at > ? THEN rate.full_at ELSE ? END + ?
                WHERE CASE WHEN rate.full_at > ? THEN rate.full_at ELSE ? END + ? <= ?
                RETURNING full_at
                """,
                [
                    .text(name), .blob(hash), .integer(now + Int64(tokens) * interval),
                    .integer(now), .integer(now), .integer(Int64(tokens) * interval),
                    .integer(now), .integer(now), .integer(Int64(tokens) * interval),
                    .integer(latest),
                ]
            ).first
            if let row { return .granted(tokens: tokens, fullAt: try row.integer(0)) }
        }
        // The bucket of a server whose clock was far ahead is empty now, and fills from now on. One
        // that is a little ahead keeps its tokens: otherwise each refusal here would give that server
        // new ones, and clients that take turns would never be limited.
        try connection.execute(
            "UPDATE rate SET full_at = ? WHERE name = ? AND hash = ? AND full_at > ?",
            .integer(latest), .text(name), .blob(hash), .integer(latest + Self.clockTolerance))
        let fullAt = try connection.row(
            "SELECT full_at FROM rate WHERE name = ? AND hash = ?", .text(name), .blob(hash))?
            .integer(0)
        let wait = max(1000, (fullAt ?? now) + interval - latest)
        return .refused(wait: .milliseconds((wait + 999) / 1000))
    }

    /// Removes buckets that are full again, by the clock of every server.
    ///
    /// - Returns: how many.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            """
            DELETE FROM rate WHERE (name, hash) IN (
              SELECT name, hash FROM rate WHERE full_at <= ? ORDER BY full_at LIMIT ?)
            """, .integer(now.milliseconds * 1000 - Self.clockTolerance), .integer(Int64(count)))
    }
}
