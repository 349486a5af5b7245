/// A column's value, of one of the five types that SQLite and PostgreSQL share.
public enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(nilLiteral: ()) { self = .null }
}

/// A row, with columns in the statement's order.
public struct SQLRow: Sendable {
    private let values: [SQLValue]

    public init(_ values: [SQLValue]) { self.values = values }

    public subscript(index: Int) -> SQLValue { values[index] }

    /// - Throws: ``StoreError`` `.corrupt` if the column has another type. The message does not
    ///   contain the value.
    public func integer(_ index: Int) throws(StoreError) -> Int64 {
        guard case .integer(let value) = values[index] else { throw corrupt(index, "an integer") }
        return value
    }

    public func text(_ index: Int) throws(StoreError) -> String {
        guard case .text(let value) = values[index] else { throw corrupt(index, "a text") }
        return value
    }

    public func blob(_ index: Int) throws(StoreError) -> [UInt8] {
        switch values[index] {
        case .blob(let value): return value
        default: throw corrupt(index, "bytes")
        }
    }

    public func optionalInteger(_ index: Int) throws(StoreError) -> Int64? {
        values[index] == .null ? nil : try integer(index)
    }
    public func optionalText(_ index: Int) throws(StoreError) -> String? {
        values[index] == .null ? nil : try text(index)
    }
    public func optionalBlob(_ index: Int) throws(StoreError) -> [UInt8]? {
        values[index] == .null ? nil : try blob(index)
    }

    private func corrupt(_ index: Int, _ expected: String) -> StoreError {
        StoreError(.corrupt, "column \(index) of a row does not hold \(expected)")
    }
}
