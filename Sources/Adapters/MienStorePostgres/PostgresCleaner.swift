internal import Foundation
internal import MienCore
internal import MienStore
internal import MienThreads

/// Removes deleted rows from PostgreSQL's files soon after the deletion, as far as PostgreSQL can:
/// with VACUUM of the tables that held them. “Erased data” in docs/spec/storage.md says what
/// remains, and for how long.
final class PostgresCleaner: Sendable {
    /// The minimum time between two passes.
    private static let pause = Duration.seconds(10)

    private struct State {
        var tables: Set<String> = []
        var isRunning = false
        var isStopped = false
    }

    private let settings: PostgresSettings
    private let state = Locked(State())

    init(_ settings: PostgresSettings) { self.settings = settings }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Requests a pass over `tables` and those whose rows were deleted with theirs.
    func clean(_ tables: Set<String>) {
        let starts = state.withLock { state in
            state.tables.formUnion(tables)
            guard !state.isRunning, !state.isStopped else { return false }
            state.isRunning = true
            return true
        }
        guard starts else { return }
        WorkerThread.required(name: "mien.pg.clean") { [self] in
            while let tables = next() {
                // Those that failed have their turn again after a pause.
                let failed = Self.vacuum(tables, settings)
                state.withLock { $0.tables.formUnion(failed) }
                // Most deletions come in batches.
                var waited = Duration.zero
                while waited < Self.pause, !state.withLock({ $0.isStopped }) {
                    Thread.sleep(.milliseconds(250))
                    waited += .milliseconds(250)
                }
            }
        }.detach()
    }

    private func next() -> Set<String>? {
        state.withLock { state in
            if state.tables.isEmpty || state.isStopped {
                state.isRunning = false
                return nil
            }
            defer { state.tables = [] }
            return state.tables
        }
    }

    /// Vacuums tables and those whose rows were deleted with theirs.
    ///
    /// - Returns: the tables of `tables` that must be vacuumed again: PostgreSQL could not be reached,
    ///   or another server vacuums one of them, perhaps since before the last deletion.
    private static func vacuum(_ tables: Set<String>, _ settings: PostgresSettings) -> Set<String> {
        do throws(PostgresFailure) {
            let connection = try PostgresConnection(settings)
            try connection.waitAsLongAsItTakes()
            try connection.command(
                "SET lock_timeout = \(settings.lockTimeout.milliseconds)")
            for name in try affected(by: tables, connection) {
                try connection.command("VACUUM \(name)")
            }
            return []
        } catch { return tables }
    }

    private static func affected(by tables: Set<String>, _ connection: PostgresConnection)
        throws(PostgresFailure) -> [String]
    {
        let places = tables.map { _ in "?" }.joined(separator: ", ")
        let names = try connection.run(
            PostgresQuery(
                PostgresText.shared.statement(
                    """
                    WITH RECURSIVE affected (id) AS (
                      SELECT c.oid FROM pg_class c WHERE c.relkind = 'r' AND c.oid IN (SELECT to_regclass(n) FROM (VALUES (\(places
                    .replacing(", ", with: "), (")))) v (n))
                      UNION SELECT r.conrelid FROM pg_constraint r JOIN affected a ON r.confrelid = a.id
                      WHERE r.contype = 'f' AND r.confdeltype = 'c')
                    SELECT quote_ident(c.relname) FROM affected a JOIN pg_class c ON c.oid = a.id
                    """), tables.map { .text($0) })
        ).rows
        return names.compactMap { if case .text(let name) = $0[0] { name } else { nil } }
    }
}
