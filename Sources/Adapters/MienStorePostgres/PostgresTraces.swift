internal import MienStore

/// The tables with deleted data that should leave no trace: a row for each, written by the transaction
/// that deletes, until the table has been vacuumed.
struct PostgresTraces {
    static let table = "store_trace"

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Returns the statement that notes tables.
    static func note(_ tables: Set<String>) -> PostgresQuery {
        PostgresQuery(
            "INSERT INTO store_trace (name) SELECT unnest(string_to_array(?, ' '))",
            .text(tables.sorted().joined(separator: " ")))
    }

    /// The number below which all transactions have ended.
    func horizon() throws(PostgresFailure) -> String {
        try connection.text("SELECT pg_snapshot_xmin(pg_current_snapshot())")
    }

    func tables() throws(PostgresFailure) -> Set<String> {
        let rows = try connection.run(PostgresQuery("SELECT DISTINCT name FROM store_trace")).rows
        return Set(rows.compactMap { if case .text(let name) = $0[0] { name } else { nil } })
    }

    /// Forgets what transactions have noted whose number is below `horizon`.
    func forget(before horizon: String) throws(PostgresFailure) {
        _ = try connection.run(
            PostgresQuery(
                "DELETE FROM store_trace WHERE transaction < CAST(? AS xid8)", .text(horizon)))
    }

    /// Creates the table unless it exists. Several servers may do so at once.
    static func create(_ connection: PostgresConnection) throws(PostgresFailure) {
        try connection.create(
            table,
            """
            CREATE TABLE IF NOT EXISTS \(table) \
            (transaction xid8 NOT NULL DEFAULT pg_current_xact_id(), name TEXT NOT NULL)
            """)
    }
}

extension PostgresConnection {
    /// Creates a table that is the driver's own, and not one of the migrations'.
    func create(_ table: String, _ statement: String) throws(PostgresFailure) {
        guard try text("SELECT to_regclass('\(table)') IS NULL") == "t" else { return }
        try command(
            "BEGIN; SELECT pg_advisory_xact_lock(\(PostgresWorker.schemaLock)); \(statement); COMMIT"
        )
    }
}
