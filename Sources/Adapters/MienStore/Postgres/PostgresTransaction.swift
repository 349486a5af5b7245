/// The statements of one job within a transaction. Used by one thread.
///
/// After a failed statement, PostgreSQL refuses all further ones of the transaction, while a body
/// may go on after a conflict. Such a body runs again with a savepoint before each statement, which
/// gives every statement the meaning it has in SQLite. Few bodies need it, so the others do not pay.
final class PostgresTransaction: SQLConnection {
    private let connection: PostgresConnection
    private let hasSavepoints: Bool
    /// Whether PostgreSQL runs the only query without a transaction around it.
    private let isSingle: Bool
    private var hasRun = false
    /// Conditions of the next statement.
    private var conditions: [PostgresCondition] = []
    /// The statement that failed, after which the transaction accepts no other one.
    private(set) var failure: PostgresFailure?
    /// Whether the body went on after it.
    private(set) var wentOn = false
    /// Whether it ran a statement that is not a query.
    private(set) var hasChanged = false
    /// Whether deleted data should leave no trace, and the tables that it was in.
    private(set) var leavesNoTrace = false
    private(set) var changedTables: Set<String> = []

    init(
        _ connection: PostgresConnection, hasSavepoints: Bool = false, isSingle: Bool = false
    ) {
        (self.connection, self.hasSavepoints) = (connection, hasSavepoints)
        self.isSingle = isSingle
    }

    var skippingLocked: String { "FOR UPDATE SKIP LOCKED" }

    func leaveNoTrace() { leavesNoTrace = true }

    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        try perform(sql, values).changed
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        try perform(sql, values).rows
    }

    func executeLater(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
        // A savepoint of its own, or a condition, needs the answer.
        guard failure == nil, !hasSavepoints, conditions.isEmpty else {
            _ = try execute(sql, values)
            return
        }
        connection.sendAhead(try query(sql, values))
    }

    /// Sends the query with the next statement.
    func require(nothing sql: String, _ values: [SQLValue], else error: StoreError) {
        conditions.append(PostgresCondition(sql: sql, values: values, error: error))
    }

    func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError) {
        precondition(payload.utf8.count <= StoreChannel.maxPayloadBytes, "the payload is too long")
        hasChanged = true
        _ = try rows(
            "SELECT pg_notify(?, ?)",
            [.text(PostgresListener.channel), .text("\(channel.name) \(payload)")])
    }

    private func perform(_ sql: String, _ values: [SQLValue]) throws(StoreError)
        -> PostgresAnswer
    {
        let query = try query(sql, values)
        if let failure {
            wentOn = true
            throw failure.storeError
        }
        precondition(!isSingle || !hasRun, "the body of readOne runs one query")
        hasRun = true
        let conditions = conditions
        self.conditions = []
        do throws(PostgresFailure) {
            if hasSavepoints { try connection.command("SAVEPOINT statement") }
            let answer = try connection.run(query, if: conditions)
            if hasSavepoints { try connection.command("RELEASE SAVEPOINT statement") }
            return answer
        } catch {
            if error.endsTransaction || !hasSavepoints || !isUndone() { failure = error }
            throw error.storeError
        }
    }

    private func query(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> PostgresQuery {
        for case .text(let text) in values where text.utf8.contains(0) {
            throw StoreError(.corrupt, "a string to be stored contains a NUL")
        }
        let query = PostgresQuery(PostgresText.shared.statement(sql), values)
        precondition(query.statement.values == values.count, "a statement has a value for each ?")
        if let changed = query.statement.changed { changedTables.insert(changed) }
        if !query.statement.isQuery { hasChanged = true }
        return query
    }

    /// Undoes the failed statement alone.
    private func isUndone() -> Bool {
        do throws(PostgresFailure) {
            try connection.command(
                "ROLLBACK TO SAVEPOINT statement; RELEASE SAVEPOINT statement")
            return true
        } catch { return false }
    }
}
