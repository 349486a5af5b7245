internal import Crypto
internal import Foundation
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

    public init(_ event: String, actor: String, account: UserID? = nil, app: AppID? = nil, detail: [String: JSONValue] = [:]) {
        (self.event, self.actor, self.account, self.app, self.detail) = (event, actor, account, app, detail)
    }
}

/// From where the request came in whose task entries are written: each of them gets it as `detail.client`. Nothing is noted outside of ``$address``.
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

/// The log: entries are added at the end, each holding the hash of the one before. docs/spec/audit-log.md
public struct AuditTable {
    let connection: any SQLConnection
    var client: String?
    private static let columns = "number, at, event, actor, account_id, app_id, detail, hash"

    public func append(_ event: AuditEvent, at now: Instant) throws(StoreError) {
        let last = try connection.row("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        let (number, isFull) = try (last?.integer(0) ?? 0).addingReportingOverflow(1), previous = try last?.blob(1) ?? Self.start
        guard !isFull else { throw StoreError(.corrupt, "the audit log's last number has none after it") }
        let detail = JSONColumn.text(client.map { event.detail.merging(["client": .string($0)]) { $1 } } ?? event.detail)
        let hash = Self.hash(
            after: previous, number, now.milliseconds, [event.event, event.actor, event.account?.text ?? "", event.app?.text ?? "", detail])
        try connection.execute(
            "INSERT INTO audit (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .integer(number), .time(now), .text(event.event),
            .text(event.actor), .id(event.account), .id(event.app), .text(detail), .blob(hash))
    }

    /// `count` entries after `number`, oldest first, of one account or of all.
    public func page(after number: Int, count: Int, account: UserID? = nil) throws(StoreError) -> [AuditEntry] {
        try connection.rows(
            "SELECT \(Self.columns) FROM audit WHERE number > ? AND (? = '' OR account_id = ?) ORDER BY number LIMIT ?", .integer(Int64(number)),
            .id(account), .id(account), .integer(Int64(count))
        ).map { row throws(StoreError) in
            AuditEntry(
                number: Int(try row.integer(0)), at: try row.instant(1),
                event: AuditEvent(
                    try row.text(2), actor: try row.text(3), account: try row.optionalIdentifier(4), app: try row.optionalIdentifier(5),
                    detail: try JSONColumn.value([String: JSONValue].self, row.text(6).utf8)),
                hash: try row.blob(7))
        }
    }

    /// What ``verify(after:count:)`` found.
    public enum Verdict: Sendable, Hashable {
        /// So many entries, and the hash of the last: whoever keeps it elsewhere will notice a log that was cut short or made anew.
        case whole(entries: Int, last: [UInt8])
        /// The first entry that is not as it was written, is missing or was put in.
        case broken(number: Int)
    }

    /// Goes through the whole log.
    public func verify() throws(StoreError) -> Verdict {
        // SQLite takes NULL for a key that is no INTEGER.
        if try connection.row("SELECT 1 FROM audit WHERE number IS NULL OR number < 1 LIMIT 1") != nil { return .broken(number: 1) }
        var previous = Self.start, number: Int64 = 0
        var count: Int64 = 1000
        while true {
            guard let rows = try batch(after: number, count) else {
                // One by one, to name the entry.
                if count == 1 { return .broken(number: Int(number) + 1) }
                count = 1
                continue
            }
            if rows.isEmpty { return .whole(entries: Int(number), last: previous) }
            for row in rows {
                number += 1
                guard let hash = Self.hash(of: row, number, after: previous) else { return .broken(number: Int(number)) }
                previous = hash
            }
        }
    }

    /// - Returns: `nil` when one of them holds what was never written.
    private func batch(after number: Int64, _ count: Int64) throws(StoreError) -> [SQLRow]? {
        do {
            return try connection.rows(
                "SELECT \(Self.columns) FROM audit WHERE number > ? ORDER BY number LIMIT ?", .integer(number), .integer(count))
        } catch  where error.code == .corrupt { return nil }
    }

    /// - Returns: `nil` when the row is not as it was written. Columns as they are stored: a change that reads the same is a change.
    private static func hash(of row: SQLRow, _ number: Int64, after previous: [UInt8]) -> [UInt8]? {
        guard case .integer(let at) = row[1], let texts = try? (2...6).map({ try row.text($0) }), row[0] == .integer(number) else { return nil }
        let hash = hash(after: previous, number, at, texts)
        return row[7] == .blob(hash) ? hash : nil
    }

    private static let start = Array(SHA256.hash(data: Data("mien/v1/audit-log".utf8)))

    private static func hash(after previous: [UInt8], _ number: Int64, _ at: Int64, _ texts: [String]) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(previous)
        writer.put(integer: number)
        writer.put(integer: at)
        for text in texts {
            writer.put(integer: UInt32(text.utf8.count))
            writer.put(text.utf8)
        }
        return Array(SHA256.hash(data: Data(writer.bytes)))
    }
}
