public import MienCore

/// Single-use items that were used: proofs of possession, exchanged tokens, revoked access tokens.
public struct SpentTable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The `jti` of a DPoP proof.
        case proof
        /// The `jti` of an exchanged journey token.
        case exchange
        /// The `jti` of a revoked access token.
        case access
        /// A code that a journey step accepted. If the step is evaluated again after a crash, it
        /// finds that it already took the code.
        case step
        /// The `jti` of a JWT with which an app authenticated.
        case assertion
        /// A pushed authorization request that has led to a code.
        case request
        /// The mail about an invitation to an organization, of which a person gets few.
        case invitation
    }

    let connection: any SQLConnection

    /// - Parameter expiresAt: the time after which the item is rejected for its age.
    /// - Returns: `false` if it was already spent.
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

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM spent WHERE (kind, hash) IN (SELECT kind, hash FROM spent WHERE expires_at <= ? LIMIT ?)",
            .time(now),
            .integer(Int64(count)))
    }
}
