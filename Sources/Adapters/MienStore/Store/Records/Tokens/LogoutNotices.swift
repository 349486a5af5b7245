public import MienCore

/// A sign-in that has ended and whose app has not been told yet.
public struct LogoutNotice: Sendable, Hashable {
    public let grant: GrantID
    public let account: UserID
    public let app: AppID
    public let endedAt: Instant

    init(grant: GrantID, account: UserID, app: AppID, endedAt: Instant) {
        (self.grant, self.account, self.app, self.endedAt) = (grant, account, app, endedAt)
    }

    /// Reads a notice from its message in the outbox.
    ///
    /// - Throws: ``StoreError`` `.corrupt`.
    public init(_ message: OutboxMessage) throws(StoreError) {
        let content = message.content.use { String(decoding: $0, as: UTF8.self) }
        guard let app = message.app, let account = message.account, let grant = GrantID(content)
        else { throw StoreError(.corrupt, "a message in the outbox is not a logout notice") }
        self.init(grant: grant, account: account, app: app, endedAt: message.createdAt)
    }

    var message: OutboxMessage {
        OutboxMessage(
            id: OutboxMessage.freshID(), kind: .logout, app: app, account: account,
            content: Sensitive(Array(grant.text.utf8)), createdAt: endedAt)
    }
}

extension OutboxTable {
    /// Writes a logout notice for each live grant that `condition` selects, if its app hears of
    /// logouts. In the transaction that ends the sign-ins.
    func insertLogouts(ofGrantsWhere condition: String, _ values: [SQLValue], at now: Instant)
        throws(StoreError)
    {
        let ended = try connection.rows(
            """
            SELECT id, account_id, app_id FROM token_grant
            WHERE revoked_at IS NULL AND expires_at > ? AND app_id IN (SELECT id FROM app WHERE hears_logouts = 1) AND \(condition)
            """, [.time(now)] + values)
        for row in ended {
            let notice = LogoutNotice(
                grant: try row.identifier(0), account: try row.identifier(1),
                app: try row.identifier(2), endedAt: now)
            try insert(notice.message)
        }
    }
}
