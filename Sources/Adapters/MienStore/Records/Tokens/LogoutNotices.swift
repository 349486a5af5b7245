public import MienCore

/// A sign-in that has ended and whose app has not been told yet.
public struct LogoutNotice: Sendable, Hashable {
    public let grant: GrantID
    public let account: UserID
    public let app: AppID
    public let endedAt: Instant
    /// The number of deliveries that failed.
    public let attempts: Int
}

/// The logout notices that wait for delivery. They are queued in the transaction that ends the
/// sign-ins, so that none is lost and none is sent for a change that was undone.
public struct LogoutNoticeTable {
    let connection: any SQLConnection

    /// Queues a notice for each live grant that `condition` selects, if its app hears of logouts.
    func queue(grantsWhere condition: String, _ values: [SQLValue], at now: Instant)
        throws(StoreError)
    {
        try connection.execute(
            """
            INSERT INTO logout_notice (grant_id, account_id, app_id, ended_at, attempts, next_at)
            SELECT id, account_id, app_id, ?, 0, ? FROM token_grant
            WHERE revoked_at IS NULL AND expires_at > ? AND app_id IN (SELECT id FROM app WHERE hears_logouts = 1) AND \(condition)
            ON CONFLICT (grant_id) DO NOTHING
            """, [.time(now), .time(now), .time(now)] + values)
    }

    /// Returns the notices whose delivery is due, the longest waiting first.
    public func due(at now: Instant, atMost count: Int) throws(StoreError) -> [LogoutNotice] {
        try connection.rows(
            "SELECT grant_id, account_id, app_id, ended_at, attempts FROM logout_notice WHERE next_at <= ? ORDER BY next_at, grant_id LIMIT ?",
            .time(now), .integer(Int64(count))
        ).map(Self.notice)
    }

    /// Returns notices that wait for another try although their sign-ins ended before `time`.
    ///
    /// Notices that are due are not among them: after an outage of the server, each still gets its
    /// try.
    public func outdated(endedBefore time: Instant, at now: Instant, atMost count: Int)
        throws(StoreError) -> [LogoutNotice]
    {
        try connection.rows(
            "SELECT grant_id, account_id, app_id, ended_at, attempts FROM logout_notice WHERE ended_at < ? AND next_at > ? ORDER BY ended_at, grant_id LIMIT ?",
            .time(time), .time(now), .integer(Int64(count))
        ).map(Self.notice)
    }

    private static func notice(_ row: SQLRow) throws(StoreError) -> LogoutNotice {
        LogoutNotice(
            grant: try row.identifier(0), account: try row.identifier(1),
            app: try row.identifier(2), endedAt: try row.instant(3),
            attempts: Int(try row.integer(4)))
    }

    /// Records that a delivery failed. The app's other notices wait as well, so that an app that
    /// does not respond delays only itself.
    public func postpone(_ notice: LogoutNotice, until next: Instant) throws(StoreError) {
        try connection.execute(
            "UPDATE logout_notice SET attempts = ? WHERE grant_id = ?",
            .integer(Int64(notice.attempts + 1)), .id(notice.grant))
        try connection.execute(
            "UPDATE logout_notice SET next_at = ? WHERE app_id = ? AND next_at < ?", .time(next),
            .id(notice.app), .time(next))
    }

    public func delete(_ grant: GrantID) throws(StoreError) {
        try connection.execute("DELETE FROM logout_notice WHERE grant_id = ?", .id(grant))
    }
}
