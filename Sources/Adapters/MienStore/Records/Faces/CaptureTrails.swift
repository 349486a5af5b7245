public import MienCore

/// Data by which a repeated live capture is recognized.
public struct CaptureTrailRecord: Sendable {
    public let id: CaptureID
    /// Hashes of the capture's frames.
    public let trail: Sensitive<[UInt8]>
    public let expiresAt: Instant

    public init(id: CaptureID, trail: Sensitive<[UInt8]>, expiresAt: Instant) {
        (self.id, self.trail, self.expiresAt) = (id, trail, expiresAt)
    }
}

/// The trails of recent captures. No row identifies the person captured.
public struct CaptureTrailTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    public func insert(_ record: CaptureTrailRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO capture_trail (id, trail_sealed, expires_at) VALUES (?, ?, ?)",
            .id(record.id),
            .blob(record.trail.use { keys.seal($0, .captureTrail, for: record.id.text) }),
            .time(record.expiresAt))
    }

    /// Returns the trails that expire last, in descending order.
    public func newest(atMost count: Int) throws(StoreError) -> [CaptureTrailRecord] {
        try connection.rows(
            "SELECT id, trail_sealed, expires_at FROM capture_trail ORDER BY expires_at DESC, id LIMIT ?",
            .integer(Int64(count))
        )
        .map { row throws(StoreError) in
            let id: CaptureID = try row.identifier(0)
            return CaptureTrailRecord(
                id: id, trail: Sensitive(try keys.open(row.blob(1), .captureTrail, for: id.text)),
                expiresAt: try row.instant(2))
        }
    }

    /// Removes expired trails, and all but the newest `most` of the others: the trails that
    /// ``newest(atMost:)`` returns for `most` stay.
    ///
    /// - Returns: the number of removed trails, at most `count`.
    public func sweep(at now: Instant, keeping most: Int, atMost count: Int) throws(StoreError)
        -> Int
    {
        connection.leaveNoTrace()
        let expired = try connection.execute(
            "DELETE FROM capture_trail WHERE id IN (SELECT id FROM capture_trail WHERE expires_at <= ? LIMIT ?)",
            .time(now), .integer(Int64(count)))
        // The query walks the index past the rows that stay: 10 ms for 10,000 rows.
        return try expired
            + connection.execute(
                "DELETE FROM capture_trail WHERE id IN (SELECT id FROM capture_trail ORDER BY expires_at DESC, id LIMIT ? OFFSET ?)",
                .integer(Int64(count - expired)), .integer(Int64(most)))
    }
}
