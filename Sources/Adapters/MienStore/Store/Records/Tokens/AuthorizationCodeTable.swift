public import MienCore

/// Authorization codes, exchanged for the first tokens after signing in: RFC 6749 §4.1.
public struct AuthorizationCodeTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    /// - Parameters:
    ///   - content: The signed-in user and the authorization request.
    ///   - account: The signed-in user. The code is deleted with the account.
    ///   - app: The app that redeems the code. The code is deleted with it, so that another app of
    ///     the same ID cannot redeem it.
    /// - Throws: ``StoreError`` `.stale` if the account or the app no longer exists.
    public func insert(
        _ codeHash: [UInt8], content: Sensitive<[UInt8]>, of account: UserID? = nil,
        for app: AppID? = nil, expiresAt: Instant
    ) throws(StoreError) {
        let sealed = content.use {
            keys.seal($0, .authorizationCode, for: Base64URL.encode(codeHash))
        }
        try connection.execute(
            "INSERT INTO authorization_code (code_hash, content_sealed, grant_id, account_id, app_id, expires_at) VALUES (?, ?, '', ?, ?, ?)",
            .blob(codeHash), .blob(sealed), account.map { .id($0) } ?? .null,
            app.map { .id($0) } ?? .null, .time(expiresAt))
    }

    /// Deletes the codes with which an app would learn who a user is.
    public func deleteAll(of account: UserID, for app: AppID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute(
            "DELETE FROM authorization_code WHERE account_id = ? AND app_id = ?", .id(account),
            .id(app))
    }

    public enum Use: Sendable {
        case fresh(Sensitive<[UInt8]>)
        /// The code was used before. Holds the grant of that use, if it is known.
        case reused(GrantID?)
        case unknown
    }

    /// Uses the code up for `grant`. Used codes stay until they expire, so that a second use is
    /// detected.
    public func take(_ codeHash: [UInt8], for grant: GrantID, at now: Instant) throws(StoreError)
        -> Use
    {
        guard
            let row = try connection.row(
                "SELECT content_sealed, grant_id FROM authorization_code WHERE code_hash = ? AND expires_at > ?",
                .blob(codeHash), .time(now))
        else { return .unknown }
        let used: GrantID? = try row.optionalIdentifier(1)
        guard used == nil else {
            // A second use spoils the code for good and is reported, because the first use may have
            // been the theft.
            try connection.execute(
                "UPDATE authorization_code SET grant_id = '-' WHERE code_hash = ?", .blob(codeHash))
            return .reused(used)
        }
        let content = try keys.open(
            row.blob(0), .authorizationCode, for: Base64URL.encode(codeHash))
        let taken = try connection.execute(
            "UPDATE authorization_code SET grant_id = ?, content_sealed = ? WHERE code_hash = ? AND grant_id = ''",
            .id(grant), .blob([]), .blob(codeHash))
        // Another server was first.
        guard taken == 1 else { return try take(codeHash, for: grant, at: now) }
        return .fresh(Sensitive(content))
    }

    /// Returns whether the code was used for `grant` and not used again since.
    public func isTaken(_ codeHash: [UInt8], for grant: GrantID) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM authorization_code WHERE code_hash = ? AND grant_id = ?",
            .blob(codeHash), .id(grant)) != nil
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM authorization_code WHERE code_hash IN (SELECT code_hash FROM authorization_code WHERE expires_at <= ? LIMIT ?)",
            .time(now),
            .integer(Int64(count)))
    }
}
