public import MienCore

/// The permissions that users gave third-party apps, so that they are asked once.
public struct AppPermissionTable {
    let connection: any SQLConnection

    /// The scope that a user has granted an app: words separated by spaces.
    public func scope(of account: UserID, app: AppID) throws(StoreError) -> String? {
        try connection.row(
            "SELECT scope FROM app_permission WHERE account_id = ? AND app_id = ?", .id(account),
            .id(app)
        ).map { row throws(StoreError) in try row.text(0) }
    }

    /// Records a permission in place of the earlier one.
    public func put(_ scope: String, of account: UserID, app: AppID, at now: Instant)
        throws(StoreError)
    {
        try delete(of: account, app: app)
        try connection.execute(
            "INSERT INTO app_permission (account_id, app_id, scope, given_at) VALUES (?, ?, ?, ?)",
            .id(account), .id(app), .text(scope), .time(now))
    }

    /// - Returns: whether there was a permission.
    @discardableResult
    public func delete(of account: UserID, app: AppID) throws(StoreError) -> Bool {
        try connection.execute(
            "DELETE FROM app_permission WHERE account_id = ? AND app_id = ?", .id(account),
            .id(app)) > 0
    }

    /// The apps that a user gave a permission, with its time.
    public func all(of account: UserID) throws(StoreError) -> [(
        app: AppID, scope: String, givenAt: Instant
    )] {
        try connection.rows(
            "SELECT app_id, scope, given_at FROM app_permission WHERE account_id = ? ORDER BY given_at",
            .id(account)
        ).map { row throws(StoreError) in
            (try row.identifier(0), try row.text(1), try row.instant(2))
        }
    }
}
