public import MienCore
public import MienIdentity

/// A case in the queue.
public struct ReviewCaseRecord: Sendable, Hashable {
    public var review: ReviewCase
    public let account: UserID
    public let app: AppID
    public let openedAt: Instant
    /// `nil` while the case is open.
    public var closedAt: Instant?

    public init(
        review: ReviewCase, account: UserID, app: AppID, openedAt: Instant,
        closedAt: Instant? = nil
    ) {
        (self.review, self.account, self.app) = (review, account, app)
        (self.openedAt, self.closedAt) = (openedAt, closedAt)
    }
}

/// The cases that people decide. One for each attempt that was sent to a review.
public struct ReviewCaseTable {
    let connection: any SQLConnection
    private static let columns = "account_id, app_id, content, opened_at, closed_at"

    /// - Throws: ``StoreError`` `.conflict` if the attempt has a case.
    public func insert(_ record: ReviewCaseRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO review_case (id, attempt_id, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .id(record.review.id), .id(record.review.attempt), .id(record.account),
            .id(record.app), .text(JSONColumn.text(record.review)), .time(record.openedAt),
            .time(record.closedAt))
    }

    public func find(_ id: ReviewCaseID) throws(StoreError) -> ReviewCaseRecord? {
        try connection.row("SELECT \(Self.columns) FROM review_case WHERE id = ?", .id(id))
            .map { row throws(StoreError) in try Self.record(row) }
    }

    public func find(attempt: IdentityAttemptID) throws(StoreError) -> ReviewCaseRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM review_case WHERE attempt_id = ?", .id(attempt)
        ).map { row throws(StoreError) in try Self.record(row) }
    }

    /// Returns `count` open cases after `last`, the oldest first.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists. A closed one keeps its place.
    public func queue(after last: ReviewCaseID? = nil, atMost count: Int) throws(StoreError)
        -> [ReviewCaseRecord]
    {
        try connection.page(
            Self.columns,
            of: TimedList(table: "review_case", time: "opened_at", filter: "closed_at IS NULL"),
            after: last, count: count
        ).map { row throws(StoreError) in try Self.record(row) }
    }

    /// Stores a decision.
    ///
    /// - Parameter old: the record as it was read.
    /// - Returns: `false` if the case changed since.
    public func update(_ record: ReviewCaseRecord, from old: ReviewCaseRecord) throws(StoreError)
        -> Bool
    {
        try connection.execute(
            "UPDATE review_case SET content = ?, closed_at = ? WHERE id = ? AND content = ?",
            .text(JSONColumn.text(record.review)), .time(record.closedAt),
            .id(record.review.id), .text(JSONColumn.text(old.review))) == 1
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> ReviewCaseRecord {
        ReviewCaseRecord(
            review: try JSONColumn.value(ReviewCase.self, row.text(2).utf8),
            account: try row.identifier(0), app: try row.identifier(1),
            openedAt: try row.instant(3), closedAt: try row.optionalInstant(4))
    }
}
