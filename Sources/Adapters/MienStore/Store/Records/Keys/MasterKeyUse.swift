internal import MienCore
public import MienVault

/// Which master keys the stored records need, and their move to the key in use.
public struct MasterKeyUse {
    let connection: any SQLConnection
    let keys: StoreKeys

    /// Where a pass over all records has come to. A new one starts from the beginning.
    public struct Position: Sendable, Hashable {
        var column = 0
        /// The key of the last row that was checked.
        var after: [SQLValue]?
        /// Whether the pass has seen every record.
        public var isAtEnd: Bool { column == SealedColumn.all.count }

        public init() {}
    }

    /// Seals records again that an earlier key sealed: looks at `atMost` rows after `position`, and
    /// moves it.
    ///
    /// A killed pass loses at most this transaction. The next one skips what has been done.
    /// - Returns: how many records were sealed again.
    public func reseal(from position: inout Position, atMost: Int) throws(StoreError) -> Int {
        guard !position.isAtEnd else { return 0 }
        let column = SealedColumn.all[position.column], names = column.key.joined(separator: ", ")
        let places = column.key.map { _ in "?" }.joined(separator: ", ")
        let rows = try connection.rows(
            """
            SELECT \(names), \(column.column) FROM \(column.table)
            WHERE \(column.rows) \(position.after == nil ? "" : "AND (\(names)) > (\(places))") ORDER BY \(names) LIMIT ?
            """, (position.after ?? []) + [.integer(Int64(atMost))])
        var count = 0
        for row in rows {
            let key = column.key.indices.map { row[$0] }
            position.after = key
            guard let record = try row.optionalBlob(column.key.count), !record.isEmpty else {
                continue
            }
            // A damaged record stays as it is, and keeps its key from being removed.
            guard
                let sealed = try? keys.current(record, column.purpose, for: column.identity(key)),
                sealed != record
            else { continue }
            try connection.execute(
                "UPDATE \(column.table) SET \(column.column) = ? WHERE (\(names)) = (\(places))",
                [.blob(sealed)] + key)
            count += 1
        }
        if rows.count < atMost { (position.column, position.after) = (position.column + 1, nil) }
        return count
    }

    /// Returns how many records each key has sealed. Keys without records are left out.
    public func counts() throws(StoreError) -> [SealedKeyName: Int] {
        var counts: [SealedKeyName: Int] = [:]
        for column in SealedColumn.all {
            let rows = try connection.rows(
                """
                SELECT substr(\(column.column), 9, 12), COUNT(*) FROM \(column.table)
                WHERE \(column.rows) AND length(\(column.column)) >= 20 GROUP BY substr(\(column.column), 9, 12)
                """)
            for row in rows {
                guard let name = SealedKeyName(bytes: try row.blob(0)) else { continue }
                counts[name, default: 0] += Int(try row.integer(1))
            }
        }
        return counts
    }
}
