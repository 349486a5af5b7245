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

    /// The number of a transaction so that VACUUM removes what those with a lower number have deleted:
    /// they have ended, and no session of this database reads what was there before.
    func horizon() throws(PostgresFailure) -> String {
        // PostgreSQL shows a role the snapshots of its own sessions only.
        try connection.text(
            """
            SELECT LEAST(
              CAST(CAST(pg_snapshot_xmin(s) AS text) AS bigint),
              CAST(CAST(pg_snapshot_xmax(s) AS text) AS bigint) - (
                SELECT max(age(backend_xmin)) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()))
            FROM pg_current_snapshot() s
            """)
    }

    func tables() throws(PostgresFailure) -> Set<String> {
        let rows = try connection.run(PostgresQuery("SELECT DISTINCT name FROM store_trace")).rows
        return Set(rows.compactMap { if case .text(let name) = $0[0] { name } else { nil } })
    }

    /// Forgets what transactions have noted of a table whose number is below `horizon`, or which the
    /// database has not had yet: they came with a dump of another one, which has no deleted rows.
    func forget(_ table: String, before horizon: String) throws(PostgresFailure) {
        _ = try connection.run(
            PostgresQuery(
                """
                DELETE FROM store_trace WHERE name = ? AND (transaction < CAST(? AS xid8)
                  OR transaction >= pg_snapshot_xmax(pg_current_snapshot()))
                """, .text(table), .text(horizon)))
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
