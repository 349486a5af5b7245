internal import MienStore

/// The statements of one job within a transaction. Used by one thread.
///
/// After a failed statement, PostgreSQL refuses all further ones of the transaction, while a body
/// may go on after a conflict. Such a body runs again with a savepoint before each statement, which
/// gives every statement the meaning it has in SQLite. Few bodies need it, so the others do not pay.
final class PostgresTransaction: SQLConnection {
    private let connection: PostgresConnection
    private let hasSavepoints: Bool
    /// The statement that failed, after which the transaction accepts no other one.
    private(set) var failure: PostgresFailure?
    /// Whether the body went on after it.
    private(set) var wentOn = false
    /// Whether deleted data should leave no trace, and the tables that it was in.
    private(set) var leavesNoTrace = false
    private(set) var changedTables: Set<String> = []

    init(_ connection: PostgresConnection, hasSavepoints: Bool = false) {
        (self.connection, self.hasSavepoints) = (connection, hasSavepoints)
    }

    var skippingLocked: String { "FOR UPDATE SKIP LOCKED" }

    func leaveNoTrace() { leavesNoTrace = true }

    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        try perform(sql, values) { statement throws(PostgresFailure) in
            try connection.execute(statement, values)
        }
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        try perform(sql, values) { statement throws(PostgresFailure) in
            try connection.rows(statement, values)
        }
    }

    func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError) {
        precondition(payload.utf8.count <= StoreChannel.maxPayloadBytes, "the payload is too long")
        _ = try rows(
            "SELECT pg_notify(?, ?)",
            [.text(PostgresListener.channel), .text("\(channel.name) \(payload)")])
    }

    private func perform<Output>(
        _ sql: String, _ values: [SQLValue],
        _ body: (PostgresText.Statement) throws(PostgresFailure) -> Output
    ) throws(StoreError) -> Output {
        for case .text(let text) in values where text.utf8.contains(0) {
            throw StoreError(.corrupt, "a string to be stored contains a NUL")
        }
        if let failure {
            wentOn = true
            throw failure.storeError
        }
        let statement = PostgresText.shared.statement(sql)
        precondition(statement.values == values.count, "a statement has a value for each ?")
        if let changed = statement.changed { changedTables.insert(changed) }
        do throws(PostgresFailure) {
            if hasSavepoints { try connection.command("SAVEPOINT statement") }
            let output = try body(statement)
            if hasSavepoints { try connection.command("RELEASE SAVEPOINT statement") }
            return output
        } catch {
            if error.endsTransaction || !hasSavepoints || !isUndone() { failure = error }
            throw error.storeError
        }
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
