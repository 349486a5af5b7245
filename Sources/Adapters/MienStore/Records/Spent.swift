public import MienCore

/// What may be used once only, and was: proofs of possession, exchanged tokens, revoked access
/// tokens.
public struct SpentTable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The `jti` of a DPoP proof.
        case proof
        /// The `jti` of a journey's token that was exchanged.
        case exchange
        /// The `jti` of an access token that was revoked.
        case access
        /// A code that a step of a journey took. Judged again after a crash, the same step finds
        /// the code taken by itself.
        case step
    }

    let connection: any SQLConnection

    /// - Parameter expiresAt: when it would be refused for its age, too.
    /// - Returns: `false` when it was spent before.
    public func spend(_ kind: Kind, _ hash: [UInt8], until expiresAt: Instant) throws(StoreError)
        -> Bool
    {
        try connection.execute(
            "INSERT INTO spent (kind, hash, expires_at) VALUES (?, ?, ?) ON CONFLICT (kind, hash) DO NOTHING",
            .text(kind.rawValue), .blob(hash),
            .time(expiresAt)) == 1
    }

    public func contains(_ kind: Kind, _ hash: [UInt8]) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM spent WHERE kind = ? AND hash = ?", .text(kind.rawValue), .blob(hash))
            != nil
    }

    /// - Returns: how many were removed, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM spent WHERE (kind, hash) IN (SELECT kind, hash FROM spent WHERE expires_at <= ? LIMIT ?)",
            .time(now),
            .integer(Int64(count)))
    }
}
