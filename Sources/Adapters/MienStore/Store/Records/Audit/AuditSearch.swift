public import MienCore

/// The entries of the audit log that somebody looks for. Entries have every part that is given.
public struct AuditSearch: Sendable, Hashable {
    public var account: UserID?
    /// The event's whole name.
    public var event: String?
    /// The administrator who acted.
    public var administrator: AdminID?
    /// The times of the entries, from the first to before the second.
    public var from, until: Instant?
    public var isNewestFirst: Bool

    public init(
        account: UserID? = nil, event: String? = nil, administrator: AdminID? = nil,
        from: Instant? = nil, until: Instant? = nil, isNewestFirst: Bool = false
    ) {
        (self.account, self.event, self.administrator) = (account, event, administrator)
        (self.from, self.until, self.isNewestFirst) = (from, until, isNewestFirst)
    }
}

extension AuditTable {
    /// Returns at most `count` entries in the search's order.
    ///
    /// An index serves each part of a search. Times are found among the numbers, because both rise:
    /// an entry that was written after the server's clock had been set back may be missed.
    ///
    /// - Parameter number: The last entry of the previous page; `nil` for the first page.
    public func page(_ search: AuditSearch, after number: Int?, count: Int) throws(StoreError)
        -> [AuditEntry]
    {
        var conditions: [String] = [], values: [SQLValue] = []
        func require(_ condition: String, _ value: SQLValue) {
            conditions.append(condition)
            values.append(value)
        }
        if let account = search.account { require("account_id = ?", .id(account)) }
        if let administrator = search.administrator {
            // Repeat the condition of the index, so that SQLite uses it.
            conditions.append("substr(actor, 1, 4) = 'adm_'")
            // If a person is given, too, use the index of people, because a person has fewer
            // entries than an administrator. The empty text keeps the other index from being used.
            require(
                search.account == nil ? "actor = ?" : "(actor || '') = ?", .text(administrator.text)
            )
        }
        if let event = search.event {
            // A person has few entries. An administrator may have many, and few of one event.
            require(search.account == nil ? "event = ?" : "(event || '') = ?", .text(event))
        }
        if let from = search.from {
            guard let first = try self.number(of: from) else { return [] }
            require("number >= ?", .integer(first))
        }
        if let until = search.until, let end = try self.number(of: until) {
            require("number < ?", .integer(end))
        }
        if let number {
            require(search.isNewestFirst ? "number < ?" : "number > ?", .integer(Int64(number)))
        }
        let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND ")) "
        return try connection.rows(
            "SELECT \(Self.columns) FROM audit \(filter)ORDER BY number\(search.isNewestFirst ? " DESC" : "") LIMIT ?",
            values + [.integer(Int64(count))]
        ).map { row throws(StoreError) in try entry(row) }
    }

    /// The names of the events in the log, sorted.
    public func events() throws(StoreError) -> [String] {
        // One step in the index for each name, however many entries it has.
        var names: [String] = []
        while let row = try connection.row(
            "SELECT event FROM audit WHERE event > ? ORDER BY event LIMIT 1",
            .text(names.last ?? ""))
        {
            names.append(try row.text(0))
            if names.count == Self.maxEvents { break }
        }
        return names
    }

    private static let maxEvents = 1000

    /// - Returns: The number of the first entry at or after a time; `nil` if all are before.
    private func number(of time: Instant) throws(StoreError) -> Int64? {
        guard
            let first = try connection.row("SELECT number FROM audit ORDER BY number LIMIT 1"),
            let last = try connection.row("SELECT number FROM audit ORDER BY number DESC LIMIT 1")
        else { return nil }
        // The first entry at or after the time is in low..<high, or is high.
        var low = try first.integer(0), high = try last.integer(0) + 1
        let end = high
        while low < high {
            let middle = low + (high - low) / 2
            guard
                let row = try connection.row(
                    "SELECT at FROM audit WHERE number >= ? ORDER BY number LIMIT 1",
                    .integer(middle))
            else { break }
            if try row.instant(0) < time { low = middle + 1 } else { high = middle }
        }
        return low < end ? low : nil
    }
}
