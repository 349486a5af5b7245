internal import Dispatch
internal import Foundation
internal import MienCore
internal import MienStore
internal import MienThreads

/// Removes deleted rows from PostgreSQL's files soon after the deletion, as far as PostgreSQL can:
/// with VACUUM of the tables that held them. “Erased data” in docs/spec/storage.md says what
/// remains, and for how long.
///
/// The deleting transaction notes the tables in ``PostgresTraces``, so that another server, or the next
/// start, does it if this one dies in between.
final class PostgresCleaner: Sendable {
    /// The minimum time between two passes over tables.
    private static let pause = Duration.seconds(10)
    /// How often it looks for what a server has left that died.
    private static let round = Duration.seconds(600)

    private enum Pass { case nothing, done, failed }

    private struct State {
        var isAsked = true
        var isStopped = false
    }

    private let settings: PostgresSettings
    private let state = Locked(State())
    /// Has been signaled for each call since the thread last waited.
    private let call = DispatchSemaphore(value: 0)

    /// Begins with what was left behind. The database has the tables of transactions.
    init(_ settings: PostgresSettings) {
        self.settings = settings
        WorkerThread.required(name: "mien.pg.clean") { [self] in work() }.detach()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        call.signal()
    }

    /// Asks for a pass over the tables that are noted.
    func clean() {
        state.withLock { $0.isAsked = true }
        call.signal()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func work() {
        while !isStopped {
            let isAsked = state.withLock { state in
                defer { state.isAsked = false }
                return state.isAsked
            }
            guard isAsked else {
                if call.wait(timeout: .now() + .seconds(Int(Self.round.components.seconds)))
                    == .timedOut
                {
                    state.withLock { $0.isAsked = true }
                }
                continue
            }
            switch Self.pass(settings) {
            case .nothing: continue
            case .done: break
            // Has its turn again after a pause.
            case .failed: state.withLock { $0.isAsked = true }
            }
            // Most deletions come in batches.
            let end = ContinuousClock.now + Self.pause
            while .now < end, !isStopped { Thread.sleep(.milliseconds(250)) }
        }
    }

    /// Vacuums the tables that are noted, and those whose rows were deleted with theirs.
    ///
    /// - Returns: `failed` if PostgreSQL could not be reached, or another server vacuums one of them,
    ///   perhaps since before the last deletion.
    private static func pass(_ settings: PostgresSettings) -> Pass {
        do throws(PostgresFailure) {
            let connection = try PostgresConnection(settings)
            try connection.waitAsLongAsItTakes()
            try connection.command(
                "SET lock_timeout = \(settings.lockTimeout.milliseconds)")
            let traces = PostgresTraces(connection)
            let horizon = try traces.horizon(), tables = try traces.tables()
            if tables.isEmpty { return .nothing }
            for name in try affected(by: tables, connection) {
                try connection.command("VACUUM \(name)")
            }
            try traces.forget(before: horizon)
            // Of transactions that have been committed since.
            return try traces.tables().isEmpty ? .done : .failed
        } catch { return .failed }
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
