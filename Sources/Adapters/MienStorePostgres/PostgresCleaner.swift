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
    /// The time before the first pass, so that commands that soon end vacuum nothing; and before each
    /// further one, until the reads that began before the deletion have ended.
    private static let start = Duration.seconds(3), delay = Duration.seconds(1)
    /// The minimum time between two passes over tables. Most deletions come in batches.
    private static let pause = Duration.seconds(10)
    /// How often it looks for tables that a dead server has noted, and the longest pause between passes
    /// that achieve nothing.
    private static let round = Duration.seconds(600)

    private enum Pass {
        /// No table is noted.
        case nothing
        case done
        /// Something is still noted, or PostgreSQL could not be reached.
        case again
    }

    private let settings: PostgresSettings
    private let isStopped = Locked(false)
    /// Is signaled by each call.
    private let call = DispatchSemaphore(value: 0)

    /// Begins with what was left behind. Requires ``PostgresTraces/create(_:)``.
    init(_ settings: PostgresSettings) {
        self.settings = settings
        WorkerThread.required(name: "mien.pg.clean") { [self] in work() }.detach()
    }

    func stop() {
        isStopped.withLock { $0 = true }
        call.signal()
    }

    /// Asks for a pass over the tables that are noted.
    func clean() { call.signal() }

    private func work() {
        var pause = Self.pause
        rest(Self.start)
        while !isStopped.withLock({ $0 }) {
            // The calls until now are answered by this pass.
            while call.wait(timeout: .now()) == .success {}
            if isStopped.withLock({ $0 }) { return }
            switch Self.pass(settings) {
            case .nothing:
                pause = Self.pause
                if isCalled(within: Self.round) { rest(Self.delay) }
            case .done:
                pause = Self.pause
                rest(pause)
            case .again:
                rest(Self.pause)
                if isCalled(within: pause - Self.pause) { rest(Self.delay) }
                pause = min(pause * 2, Self.round)
            }
        }
    }

    private func isCalled(within time: Duration) -> Bool {
        call.wait(timeout: .now() + .milliseconds(Int(time.milliseconds))) == .success
    }

    private func rest(_ time: Duration) {
        let end = ContinuousClock.now + time
        while .now < end, !isStopped.withLock({ $0 }) { Thread.sleep(.milliseconds(250)) }
    }

    /// Vacuums the tables that are noted, and those whose rows were deleted with theirs.
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
            return try traces.tables().isEmpty ? .done : .again
        } catch {
            // Another server may vacuum one of the tables, perhaps since before the last deletion.
            return .again
        }
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
