internal import MienAccess
public import MienCore

/// Something that happened, for the record: who did what to whom; no names, no secrets.
public struct AuditEvent: Sendable, Hashable {
    /// A stable word: `face.registered`, `password.refused`.
    public let event: String
    /// An admin's id, an app's id, `journey`, `system`.
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

/// From where the request came in whose task entries are written: each of them gets it as
/// `detail.client`. Nothing is noted outside of ``$address``.
public enum AuditClient {
    @TaskLocal public static var address: String?
}

/// An event in its place in the log.
public struct AuditEntry: Sendable, Hashable {
    /// From 1, without gaps.
    public let number: Int
    public let at: Instant
    public let event: AuditEvent
    /// SHA-256 over the entry before and this one.
    public let hash: [UInt8]
}

/// The log: entries are added at the end, each holding the hash of the one before, and removed from
/// the start only. docs/spec/audit-log.md
public struct AuditTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    var client: String?
    static let columns = "number, at, event, actor, account_id, app_id, detail, hash"

    /// - Throws: ``StoreError`` `.corrupt` when the log has no place for another entry.
    public func append(_ event: AuditEvent, at now: Instant) throws(StoreError) {
        let last = try connection.row("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        let place: AuditChain
        if let last {
            place = AuditChain(number: try last.integer(0), hash: try last.blob(1))
        } else {
            place = try start()
        }
        let entry = AuditChain.Entry(
            at: now.milliseconds, event: event.event, actor: event.actor,
            account: event.account?.text ?? "", app: event.app?.text ?? "",
            detail: detail(of: event))
        guard let next = place.appending(entry) else {
            throw StoreError(.corrupt, "the audit log's last number has none after it")
        }
        try connection.execute(
            "INSERT INTO audit (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .integer(next.number), .integer(entry.at), .text(entry.event),
            .text(entry.actor), .text(entry.account), .text(entry.app), .text(entry.detail),
            .blob(next.hash))
    }

    /// As it is stored, with the client's address where that is noted.
    func detail(of event: AuditEvent) -> String {
        JSONColumn.text(
            client.map { event.detail.merging(["client": .string($0)]) { $1 } } ?? event.detail)
    }

    /// `count` entries after `number`, oldest first, of one account or of all.
    public func page(after number: Int, count: Int, account: UserID? = nil) throws(StoreError)
        -> [AuditEntry]
    {
        try connection.rows(
            "SELECT \(Self.columns) FROM audit WHERE number > ? AND (? = '' OR account_id = ?) ORDER BY number LIMIT ?",
            .integer(Int64(number)),
            .id(account), .id(account), .integer(Int64(count))
        ).map { row throws(StoreError) in
            AuditEntry(
                number: Int(try row.integer(0)), at: try row.instant(1),
                event: AuditEvent(
                    try row.text(2), actor: try row.text(3), account: try row.optionalIdentifier(4),
                    app: try row.optionalIdentifier(5),
                    detail: try JSONColumn.value([String: JSONValue].self, row.text(6).utf8)),
                hash: try row.blob(7))
        }
    }

    /// What ``verify()`` found.
    public enum Verdict: Sendable, Hashable {
        /// The number of the last entry, those that were pruned included, and its hash: whoever
        /// keeps it elsewhere will notice a log that was cut short or made anew.
        case whole(entries: Int, last: [UInt8])
        /// The first entry that is not as it was written, is missing or was put in.
        case broken(number: Int)
    }

    /// Goes through the whole log, from its anchor if entries were pruned.
    public func verify() throws(StoreError) -> Verdict {
        var place: AuditChain
        // Nothing vouches for the entries after a forged anchor.
        do { place = try start() } catch  where error.code == .corrupt { return .broken(number: 1) }
        // SQLite takes NULL for a key that is no INTEGER.
        if let early = try connection.row(
            "SELECT number FROM audit WHERE number IS NULL OR number <= ? ORDER BY number LIMIT 1",
            .integer(place.number))
        {
            return .broken(number: max(1, Int((try? early.integer(0)) ?? 1)))
        }
        var count: Int64 = 1000
        while true {
            guard let rows = try batch(after: place, count) else {
                // One by one, to name the entry.
                if count == 1 { return .broken(number: Int(place.number) + 1) }
                count = 1
                continue
            }
            if rows.isEmpty { return .whole(entries: Int(place.number), last: place.hash) }
            for row in rows {
                guard let next = Self.place(of: row, after: place) else {
                    return .broken(number: Int(place.number) + 1)
                }
                place = next
            }
        }
    }

    /// - Returns: `nil` when one of them holds what was never written.
    func batch(after place: AuditChain, _ count: Int64) throws(StoreError) -> [SQLRow]? {
        do {
            return try connection.rows(
                "SELECT \(Self.columns) FROM audit WHERE number > ? ORDER BY number LIMIT ?",
                .integer(place.number), .integer(count))
        } catch  where error.code == .corrupt { return nil }
    }

    /// - Returns: `nil` when the row is not as it was written. Columns as they are stored: a change
    ///   that reads the same is a change.
    static func place(of row: SQLRow, after place: AuditChain) -> AuditChain? {
        guard let entry = entry(of: row), let next = place.appending(entry),
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
