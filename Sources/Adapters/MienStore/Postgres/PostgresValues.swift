internal import Foundation
internal import SystemPostgres

/// The types that PostgreSQL and ``SQLValue`` share. Source: PostgreSQL's `pg_type.dat`.
private enum TypeID {
    static let bool: UInt32 = 16, bytea: UInt32 = 17, name: UInt32 = 19, int8: UInt32 = 20,
        int2: UInt32 = 21, int4: UInt32 = 23, text: UInt32 = 25, oid: UInt32 = 26,
        float4: UInt32 = 700, float8: UInt32 = 701, unknown: UInt32 = 705, char: UInt32 = 1042,
        varchar: UInt32 = 1043, numeric: UInt32 = 1700, void: UInt32 = 2278
}

extension SQLValue {
    /// The type of a parameter; 0 lets PostgreSQL find that of a null.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .integer: TypeID.int8
        case .real: TypeID.float8
        case .text: TypeID.text
        case .blob: TypeID.bytea
        }
    }

    /// Appends the binary form: integers and reals big-endian.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: break
        case .integer(let value):
            unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        case .real(let value):
            unsafe withUnsafeBytes(of: value.bitPattern.bigEndian) {
                unsafe bytes.append(contentsOf: $0)
            }
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .blob(let value): bytes.append(contentsOf: value)
        }
    }
}

/// The result of a statement.
@safe struct PostgresResult: ~Copyable {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe PQclear(raw) }

    /// The answer to a statement that returns rows in the binary format.
    func answer() throws(PostgresFailure) -> PostgresAnswer {
        do throws(StoreError) {
            return PostgresAnswer(
                tag: tag, changed: unsafe Int(String(cString: PQcmdTuples(raw))) ?? 0,
                rows: try rows())
        } catch {
            throw PostgresFailure(
                state: "", message: error.reason, constraint: "", isLost: false)
        }
    }

    /// The answer to a command, in the text format.
    func acknowledgment() -> PostgresAnswer { PostgresAnswer(tag: tag, text: text) }

    private var tag: String { unsafe String(cString: PQcmdStatus(raw)) }
    /// The first column of the first row, in a text format.
    var text: String {
        unsafe PQntuples(raw) > 0 ? unsafe String(cString: PQgetvalue(raw, 0, 0)) : ""
    }

    /// - Returns: `nil` if the statement succeeded.
    func failure(isLost: Bool) -> PostgresFailure? {
        switch unsafe PQresultStatus(raw) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return nil
        default:
            let state = field("C")
            // Errors of libpq have no code; those of the classes 08 and 57P end the connection.
            let ends = state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P")
            return PostgresFailure(
                state: state,
                message: state.isEmpty
                    ? unsafe String(cString: PQresultErrorMessage(raw)) : field("M"),
                constraint: field("n"), isLost: isLost || ends)
        }
    }

    /// A field of an error, by its letter in the protocol.
    private func field(_ letter: Character) -> String {
        unsafe PQresultErrorField(raw, Int32(letter.asciiValue!)).map {
            unsafe String(cString: $0)
        } ?? ""
    }

    private func rows() throws(StoreError) -> [SQLRow] {
        let count = unsafe PQntuples(raw), columns = unsafe PQnfields(raw)
        let types = (0..<columns).map { unsafe PQftype(raw, $0) }
        var rows: [SQLRow] = []
        rows.reserveCapacity(Int(count))
        for row in 0..<count {
            var values: [SQLValue] = []
            values.reserveCapacity(Int(columns))
            for column in 0..<columns {
                values.append(try value(row, column, types[Int(column)]))
            }
            rows.append(SQLRow(values))
        }
        return rows
    }

    private func value(_ row: Int32, _ column: Int32, _ type: UInt32) throws(StoreError)
        -> SQLValue
    {
        if unsafe PQgetisnull(raw, row, column) == 1 { return .null }
        let bytes = unsafe Array(
            UnsafeRawBufferPointer(
                start: PQgetvalue(raw, row, column), count: Int(PQgetlength(raw, row, column))))
        guard let value = SQLValue(bytes, type) else {
            throw StoreError(
                .corrupt, "column \(column) of a row has a type or value that Mien does not use")
        }
        return value
    }
}

extension SQLValue {
    /// Reads the binary form of a value.
    init?(_ bytes: [UInt8], _ type: UInt32) {
        switch type {
        case TypeID.int8, TypeID.int4, TypeID.int2:
            guard let first = bytes.first else { return nil }
            // Begin with the sign.
            self = .integer(
                bytes.reduce(first & 0x80 == 0 ? 0 : -1) { $0 << 8 | Int64($1) })
        case TypeID.oid: self = .integer(bytes.reduce(0) { $0 << 8 | Int64($1) })
        case TypeID.bool: self = .integer(bytes == [1] ? 1 : 0)
        case TypeID.bytea: self = .blob(bytes)
        case TypeID.text, TypeID.varchar, TypeID.char, TypeID.name, TypeID.unknown:
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self = .text(text)
        case TypeID.float8:
            self = .real(
                Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        case TypeID.float4:
            self = .real(
                Double(Float(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })))
        case TypeID.numeric:
            guard let value = Self.numeric(bytes) else { return nil }
            self = value
        case TypeID.void: self = .null
        default: return nil
        }
    }

    /// Reads what sums of integers are. Source: `numeric_send` in PostgreSQL: the number of digits
    /// to the base 10,000, the weight of the first, the sign, the scale, the digits.
    private static func numeric(_ bytes: [UInt8]) -> SQLValue? {
        guard bytes.count >= 8, bytes.count % 2 == 0 else { return nil }
        let words = stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        let weight = Int(Int16(bitPattern: words[1])), digits = words[4...]
        guard digits.count == Int(words[0]), [0, 0x4000].contains(words[2]) else { return nil }
        let sign: Int64 = words[2] == 0 ? 1 : -1
        // A whole number that fits.
        if digits.count <= weight + 1, weight <= 4 || digits.isEmpty {
            var value: Int64 = 0
            for place in 0..<max(0, weight + 1) {
                let digit = place < digits.count ? Int64(digits[digits.startIndex + place]) : 0
                let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10_000)
                let (sum, overflows) = product.addingReportingOverflow(sign * digit)
                if isTooLarge || overflows { return nil }
                value = sum
            }
            return .integer(value)
        }
        var value = 0.0
        for (place, digit) in digits.enumerated() {
            value += Double(digit) * pow(10_000, Double(weight - place))
        }
        return .real(Double(sign) * value)
    }
}
