internal import MienAPI
public import MienCore

/// An audit event: who did what to whom. Contains no names and no secrets.
public struct AuditEvent: Sendable, Hashable {
    /// A stable code: `face.registered`, `password.refused`.
    public let event: String
    /// An administrator's ID, an app's ID, `journey`, or `system`.
    public let actor: String
    public let account: UserID?
    public let app: AppID?
    public let detail: [String: JSONValue]

    public init(
        _ event: String, actor: String, account: UserID? = nil, app: AppID? = nil,
        detail: [String: JSONValue] = [:]
    ) {
        (self.event, self.actor, self.account, self.app, self.detail) = (
            event, actor, account, app, detail
        )
    }
}

/// The client's address for audit entries written in the current task, stored as `detail.client`.
/// Nothing is recorded while ``$address`` is not set.
public enum AuditClient {
    @TaskLocal public static var address: String?
}

/// An event at its position in the log.
public struct AuditEntry: Sendable, Hashable {
    /// The entry's number, from 1, without gaps.
    public let number: Int
    public let at: Instant
    public let event: AuditEvent
    /// SHA-256 over the previous entry's hash and this entry.
    public let hash: [UInt8]
}

/// The audit log. Entries are added only at the end, each with the hash of the previous one, and
/// removed only from the start. See docs/spec/audit-log.md.
public struct AuditTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    var client: String?
    static let columns = "number, at, event, actor, account_id, app_id, detail, hash"

    /// - Throws: ``StoreError`` `.corrupt` if the log's numbers are exhausted.
    public func append(_ event: AuditEvent, at now: Instant) throws(StoreError) {
        let last = try connection.row("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        let position: AuditChain
        if let last {
            position = AuditChain(number: try last.integer(0), hash: try last.blob(1))
        } else {
            position = try start()
        }
        let entry = AuditChain.Entry(
            at: now.milliseconds, event: event.event, actor: event.actor,
            account: event.account?.text ?? "", app: event.app?.text ?? "",
            detail: detail(of: event))
        guard let next = position.appending(entry) else {
            throw StoreError(.corrupt, "the audit log's numbers are exhausted")
        }
        try connection.execute(
            "INSERT INTO audit (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .integer(next.number), .integer(entry.at), .text(entry.event),
            .text(entry.actor), .text(entry.account), .text(entry.app), .text(entry.detail),
            .blob(next.hash))
    }

    /// Returns the event's details as stored, including the client's address if it is recorded.
    func detail(of event: AuditEvent) -> String {
        JSONColumn.text(
            client.map { event.detail.merging(["client": .string($0)]) { $1 } } ?? event.detail)
    }

    /// Returns `count` entries after `number`, oldest first, of one account or of all.
    public func page(after number: Int, count: Int, account: UserID? = nil) throws(StoreError)
        -> [AuditEntry]
    { try page(AuditSearch(account: account), after: number, count: count) }

    func entry(_ row: SQLRow) throws(StoreError) -> AuditEntry {
        AuditEntry(
            number: Int(try row.integer(0)), at: try row.instant(1),
            event: AuditEvent(
                try row.text(2), actor: try row.text(3), account: try row.optionalIdentifier(4),
                app: try row.optionalIdentifier(5),
                detail: try JSONColumn.value([String: JSONValue].self, row.text(6).utf8)),
            hash: try row.blob(7))
    }

    /// The result of ``verify()``.
    public enum Verdict: Sendable, Hashable {
        /// The number of the last entry, counting pruned ones, and its hash. A copy kept elsewhere
        /// reveals a log that was truncated or rewritten.
        case whole(entries: Int, last: [UInt8])
        /// The first entry that was changed, is missing, or was inserted.
        case broken(number: Int)
    }

    /// Verifies the whole log, from its anchor if entries were pruned.
    public func verify() throws(StoreError) -> Verdict {
        var position: AuditChain
        // After a forged anchor, no entry can be verified.
        do { position = try start() } catch  where error.code == .corrupt {
            return .broken(number: 1)
        }
        // SQLite accepts NULL in a primary key that is not INTEGER.
        if let early = try connection.row(
            "SELECT number FROM audit WHERE number IS NULL OR number <= ? ORDER BY number LIMIT 1",
            .integer(position.number))
        {
            return .broken(number: max(1, Int((try? early.integer(0)) ?? 1)))
        }
        var count: Int64 = 1000
        while true {
            guard let rows = try batch(after: position, count) else {
                // Retry one by one to find the entry's number.
                if count == 1 { return .broken(number: Int(position.number) + 1) }
                count = 1
                continue
            }
            if rows.isEmpty { return .whole(entries: Int(position.number), last: position.hash) }
            for row in rows {
                guard let next = Self.position(of: row, after: position) else {
                    return .broken(number: Int(position.number) + 1)
                }
                position = next
            }
        }
    }

    /// - Returns: `nil` if a row holds values that the server never writes.
    func batch(after position: AuditChain, _ count: Int64) throws(StoreError) -> [SQLRow]? {
        do {
            return try connection.rows(
                "SELECT \(Self.columns) FROM audit WHERE number > ? ORDER BY number LIMIT ?",
                .integer(position.number), .integer(count))
        } catch  where error.code == .corrupt { return nil }
    }

    /// - Returns: `nil` if the row was changed. Compares the columns as stored: a change counts
    ///   even if the value reads the same.
    static func position(of row: SQLRow, after position: AuditChain) -> AuditChain? {
        guard let entry = entry(of: row), let next = position.appending(entry),
            row[0] == .integer(next.number), row[7] == .blob(next.hash)
        else {
            return nil
        }
        return next
    }

    static func entry(of row: SQLRow) -> AuditChain.Entry? {
        guard case .integer(let at) = row[1], let texts = try? (2...6).map({ try row.text($0) })
        else { return nil }
        return AuditChain.Entry(
            at: at, event: texts[0], actor: texts[1], account: texts[2], app: texts[3],
            detail: texts[4])
    }
}
