internal import Synchronization

/// Statements with `?` for values, as PostgreSQL writes them: `$1`, `$2`, ….
final class PostgresText: Sendable {
    /// A translated statement.
    struct Statement: Sendable, Hashable {
        /// Distinguishes statements at less cost than their text.
        var id = 0
        let text: String
        /// The number of values.
        let values: Int
        /// Whether a connection keeps it prepared. A change of the schema runs once.
        let isKept: Bool
        /// Whether it only reads.
        var isQuery = false
        /// The table that it deletes from or updates, also as the other half of an insertion.
        let changed: String?
    }

    /// Statements are constants of the program, and some lists of `?` have varying lengths.
    private static let maxKept = 4_096
    /// Statements with more values insert many rows at once; each may be another one, because nulls
    /// have no type.
    private static let maxPreparedValues = 100
    private let known = Mutex<(statements: [String: Statement], lastID: Int)>(([:], 0))

    static let shared = PostgresText()

    func statement(_ sql: String) -> Statement {
        if let statement = known.withLock({ $0.statements[sql] }) { return statement }
        return numbered(Self.translate(sql), for: sql)
    }

    private func numbered(_ statement: Statement, for sql: String) -> Statement {
        known.withLock { known in
            if known.statements.count >= Self.maxKept { known.statements.removeAll() }
            known.lastID += 1
            var statement = statement
            statement.id = known.lastID
            known.statements[sql] = statement
            return statement
        }
    }

    /// Replaces each `?` outside of literals, quoted names, and comments.
    static func translate(_ sql: String) -> Statement {
        var output: [UInt8] = [], values = 0
        output.reserveCapacity(sql.utf8.count + 16)
        let input = Array(sql.utf8)
        var index = 0
        /// Copies up to and including the first `end` from `start` on.
        func copy(from start: Int, through end: [UInt8]) {
            var last = start
            while last < input.count, !input[last...].starts(with: end) { last += 1 }
            last = min(input.count, last + end.count)
            output += input[index..<last]
            index = last
        }
        while index < input.count {
            switch input[index] {
            case UInt8(ascii: "?"):
                values += 1
                output += "$\(values)".utf8
                index += 1
            // A doubled quote ends one literal and begins the next, which comes to the same.
            case UInt8(ascii: "'"): copy(from: index + 1, through: [UInt8(ascii: "'")])
            case UInt8(ascii: "\""): copy(from: index + 1, through: [UInt8(ascii: "\"")])
            case UInt8(ascii: "-") where input[index...].starts(with: Array("--".utf8)):
                copy(from: index, through: [UInt8(ascii: "\n")])
            case UInt8(ascii: "/") where input[index...].starts(with: Array("/*".utf8)):
                copy(from: index + 2, through: Array("*/".utf8))
            case let byte:
                output.append(byte)
                index += 1
            }
        }
        let words = sql.split(maxSplits: 3, whereSeparator: \.isWhitespace).prefix(3).map(
            String.init)
        let verb = words.first?.uppercased() ?? ""
        let changed: String? =
            switch verb {
            case "DELETE" where words.count > 2: words[2]
            case "UPDATE" where words.count > 1: words[1]
            case "INSERT" where words.count > 2 && sql.contains("DO UPDATE"): words[2]
            default: nil
            }
        return Statement(
            text: String(decoding: output, as: UTF8.self), values: values,
            isKept: ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(verb)
                && values <= maxPreparedValues,
            isQuery: verb == "SELECT", changed: changed)
    }
}
