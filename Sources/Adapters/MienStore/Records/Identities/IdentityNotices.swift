public import MienCore

/// News of a verification that an app has not received yet. Contains no personal data.
public struct IdentityNotice: Sendable, Hashable {
    /// `mien-delivery`: the same for each try.
    public let id: String
    public let app: AppID
    /// JSON.
    public let body: String
    public let createdAt: Instant
    /// The number of deliveries that failed.
    public let attempts: Int

    public init(id: String, app: AppID, body: String, createdAt: Instant, attempts: Int = 0) {
        (self.id, self.app, self.body) = (id, app, body)
        (self.createdAt, self.attempts) = (createdAt, attempts)
    }
}

/// The notices of verifications that wait for delivery. They are queued in the transaction that
/// records a result, so that none is lost and none tells of a result that was undone.
public struct IdentityNoticeTable {
    let connection: any SQLConnection

    public func insert(_ notice: IdentityNotice) throws(StoreError) {
        try connection.execute(
            "INSERT INTO identity_notice (id, app_id, body, created_at, attempts, next_at) VALUES (?, ?, ?, ?, ?, ?)",
            .text(notice.id), .id(notice.app), .text(notice.body), .time(notice.createdAt),
            .integer(Int64(notice.attempts)), .time(notice.createdAt))
    }

    /// Returns the notices whose delivery is due, the longest waiting first.
    public func due(at now: Instant, atMost count: Int) throws(StoreError) -> [IdentityNotice] {
        try connection.rows(
            "SELECT id, app_id, body, created_at, attempts FROM identity_notice WHERE next_at <= ? ORDER BY next_at, created_at, id LIMIT ?",
            .time(now), .integer(Int64(count))
        ).map(Self.notice)
    }

    /// Returns notices that wait for another try although they were queued before `time`. Notices
    /// that are due are not among them: after an outage of the server, each still gets its try.
    public func outdated(createdBefore time: Instant, at now: Instant, atMost count: Int)
        throws(StoreError) -> [IdentityNotice]
    {
        try connection.rows(
            "SELECT id, app_id, body, created_at, attempts FROM identity_notice WHERE created_at < ? AND next_at > ? ORDER BY created_at, id LIMIT ?",
            .time(time), .time(now), .integer(Int64(count))
        ).map(Self.notice)
    }

    /// Records that a delivery failed. The app's other notices wait as well, so that an app that
    /// does not respond delays only itself.
    public func postpone(_ notice: IdentityNotice, until next: Instant) throws(StoreError) {
        try connection.execute(
            "UPDATE identity_notice SET attempts = ? WHERE id = ?",
            .integer(Int64(notice.attempts + 1)), .text(notice.id))
        try connection.execute(
            "UPDATE identity_notice SET next_at = ? WHERE app_id = ? AND next_at < ?",
            .time(next), .id(notice.app), .time(next))
    }

    public func delete(_ id: String) throws(StoreError) {
        try connection.execute("DELETE FROM identity_notice WHERE id = ?", .text(id))
    }

    private static func notice(_ row: SQLRow) throws(StoreError) -> IdentityNotice {
        IdentityNotice(
            id: try row.text(0), app: try row.identifier(1), body: try row.text(2),
            createdAt: try row.instant(3), attempts: Int(try row.integer(4)))
    }
}
