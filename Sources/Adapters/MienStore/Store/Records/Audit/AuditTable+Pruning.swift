public import MienAPI
public import MienCore

/// Removes old entries without breaking the chain. See docs/spec/audit-log.md, “Pruning”.
extension AuditTable {
    /// Returns the start of the chain: the anchor left by pruning, or the position before the first
    /// entry.
    ///
    /// - Throws: ``StoreError`` `.corrupt` if this server did not write the anchor.
    public func start() throws(StoreError) -> AuditChain {
        let anchors = try connection.rows("SELECT id, number, hash, mac FROM audit_anchor")
        guard let anchor = anchors.first else { return .start }
        let position = AuditChain(number: try anchor.integer(1), hash: try anchor.blob(2))
        guard anchors.count == 1, position.number > 0,
            position.hash.count == AuditChain.start.hash.count,
            anchor[3] == .blob(keys.mac(ofAnchor: position))
        else {
            throw StoreError(.corrupt, "the audit log's anchor was not written by this server")
        }
        return position
    }

    /// The entries of an export, oldest first, as stored.
    public struct Segment: Sendable {
        /// The position before the first entry.
        public let start: AuditChain
        public let entries: [(entry: AuditChain.Entry, position: AuditChain)]
    }

    /// Returns `count` entries after an entry, verified against the chain.
    ///
    /// - Parameter number: the entry; `nil` to start after the anchor.
    /// - Throws: ``StoreError`` `.corrupt` if an entry was changed, `.stale` if the entry `number`
    ///   was pruned or never written.
    public func segment(after number: Int?, count: Int) throws(StoreError) -> Segment {
        let anchor = try start(), first = number.map { Int64($0) } ?? anchor.number
        var position = anchor
        if first != anchor.number {
            guard first > anchor.number,
                let row = try connection.row(
                    "SELECT hash FROM audit WHERE number = ?", .integer(first))
            else {
                throw StoreError(.stale, "the audit log has no entry with that number")
            }
            position = AuditChain(number: first, hash: try row.blob(0))
        }
        let start = position
        var entries: [(entry: AuditChain.Entry, position: AuditChain)] = []
        guard let rows = try batch(after: position, Int64(count)) else {
            throw Self.broken(position.number + 1)
        }
        for row in rows {
            guard let next = Self.position(of: row, after: position),
                let entry = Self.entry(of: row)
            else { throw Self.broken(position.number + 1) }
            entries.append((entry, next))
            position = next
        }
        return Segment(start: start, entries: entries)
    }

    /// Removes entries from the start of the log and writes the anchor from which the remaining
    /// entries are verified, in one transaction.
    ///
    /// Verifies the entries before it removes them. A changed log is never pruned, because that
    /// would destroy the evidence.
    ///
    /// - Parameters:
    ///   - last: the last entry to remove, with the hash that the caller knows; `nil` to prune by
    ///     age alone.
    ///   - cutoff: entries at this time or later stay, and so do all entries after the first of
    ///     them.
    /// - Returns: the number of removed entries, at most `count`.
    /// - Throws: ``StoreError`` `.corrupt` if an entry was changed, `.stale` if `last` is not an
    ///   entry of this log.
    public func prune(
        through last: AuditChain? = nil, before cutoff: Instant? = nil, atMost count: Int,
        at now: Instant
    ) throws(StoreError) -> Int {
        let start = try start()
        var position = start
        guard let rows = try batch(after: position, Int64(count)) else {
            throw Self.broken(position.number + 1)
        }
        if let last, last.number > start.number {
            guard
                let row = try connection.row(
                    "SELECT hash FROM audit WHERE number = ?", .integer(last.number)),
                row[0] == .blob(last.hash)
            else {
                throw StoreError(.stale, "the audit log has no entry with that number and hash")
            }
        }
        for row in rows {
            if let last, position.number >= last.number { break }
            if let cutoff, case .integer(let at) = row[1], at >= cutoff.milliseconds { break }
            guard let next = Self.position(of: row, after: position) else {
                throw Self.broken(position.number + 1)
            }
            position = next
        }
        guard position != start else { return 0 }
        try connection.execute("DELETE FROM audit_anchor")
        try connection.execute(
            "INSERT INTO audit_anchor (id, number, hash, mac, pruned_at) VALUES (1, ?, ?, ?, ?)",
            .integer(position.number), .blob(position.hash),
            .blob(keys.mac(ofAnchor: position)), .time(now))
        return try connection.execute(
            "DELETE FROM audit WHERE number <= ?", .integer(position.number))
    }

    private static func broken(_ number: Int64) -> StoreError {
        StoreError(.corrupt, "entry \(number) of the audit log was changed")
    }
}
