public import MienCore

/// Pictures that users uploaded one by one and have yet to send with a document. At most one of each
/// role for a user in an app, sealed under the account's key, and kept for a short time.
public struct IdentityUploadTable {
    let connection: any SQLConnection

    /// Stores a picture in place of another one of its role.
    public func put(
        _ role: String, _ content: Sensitive<[UInt8]>, of account: AccountRecord, app: AppID,
        until expiresAt: Instant
    ) throws(StoreError) {
        connection.leaveNoTrace()
        let sealed = content.use {
            account.key.seal($0, .identityUpload, for: Self.identity(role, account.id, app))
        }
        try connection.execute(
            "DELETE FROM identity_upload WHERE account_id = ? AND app_id = ? AND role = ?",
            .id(account.id), .id(app), .text(role))
        try connection.execute(
            "INSERT INTO identity_upload (account_id, app_id, role, content_sealed, expires_at) VALUES (?, ?, ?, ?, ?)",
            .id(account.id), .id(app), .text(role), .blob(sealed), .time(expiresAt))
    }

    /// Returns the user's pictures by role.
    public func all(of account: AccountRecord, app: AppID, at now: Instant) throws(StoreError)
        -> [String: Sensitive<[UInt8]>]
    {
        var pictures: [String: Sensitive<[UInt8]>] = [:]
        for row in try connection.rows(
            "SELECT role, content_sealed FROM identity_upload WHERE account_id = ? AND app_id = ? AND expires_at > ?",
            .id(account.id), .id(app), .time(now))
        {
            let role = try row.text(0)
            pictures[role] = Sensitive(
                try account.key.open(
                    row.blob(1), .identityUpload, for: Self.identity(role, account.id, app)))
        }
        return pictures
    }

    /// - Returns: the number of deleted pictures.
    @discardableResult
    public func delete(of account: UserID, app: AppID) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM identity_upload WHERE account_id = ? AND app_id = ?", .id(account),
            .id(app))
    }

    /// Deletes pictures that were never sent.
    ///
    /// - Returns: the number of deleted pictures, at most `count`.
    public func purge(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        let old = try connection.rows(
            "SELECT account_id, app_id, role FROM identity_upload WHERE expires_at <= ? ORDER BY expires_at LIMIT ?",
            .time(now), .integer(Int64(count)))
        if !old.isEmpty { connection.leaveNoTrace() }
        for row in old {
            try connection.execute(
                "DELETE FROM identity_upload WHERE account_id = ? AND app_id = ? AND role = ?",
                row[0], row[1], row[2])
        }
        return old.count
    }

    /// A picture moved to another user, app, or role cannot be decrypted.
    private static func identity(_ role: String, _ account: UserID, _ app: AppID) -> String {
        "\(account.text) \(app.text) \(role)"
    }
}
