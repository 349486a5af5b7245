public import MienCore

/// A transaction that waits for approval on another device. Its code is stored as a hash.
public struct ApprovalRecord: Sendable {
    public enum Decision: Sendable, Hashable {
        /// - `epoch`: the account's, when the user approved.
        case approved(AuthenticatorID, epoch: Int)
        case declined
    }

    public let id: String
    public let account: UserID
    public let app: AppID
    public let run: String
    /// The transaction, as the service that wrote it encodes it.
    public let content: Sensitive<[UInt8]>
    public let expiresAt: Instant
    /// `nil` until the user has decided.
    public let decision: Decision?

    public init(
        id: String, account: UserID, app: AppID, run: String, content: Sensitive<[UInt8]>,
        expiresAt: Instant, decision: Decision? = nil
    ) {
        (self.id, self.account, self.app, self.run) = (id, account, app, run)
        (self.content, self.expiresAt, self.decision) = (content, expiresAt, decision)
    }
}

public struct ApprovalTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    /// How long a decision can be read after the request has expired: the client asks only now and
    /// then, and the user may have decided in the last second.
    private static let readable = Duration.seconds(30)
    private static let columns =
        "id, account_id, app_id, run_id, content_sealed, expires_at, decision, authenticator_id, epoch"

    public func insert(_ record: ApprovalRecord, codeHash: [UInt8]) throws(StoreError) {
        let content = record.content.use { keys.seal($0, .approval, for: record.id) }
        try connection.execute(
            "INSERT INTO approval (id, code_hash, account_id, app_id, run_id, content_sealed, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .text(record.id), .blob(codeHash), .id(record.account), .id(record.app),
            .text(record.run), .blob(content), .time(record.expiresAt))
    }

    /// Returns the request with a code, if it has not expired and the user has not decided.
    public func open(codeHash: [UInt8], at now: Instant) throws(StoreError) -> ApprovalRecord? {
        let row = try connection.row(
            "SELECT \(Self.columns) FROM approval WHERE code_hash = ? AND decision = ''",
            .blob(codeHash))
        guard let row else { return nil }
        let found = try record(row)
        return now < found.expiresAt ? found : nil
    }

    /// Records the user's decision.
    ///
    /// - Returns: whether the request was open. Of two decisions, the first counts.
    public func decide(
        _ id: String, _ decision: ApprovalRecord.Decision, at now: Instant
    ) throws(StoreError) -> Bool {
        switch decision {
        case .approved(let authenticator, let epoch):
            return try connection.execute(
                "UPDATE approval SET decision = 'approved', authenticator_id = ?, epoch = ? WHERE id = ? AND decision = '' AND expires_at > ?",
                .id(authenticator), .integer(Int64(epoch)), .text(id), .time(now)) == 1
        case .declined:
            return try connection.execute(
                "UPDATE approval SET decision = 'declined' WHERE id = ? AND decision = '' AND expires_at > ?",
                .text(id), .time(now)) == 1
        }
    }

    /// Removes the request of a run, unless the user has decided.
    public func close(_ id: String, run: String) throws(StoreError) {
        try connection.execute(
            "DELETE FROM approval WHERE id = ? AND run_id = ? AND decision = ''", .text(id),
            .text(run))
    }

    /// Returns the request of a run, for ``readable`` after it has expired.
    public func find(_ id: String, run: String, at now: Instant) throws(StoreError)
        -> ApprovalRecord?
    {
        guard let found = try find(id, run: run), now < found.expiresAt + Self.readable else {
            return nil
        }
        return found
    }

    private func find(_ id: String, run: String) throws(StoreError) -> ApprovalRecord? {
        let row = try connection.row(
            "SELECT \(Self.columns) FROM approval WHERE id = ? AND run_id = ?", .text(id),
            .text(run))
        guard let row else { return nil }
        return try record(row)
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM approval WHERE id IN (SELECT id FROM approval WHERE expires_at <= ? LIMIT ?)",
            .time(now - Self.readable), .integer(Int64(count)))
    }

    private func record(_ row: SQLRow) throws(StoreError) -> ApprovalRecord {
        let id = try row.text(0), decision: ApprovalRecord.Decision?
        switch try row.text(6) {
        case "": decision = nil
        case "approved":
            decision = .approved(try row.identifier(7), epoch: Int(try row.integer(8)))
        case "declined": decision = .declined
        default: throw StoreError(.corrupt, "a stored approval has an unknown decision")
        }
        return ApprovalRecord(
            id: id, account: try row.identifier(1), app: try row.identifier(2),
            run: try row.text(3),
            content: Sensitive(try keys.open(row.blob(4), .approval, for: id)),
            expiresAt: try row.instant(5), decision: decision)
    }
}
