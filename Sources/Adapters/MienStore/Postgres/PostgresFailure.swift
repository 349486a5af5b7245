/// A failed statement or connection, without statement and values, which may be personal.
struct PostgresFailure: Error {
    /// PostgreSQL's code of five characters, such as `40001`; empty if the server sent none.
    let state: String
    /// The words for an operator.
    let reason: String
    /// Whether the connection can no longer be used.
    let isLost: Bool
    /// Whether what failed was sent ahead of a statement, such as the transaction's begin.
    var isAhead = false
    /// The error that the caller gets because a condition of the statement was not met.
    private(set) var unmet: StoreError?

    /// The server's own words for these classes name no stored value; those for wrong data and
    /// violated constraints do.
    private static let harmless: Set<String> = [
        "08", "0A", "25", "28", "3D", "42", "53", "55", "57", "58",
    ]

    /// - Parameters:
    ///   - message: The server's primary message.
    ///   - constraint: The name of the violated constraint.
    init(state: String, message: String, constraint: String, isLost: Bool) {
        (self.state, self.isLost) = (state, isLost)
        let words =
            state.isEmpty || Self.harmless.contains(String(state.prefix(2)))
            ? message.split(whereSeparator: \.isWhitespace).joined(separator: " ") : ""
        let name = constraint.isEmpty ? "" : " (\(constraint))"
        let found =
            state.isEmpty
            ? "PostgreSQL: \(words)"
            : "PostgreSQL error \(state)\(name)\(words.isEmpty ? "" : ": \(words)")"
        reason = Self.isOfPooler(state, words) ? "\(found). \(Self.pooler)" : found
    }

    private static let pooler =
        "A pooler such as PgBouncer seems to give this connection another session for each transaction. Connect to PostgreSQL itself, or set the pooler's pool_mode to session"

    /// Whether a session lost its prepared statements, or has those of another client, or did not
    /// begin as it was asked to.
    private static func isOfPooler(_ state: String, _ words: String) -> Bool {
        state == "26000" || state == "42P05" || words.contains("unsupported startup parameter")
            || words.contains("query_wait_timeout")
    }

    /// A condition was not met, for which the caller gets `error`.
    init(unmet error: StoreError) {
        (state, reason, isLost, unmet) = ("", error.reason, false, error)
    }

    /// Whether running the transaction again may succeed: it lost against another one.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// Whether the server's prepared statements no longer fit: another server changed the schema.
    var isOutdatedStatement: Bool {
        state == "26000" || (state == "0A000" && reason.contains("cached plan"))
    }

    /// Whether the whole transaction has to run again.
    var endsTransaction: Bool { isLost || isConflict || isOutdatedStatement || isAhead }

    /// Whether a lock was held for too long, or the statement ran for too long.
    var isTimeout: Bool { state == "55P03" || state == "57014" }

    /// The error that the caller gets.
    var storeError: StoreError {
        if let unmet { return unmet }
        return switch state {
        case "23503": StoreError(.stale, "a referenced row no longer exists")
        case _ where state.hasPrefix("23"):
            StoreError(.conflict, "a database constraint failed: \(reason)")
        case _ where isConflict || isTimeout || state == "53300":
            StoreError(.busy, reason)
        // The disk is full, an operation on a file failed, or the server is a standby.
        case "53100", "58030", "25006": StoreError(.unwritable, reason)
        default: StoreError(.unreachable, reason)
        }
    }
}
