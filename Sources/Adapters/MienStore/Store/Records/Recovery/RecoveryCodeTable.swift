public import MienCore

/// The unused codes of each set. Each set is an authenticator; its codes are stored as keyed
/// hashes.
public struct RecoveryCodeTable {
    let connection: any SQLConnection

    /// Replaces all codes of a set.
    public func replace(_ authenticator: AuthenticatorID, with hashes: [[UInt8]]) throws(StoreError)
    {
        try connection.execute(
            "DELETE FROM recovery_code WHERE authenticator_id = ?", .id(authenticator))
        for hash in hashes {
            try connection.execute(
                "INSERT INTO recovery_code (authenticator_id, code_hash) VALUES (?, ?)",
                .id(authenticator), .blob(hash))
        }
    }

    /// Uses a code up.
    ///
    /// - Returns: whether it belonged to the set. Of several concurrent calls with one code, one
    ///   returns `true`.
    public func take(_ hash: [UInt8], of authenticator: AuthenticatorID) throws(StoreError) -> Bool
    {
        try connection.execute(
            "DELETE FROM recovery_code WHERE authenticator_id = ? AND code_hash = ?",
            .id(authenticator), .blob(hash)) == 1
    }

    public func count(of authenticator: AuthenticatorID) throws(StoreError) -> Int {
        let row = try connection.row(
            "SELECT COUNT(*) FROM recovery_code WHERE authenticator_id = ?", .id(authenticator))
        return try row.map { row throws(StoreError) in Int(try row.integer(0)) } ?? 0
    }
}
