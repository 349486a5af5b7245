public import MienCore
public import MienIdentity

/// A case about two accounts of an app whose faces look alike.
public struct DuplicateCaseRecord: Sendable, Hashable {
    public var duplicate: DuplicateCase
    public let app: AppID
    /// The account that registered its face last.
    public let account: UserID
    /// The account that had its face before.
    public let other: UserID
    /// How alike the faces are.
    public let score: MatchScore
    public let openedAt: Instant
    /// `nil` while the case is open.
    public var closedAt: Instant?

    public init(
        duplicate: DuplicateCase, app: AppID, account: UserID, other: UserID, score: MatchScore,
        openedAt: Instant, closedAt: Instant? = nil
    ) {
        (self.duplicate, self.app, self.account, self.other) = (duplicate, app, account, other)
        (self.score, self.openedAt, self.closedAt) = (score, openedAt, closedAt)
    }
}

/// Cases about probable duplicates, at most one for each two accounts of an app. A case is deleted
/// when one of the accounts is deleted or no longer has a face in the app.
public struct DuplicateCaseTable {
    let connection: any SQLConnection
    private static let columns =
        "app_id, account_id, other_id, score, content, opened_at, closed_at"

    /// Opens a case, unless there is one about the same accounts, decided or not.
    ///
    /// - Returns: whether it was opened.
    public func insert(_ record: DuplicateCaseRecord) throws(StoreError) -> Bool {
        let known = try connection.row(
            """
            SELECT 1 FROM duplicate_case WHERE app_id = ?
            AND ((account_id = ? AND other_id = ?) OR (account_id = ? AND other_id = ?))
            """, .id(record.app), .id(record.account), .id(record.other), .id(record.other),
            .id(record.account))
        guard known == nil else { return false }
        try connection.execute(
            "INSERT INTO duplicate_case (id, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .id(record.duplicate.id), .id(record.app), .id(record.account), .id(record.other),
            .real(record.score.value), .text(JSONColumn.text(record.duplicate)),
            .time(record.openedAt), .time(record.closedAt))
        return true
    }

    public func find(_ id: DuplicateCaseID) throws(StoreError) -> DuplicateCaseRecord? {
        try connection.row("SELECT \(Self.columns) FROM duplicate_case WHERE id = ?", .id(id))
            .map { row throws(StoreError) in try Self.record(row) }
    }

    /// Returns `count` open cases after `last`, the oldest first.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists. A closed one keeps its place.
    public func queue(after last: DuplicateCaseID? = nil, atMost count: Int) throws(StoreError)
        -> [DuplicateCaseRecord]
    {
        try connection.page(
            Self.columns,
            of: TimedList(table: "duplicate_case", time: "opened_at", filter: "closed_at IS NULL"),
            after: last, count: count
        ).map { row throws(StoreError) in try Self.record(row) }
    }

    /// Stores a decision.
    ///
    /// - Parameter old: the record as it was read.
    /// - Returns: `false` if the case changed since.
    public func update(_ record: DuplicateCaseRecord, from old: DuplicateCaseRecord)
        throws(StoreError) -> Bool
    {
        try connection.execute(
            "UPDATE duplicate_case SET content = ?, closed_at = ? WHERE id = ? AND content = ?",
            .text(JSONColumn.text(record.duplicate)), .time(record.closedAt),
            .id(record.duplicate.id), .text(JSONColumn.text(old.duplicate))) == 1
    }

    /// Deletes the cases of an account in the apps where it has no face any longer, neither one of
    /// the app nor one that the app shares.
    func deleteFaceless(_ account: UserID) throws(StoreError) {
        try connection.execute(
            """
            DELETE FROM duplicate_case WHERE (account_id = ? OR other_id = ?) AND NOT EXISTS
            (SELECT 1 FROM authenticator WHERE account_id = ? AND \(Self.isFaceOfApp))
            """, .id(account), .id(account), .id(account), .text("face"))
    }

    /// Deletes the cases of an app about accounts without a face in it, such as after it has left a
    /// group of apps that share faces.
    public func deleteFaceless(in app: AppID) throws(StoreError) {
        for column in ["account_id", "other_id"] {
            try connection.execute(
                """
                DELETE FROM duplicate_case WHERE app_id = ? AND NOT EXISTS
                (SELECT 1 FROM authenticator WHERE account_id = duplicate_case.\(column) AND \(Self.isFaceOfApp))
                """, .id(app), .text("face"))
        }
    }

    private static let isFaceOfApp =
        """
        type = ? AND (app_id = duplicate_case.app_id
        OR app_id IN (SELECT group_id FROM face_group_app m WHERE m.app_id = duplicate_case.app_id))
        """

    private static func record(_ row: SQLRow) throws(StoreError) -> DuplicateCaseRecord {
        guard case .real(let score) = row[3] else {
            throw StoreError(.corrupt, "column 3 of a row does not hold a number")
        }
        return DuplicateCaseRecord(
            duplicate: try JSONColumn.value(DuplicateCase.self, row.text(4).utf8),
            app: try row.identifier(0), account: try row.identifier(1),
            other: try row.identifier(2), score: MatchScore(score),
            openedAt: try row.instant(5), closedAt: try row.optionalInstant(6))
    }
}
