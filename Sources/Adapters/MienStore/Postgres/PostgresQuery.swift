internal import SystemPostgres

/// A statement with its values.
struct PostgresQuery {
    let statement: PostgresText.Statement
    let values: [SQLValue]
    /// The types of the values; 0 lets PostgreSQL find that of a null.
    let types: [UInt32]
    /// Whether the answer is text, and not rows in the binary format.
    var isCommand = false

    init(_ statement: PostgresText.Statement, _ values: [SQLValue]) {
        (self.statement, self.values, types) = (statement, values, values.map(\.type))
    }

    /// A command without values, whose answer is text.
    static func command(_ sql: String) -> PostgresQuery {
        var query = PostgresQuery(
            PostgresText.Statement(text: sql, values: 0, isKept: true, changed: nil), [])
        query.isCommand = true
        return query
    }

    init(_ sql: String, _ values: SQLValue...) {
        self.init(PostgresText.shared.statement(sql), values)
    }

    typealias Values = UnsafePointer<UnsafePointer<CChar>?>?

    /// Lends the number of values, their types, the values in PostgreSQL's binary form, their lengths
    /// in bytes, and the mark of that form for each.
    func withValues<Result>(
        _ body: (
            Int32, UnsafePointer<Oid>?, Values, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        var bytes: [UInt8] = [], ends: [Int] = []
        for value in values {
            value.append(to: &bytes)
            ends.append(bytes.count)
        }
        // An empty value still needs an address; a null one has none.
        bytes.append(0)
        let starts = [0] + ends.dropLast()
        let lengths = zip(starts, ends).map { Int32($1 - $0) }
        let formats = [Int32](repeating: 1, count: values.count)
        return unsafe bytes.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
            let addresses = unsafe zip(values, starts).map { value, start in
                unsafe value == .null ? nil : base + start
            }
            return unsafe addresses.withUnsafeBufferPointer { addresses in
                unsafe types.withUnsafeBufferPointer { types in
                    unsafe lengths.withUnsafeBufferPointer { lengths in
                        unsafe formats.withUnsafeBufferPointer { formats in
                            unsafe body(
                                Int32(values.count), types.baseAddress, addresses.baseAddress,
                                lengths.baseAddress, formats.baseAddress)
                        }
                    }
                }
            }
        }
    }
}

/// A query that must find nothing, or the statement after it fails with `error`.
struct PostgresCondition {
    let sql: String
    let values: [SQLValue]
    let error: StoreError

    /// Returns a query that finds the indices of the conditions that are not met.
    static func unmet(_ conditions: [PostgresCondition]) -> PostgresQuery {
        let parts = conditions.enumerated().map { "SELECT \($0) WHERE EXISTS (\($1.sql))" }
        return PostgresQuery(
            PostgresText.shared.statement(parts.joined(separator: " UNION ALL ")),
            conditions.flatMap(\.values))
    }
}
