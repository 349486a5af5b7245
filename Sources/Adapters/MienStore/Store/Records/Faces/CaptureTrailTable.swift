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
///
/// A trail is found by keyed hashes of small parts of its frames' hashes, its bands, so that a
/// capture is compared with few others. Without the master key, the hashes do not show a frame. They
/// do show how many bands two captures share, and so how alike some of their frames are.
public struct CaptureTrailTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    /// The number of values in one statement.
    private static let valuesAtOnce = 400

    /// Stores a trail under its bands, unless the capture has one.
    public func insert(_ record: CaptureTrailRecord, bands: Set<UInt32> = []) throws(StoreError) {
        let number = try ChangeVersionTable(connection: connection).grow(.captureTrails)
        let isNew =
            try connection.execute(
                """
                INSERT INTO capture_trail (id, trail_sealed, expires_at, number) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO NOTHING
                """, .id(record.id),
                .blob(record.trail.use { keys.seal($0, .captureTrail, for: record.id.text) }),
                .time(record.expiresAt), .integer(number)) == 1
        if isNew { try store(bands, of: number) }
    }

    /// The number of the trail that was stored last.
    public func last() throws(StoreError) -> Int64 {
        try ChangeVersionTable(connection: connection).version(of: .captureTrails)
    }

    /// Returns the trails that were stored under one of `bands`.
    public func stored(under bands: Set<UInt32>) throws(StoreError) -> [CaptureTrailRecord] {
        var numbers: Set<Int64> = []
        for codes in codes(of: bands).chunks(of: Self.valuesAtOnce) {
            let places = codes.map { _ in "?" }.joined(separator: ", ")
            for row in try connection.rows(
                "SELECT DISTINCT number FROM capture_trail_band WHERE code IN (\(places))",
                codes.map { .integer($0) })
            { numbers.insert(try row.integer(0)) }
        }
        var found: [CaptureTrailRecord] = []
        for numbers in numbers.sorted().chunks(of: Self.valuesAtOnce) {
            let places = numbers.map { _ in "?" }.joined(separator: ", ")
            found += try records("number IN (\(places))", numbers.map { .integer($0) })
        }
        return found
    }

    /// Returns the trails that were stored after the one with `number`.
    public func stored(after number: Int64) throws(StoreError) -> [CaptureTrailRecord] {
        try records("number > ?", [.integer(number)])
    }

    /// Returns the trails that expire last, in descending order.
    public func newest(atMost count: Int) throws(StoreError) -> [CaptureTrailRecord] {
        try records("1 = 1 ORDER BY expires_at DESC, id LIMIT ?", [.integer(Int64(count))])
    }

    private func store(_ bands: Set<UInt32>, of number: Int64) throws(StoreError) {
        for codes in codes(of: bands).chunks(of: Self.valuesAtOnce / 2) {
            let places = codes.map { _ in "(?, ?)" }.joined(separator: ", ")
            try connection.execute(
                "INSERT INTO capture_trail_band (code, number) VALUES \(places)",
                codes.flatMap { [.integer($0), .integer(number)] })
        }
    }

    /// The keyed hashes of bands, in order.
    private func codes(of bands: Set<UInt32>) -> [Int64] {
        Set(bands.map { keys.code(ofTrailBand: $0) }).sorted()
    }

    private func records(_ condition: String, _ values: [SQLValue]) throws(StoreError)
        -> [CaptureTrailRecord]
    {
        try connection.rows(
            "SELECT id, trail_sealed, expires_at FROM capture_trail WHERE \(condition)", values
        ).map { row throws(StoreError) in
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

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
