public import MienCore

/// A person's consent to a text, with its version and time.
public struct ConsentRecord: Sendable {
    public let id: String
    public let account: UserID
    public let app: AppID
    /// The purpose, such as `face`.
    public let purpose: String
    public let textVersion: String
    public let givenAt: Instant
    public let withdrawnAt: Instant?

    public init(
        id: String, account: UserID, app: AppID, purpose: String, textVersion: String,
        givenAt: Instant, withdrawnAt: Instant? = nil
    ) {
        (self.id, self.account, self.app, self.purpose) = (id, account, app, purpose)
        (self.textVersion, self.givenAt, self.withdrawnAt) = (textVersion, givenAt, withdrawnAt)
    }
}

/// The ledger of consents. Entries are added and ended but never changed.
public struct ConsentTable {
    let connection: any SQLConnection
    private static let columns =
        "id, account_id, app_id, purpose, text_version, given_at, withdrawn_at"

    public func insert(_ record: ConsentRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO consent (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)", .text(record.id),
            .id(record.account), .id(record.app),
            .text(record.purpose), .text(record.textVersion), .time(record.givenAt),
            .time(record.withdrawnAt))
    }

    /// Returns the newest consent that has not been withdrawn.
    public func current(of account: UserID, app: AppID, purpose: String) throws(StoreError)
        -> ConsentRecord?
    {
        try connection.row(
            """
            SELECT \(Self.columns) FROM consent WHERE account_id = ? AND app_id = ? AND purpose = ? AND withdrawn_at IS NULL
            ORDER BY given_at DESC, id DESC LIMIT 1
            """, .id(account), .id(app), .text(purpose)
        ).map { row throws(StoreError) in try Self.record(row) }
    }

    /// - Returns: the number of withdrawn consents.
    public func withdraw(of account: UserID, app: AppID, purpose: String, at now: Instant)
        throws(StoreError) -> Int
    {
        try connection.execute(
            "UPDATE consent SET withdrawn_at = ? WHERE account_id = ? AND app_id = ? AND purpose = ? AND withdrawn_at IS NULL",
            .time(now),
            .id(account), .id(app), .text(purpose))
    }

    /// Ends the consents to an app that is deleted. Another app of the same ID has to ask again.
    public func withdrawAll(ofApp app: AppID, at now: Instant) throws(StoreError) {
        try connection.execute(
            "UPDATE consent SET withdrawn_at = ? WHERE app_id = ? AND withdrawn_at IS NULL",
            .time(now), .id(app))
    }

    public func all(of account: UserID) throws(StoreError) -> [ConsentRecord] {
        try connection.rows(
            "SELECT \(Self.columns) FROM consent WHERE account_id = ? ORDER BY given_at, id",
            .id(account)
        )
        .map { row throws(StoreError) in try Self.record(row) }
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> ConsentRecord {
        ConsentRecord(
            id: try row.text(0), account: try row.identifier(1), app: try row.identifier(2),
            purpose: try row.text(3), textVersion: try row.text(4),
            givenAt: try row.instant(5), withdrawnAt: try row.optionalInstant(6))
    }
}
