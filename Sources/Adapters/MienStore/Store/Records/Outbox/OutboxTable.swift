public import MienCore

/// A message that a change caused and that has not been delivered yet.
public struct OutboxMessage: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// A mail that anybody can cause, such as a code.
        case mail
        /// A mail about a change to an account.
        case noticeMail = "notice-mail"
        /// A back-channel logout notice for an app.
        case logout
        /// News of a verification for an app.
        case identity
    }

    /// The same at each delivery, so that the receiver can recognize a repeated one.
    public let id: String
    public let kind: Kind
    /// The app that receives it; `nil` for mail.
    public let app: AppID?
    /// The account that it is about, if it has to appear in that person's export.
    public let account: UserID?
    /// May contain personal data. Sealed in the database.
    public let content: Sensitive<[UInt8]>
    public let createdAt: Instant
    /// The number of deliveries that failed.
    public let failures: Int
    /// How often the message was claimed. Only the last claim may finish it.
    public let claims: Int

    public init(
        id: String, kind: Kind, app: AppID? = nil, account: UserID? = nil,
        content: Sensitive<[UInt8]>, createdAt: Instant, failures: Int = 0, claims: Int = 0
    ) {
        (self.id, self.kind, self.app, self.account) = (id, kind, app, account)
        (self.content, self.createdAt) = (content, createdAt)
        (self.failures, self.claims) = (failures, claims)
    }

    /// Returns a new message's ID: `dlv_` and 128 random bits.
    public static func freshID() -> String {
        var generator = SystemRandomNumberGenerator()
        return "dlv_" + Base64URL.encode(generator.bytes(16))
    }
}

/// The messages that wait for delivery: mail and webhooks. A message is written in the transaction
/// that causes it, so that none is lost and none tells of a change that was undone.
///
/// A server claims messages for a limited time and removes them once they are delivered. If it dies
/// in between, another one delivers them again: each is delivered at least once.
public struct OutboxTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    private static let columns =
        "id, kind, app_id, account_id, content_sealed, created_at, failures, claims"

    public func insert(_ message: OutboxMessage) throws(StoreError) {
        let content = message.content.use { keys.seal($0, .outbox, for: message.id) }
        try connection.execute(
            """
            INSERT INTO outbox (id, kind, app_id, account_id, content_sealed, created_at, failures, claims, next_at, leased_until)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, 0)
            """, .text(message.id), .text(message.kind.rawValue),
            message.app.map { .id($0) } ?? .null, message.account.map { .id($0) } ?? .null,
            .blob(content), .time(message.createdAt), .integer(Int64(message.failures)),
            .time(message.createdAt))
    }

    /// Does the work of ``insert(_:)`` and leaves nothing behind, so that a message that must not be
    /// sent takes as long as one that is.
    public func pretend(_ message: OutboxMessage) throws(StoreError) {
        try insert(message)
        try connection.execute("DELETE FROM outbox WHERE id = ?", .text(message.id))
    }

    /// The number of messages of a kind, delivered or not.
    public func count(_ kind: OutboxMessage.Kind) throws(StoreError) -> Int {
        Int(
            try connection.row(
                "SELECT COUNT(*) FROM outbox WHERE kind = ?", .text(kind.rawValue))?
                .integer(0) ?? 0)
    }

    /// The number of messages of a kind, counted up to a bound.
    public func count(_ kind: OutboxMessage.Kind, atMost bound: Int) throws(StoreError) -> Int {
        Int(
            try connection.row(
                "SELECT COUNT(*) FROM (SELECT 1 FROM outbox WHERE kind = ? LIMIT ?) some",
                .text(kind.rawValue), .integer(Int64(bound)))?
                .integer(0) ?? 0)
    }

    /// Whether ``claim(_:at:until:atMost:)`` may find a message.
    public func isDue(_ kind: OutboxMessage.Kind, at now: Instant) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM outbox WHERE kind = ? AND next_at <= ? AND leased_until <= ? LIMIT 1",
            .text(kind.rawValue), .time(now), .time(now)) != nil
    }

    /// Whether ``claimOutdated(_:createdBefore:at:until:atMost:)`` may find a message.
    public func isOutdated(_ kind: OutboxMessage.Kind, createdBefore time: Instant, at now: Instant)
        throws(StoreError) -> Bool
    {
        try connection.row(
            "SELECT 1 FROM outbox WHERE kind = ? AND created_at < ? AND next_at > ? AND leased_until <= ? LIMIT 1",
            .text(kind.rawValue), .time(time), .time(now), .time(now)) != nil
    }

    /// Claims the messages whose delivery is due, the longest waiting first. No other server gets
    /// them before `expiry`.
    public func claim(
        _ kind: OutboxMessage.Kind, at now: Instant, until expiry: Instant, atMost count: Int
    ) throws -> [OutboxMessage] {
        try claim(
            """
            SELECT id FROM outbox WHERE kind = ? AND next_at <= ? AND leased_until <= ?
            ORDER BY next_at, created_at, id LIMIT ?
            """,
            [.text(kind.rawValue), .time(now), .time(now), .integer(Int64(count))], until: expiry)
    }

    /// Claims messages that wait for another try although they were created before `time`.
    ///
    /// Messages that are due are not among them: after an outage of the servers, each still gets its
    /// try.
    public func claimOutdated(
        _ kind: OutboxMessage.Kind, createdBefore time: Instant, at now: Instant,
        until expiry: Instant, atMost count: Int
    ) throws -> [OutboxMessage] {
        try claim(
            """
            SELECT id FROM outbox WHERE kind = ? AND created_at < ? AND next_at > ? AND leased_until <= ?
            ORDER BY created_at, id LIMIT ?
            """,
            [
                .text(kind.rawValue), .time(time), .time(now), .time(now), .integer(Int64(count)),
            ], until: expiry)
    }

    private func claim(_ selection: String, _ values: [SQLValue], until expiry: Instant) throws
        -> [OutboxMessage]
    {
        let rows = try connection.rows(
            """
            UPDATE outbox SET leased_until = ?, claims = claims + 1
            WHERE id IN (\(selection) \(connection.skippingLocked)) RETURNING \(Self.columns)
            """, [.time(expiry)] + values)
        return try rows.compactMap { row in
            do throws(StoreError) { return try message(row) } catch {
                // Leave a message under a master key that only another server has to that server.
                // The claim ends by itself.
                if error.code == .foreignKey { return nil }
                guard error.code == .corrupt else { throw error }
                // It can never be read again, and must not keep the others waiting.
                try connection.execute("DELETE FROM outbox WHERE id = ?", .text(row.text(0)))
                return nil
            }
        }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    private func message(_ row: SQLRow) throws(StoreError) -> OutboxMessage {
        let id = try row.text(0)
        return OutboxMessage(
            id: id, kind: try row.word(1), app: try row[2] == .null ? nil : row.identifier(2),
            account: try row[3] == .null ? nil : row.identifier(3),
            content: Sensitive(try keys.open(row.blob(4), .outbox, for: id)),
            createdAt: try row.instant(5), failures: Int(try row.integer(6)),
            claims: Int(try row.integer(7)))
    }

    /// Records that a delivery failed. The app's other messages of this kind wait as well, so that
    /// an app that does not respond delays only itself.
    ///
    /// - Returns: whether the claim still held. If not, nothing changes.
    @discardableResult
    public func postpone(_ message: OutboxMessage, until next: Instant) throws(StoreError) -> Bool {
        let isOurs =
            try connection.execute(
                "UPDATE outbox SET failures = failures + 1, next_at = ?, leased_until = 0 WHERE id = ? AND claims = ?",
                .time(next), .text(message.id), .integer(Int64(message.claims))) == 1
        if isOurs, let app = message.app {
            try connection.execute(
                "UPDATE outbox SET next_at = ? WHERE app_id = ? AND kind = ? AND next_at < ?",
                .time(next), .id(app), .text(message.kind.rawValue), .time(next))
        }
        return isOurs
    }

    /// Gives a claim back: the message is due at once, for any server.
    public func release(_ message: OutboxMessage) throws(StoreError) {
        try connection.execute(
            "UPDATE outbox SET leased_until = 0 WHERE id = ? AND claims = ?", .text(message.id),
            .integer(Int64(message.claims)))
    }

    /// Gives all claims of a kind back. Only for a server that is alone.
    public func releaseAll(_ kind: OutboxMessage.Kind) throws(StoreError) {
        try connection.execute(
            "UPDATE outbox SET leased_until = 0 WHERE kind = ? AND leased_until > 0",
            .text(kind.rawValue))
    }

    /// Removes a message that was delivered or given up.
    ///
    /// - Returns: whether the claim still held. If not, another server has the message.
    @discardableResult
    public func remove(_ message: OutboxMessage) throws(StoreError) -> Bool {
        try connection.execute(
            "DELETE FROM outbox WHERE id = ? AND claims = ?", .text(message.id),
            .integer(Int64(message.claims))) == 1
    }
}
