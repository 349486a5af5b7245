public import MienAccess
public import MienCore

/// Removing old entries without breaking the chain: docs/spec/audit-log.md, “Pruning”.
extension AuditTable {
    /// Where the chain starts: at the anchor that pruning left, or before the first entry.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when there is an anchor that this server did not write.
    public func start() throws(StoreError) -> AuditChain {
        let anchors = try connection.rows("SELECT id, number, hash, mac FROM audit_anchor")
        guard let anchor = anchors.first else { return .start }
        let place = AuditChain(number: try anchor.integer(1), hash: try anchor.blob(2))
        guard anchors.count == 1, place.number > 0, place.hash.count == AuditChain.start.hash.count,
            anchor[3] == .blob(keys.mac(ofAnchor: place))
        else {
            throw StoreError(.corrupt, "the audit log's anchor is not this server's")
        }
        return place
    }

    /// The entries of an export, oldest first, as they are stored.
    public struct Segment: Sendable {
        /// The place before the first entry.
        public let start: AuditChain
        public let entries: [(entry: AuditChain.Entry, place: AuditChain)]
    }

    /// `count` entries after an entry, checked against the chain.
    ///
    /// - Parameter number: the entry; `nil` for all that are left.
    /// - Throws: ``StoreError`` `.corrupt` when an entry is not as it was written, `.stale` when
    ///   the entry `number` was pruned or never written.
    public func segment(after number: Int?, count: Int) throws(StoreError) -> Segment {
        let anchor = try start(), first = number.map { Int64($0) } ?? anchor.number
        var place = anchor
        if first != anchor.number {
            guard first > anchor.number,
                let row = try connection.row(
                    "SELECT hash FROM audit WHERE number = ?", .integer(first))
            else {
                throw StoreError(.stale, "the audit log has no entry of that number")
            }
            place = AuditChain(number: first, hash: try row.blob(0))
        }
        let start = place
        var entries: [(entry: AuditChain.Entry, place: AuditChain)] = []
        guard let rows = try batch(after: place, Int64(count)) else {
            throw Self.broken(place.number + 1)
        }
        for row in rows {
            guard let next = Self.place(of: row, after: place), let entry = Self.entry(of: row)
            else { throw Self.broken(place.number + 1) }
            entries.append((entry, next))
            place = next
        }
        return Segment(start: start, entries: entries)
    }

    /// Removes entries from the start of the log, and leaves the anchor that the others are
    /// verified from, in one step.
    ///
    /// Entries are verified before they go: a log that was changed is never pruned, since that
    /// would remove the evidence.
    /// - Parameters:
    ///   - last: the last entry to remove, with its hash as the caller knows it; `nil` to go by age
    ///     alone.
    ///   - cutoff: entries of this moment and later stay, and whatever follows the first of them.
    /// - Returns: how many were removed, `count` at most.
    /// - Throws: ``StoreError`` `.corrupt` when an entry is not as it was written, `.stale` when
    ///   `last` is not an entry of this log.
    public func prune(
        through last: AuditChain? = nil, before cutoff: Instant? = nil, atMost count: Int,
        at now: Instant
    ) throws(StoreError) -> Int {
        let start = try start()
        var place = start
        guard let rows = try batch(after: place, Int64(count)) else {
            throw Self.broken(place.number + 1)
        }
        if let last, last.number > start.number {
            guard
                let row = try connection.row(
                    "SELECT hash FROM audit WHERE number = ?", .integer(last.number)),
                row[0] == .blob(last.hash)
            else {
                throw StoreError(.stale, "the audit log has no entry of that number and hash")
            }
        }
        for row in rows {
            if let last, place.number >= last.number { break }
            if let cutoff, case .integer(let at) = row[1], at >= cutoff.milliseconds { break }
            guard let next = Self.place(of: row, after: place) else {
                throw Self.broken(place.number + 1)
            }
            place = next
        }
        guard place != start else { return 0 }
        try connection.execute("DELETE FROM audit_anchor")
        try connection.execute(
            "INSERT INTO audit_anchor (id, number, hash, mac, pruned_at) VALUES (1, ?, ?, ?, ?)",
            .integer(place.number), .blob(place.hash),
            .blob(keys.mac(ofAnchor: place)), .time(now))
        return try connection.execute("DELETE FROM audit WHERE number <= ?", .integer(place.number))
    }

    private static func broken(_ number: Int64) -> StoreError {
        StoreError(.corrupt, "entry \(number) of the audit log is not as it was written")
    }
}
