internal import Crypto

/// Reads a table's rows in the order of its primary key, a page at a time, and computes a hash of
/// all of them.
///
/// The same rows have the same hash in every database: SHA-256 over each row in this order, each
/// value as one byte for its type (0 null, 1 integer, 2 real, 3 text, 4 bytes), its length in bytes
/// as 8 bytes big-endian, and its bytes: integers and reals as 8 bytes big-endian, text as UTF-8.
struct TableReader {
    private static let page = 1_000

    private let connection: any SQLConnection
    private let table: TableShape
    private var rows: ArraySlice<SQLRow> = []
    private var last: [SQLValue]?
    private var isAtEnd = false
    private var hash = SHA256()
    private(set) var count = 0

    init(_ connection: any SQLConnection, _ table: TableShape) {
        (self.connection, self.table) = (connection, table)
    }

    /// The hash of the rows read so far.
    var sha256: [UInt8] { Array(hash.finalize()) }

    /// Returns the next row without consuming it; `nil` at the end.
    mutating func peek() throws(StoreError) -> SQLRow? {
        if rows.isEmpty, !isAtEnd {
            let names = table.key.joined(separator: ", ")
            let places = table.key.map { _ in "?" }.joined(separator: ", ")
            let after = last.map { _ in "WHERE (\(names)) > (\(places))" } ?? ""
            let found = try connection.rows(
                "SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name) \(after) ORDER BY \(names) LIMIT \(Self.page)",
                last ?? [])
            rows = found[...]
            isAtEnd = found.count < Self.page
            if let row = found.last { last = key(of: row) }
        }
        return rows.first
    }

    /// Consumes the row that ``peek()`` returned.
    mutating func advance() {
        guard let row = rows.popFirst() else { return }
        count += 1
        for index in table.columns.indices { Self.add(row[index], to: &hash) }
    }

    func key(of row: SQLRow) -> [SQLValue] { table.keyPositions.map { row[$0] } }

    private static func add(_ value: SQLValue, to hash: inout SHA256) {
        let (type, bytes): (UInt8, [UInt8]) =
            switch value {
            case .null: (0, [])
            case .integer(let value): (1, big(UInt64(bitPattern: value)))
            case .real(let value): (2, big(value.bitPattern))
            case .text(let value): (3, Array(value.utf8))
            case .blob(let value): (4, value)
            }
        hash.update(data: [type] + big(UInt64(bytes.count)) + bytes)
    }

    private static func big(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }
}

extension SQLValue {
    /// Whether this key's value comes before another one, as databases order them: bytes and text
    /// byte by byte.
    func precedes(_ other: SQLValue) -> Bool {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
        case (.null, .null): false
        case (.null, _): true
        default: false
        }
    }
}
