internal import Dispatch
internal import Foundation
internal import MienCore

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

    /// The key of the advisory lock of the server that cleans.
    private static let lock = PostgresWorker.schemaLock + 1

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
            // This pass answers all calls until now.
            while call.wait(timeout: .now()) == .success {}
            if isStopped.withLock({ $0 }) { return }
            switch pass() {
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
    private func pass() -> Pass {
        do throws(PostgresFailure) {
            let connection = try PostgresConnection(settings)
            // One server cleans for all servers. The lock is released when its connection ends.
            guard try connection.text("SELECT pg_try_advisory_lock(\(Self.lock))") == "t" else {
                return .again
            }
            try connection.waitAsLongAsItTakes()
            try connection.command("SET lock_timeout = \(settings.lockTimeout.milliseconds)")
            let traces = PostgresTraces(connection)
            let horizon = try traces.horizon(), noted = try traces.tables()
            if noted.isEmpty { return .nothing }
            var clean: Set<String> = [], dirty: Set<String> = []
            for table in noted.sorted() {
                let affected = try Self.affected(by: table, connection)
                for name in affected where !clean.contains(name) && !dirty.contains(name) {
                    if isStopped.withLock({ $0 }) { return .again }
                    if try Self.vacuum(name, connection) {
                        clean.insert(name)
                    } else {
                        dirty.insert(name)
                    }
                }
                // Go on with the other tables if one cannot be vacuumed.
                if dirty.isDisjoint(with: affected) {
                    try traces.forget(table, before: horizon)
                }
            }
            try connection.command("VACUUM (TRUNCATE off) \(PostgresTraces.table)")
            return try traces.tables().isEmpty ? .done : .again
        } catch { return .again }
    }

    /// - Returns: `false` if the table could not be vacuumed: something else locks it, or it belongs to
    ///   another role, of which PostgreSQL would only warn.
    private static func vacuum(_ name: String, _ connection: PostgresConnection)
        throws(PostgresFailure) -> Bool
    {
        do {
            let owner = "SELECT relowner FROM pg_class WHERE oid = CAST('\(name)' AS regclass)"
            guard try connection.text("SELECT pg_has_role((\(owner)), 'USAGE')") == "t" else {
                return false
            }
            // Do not shorten the file, because that would lock out readers.
            try connection.command("VACUUM (TRUNCATE off) \(name)")
            return true
        } catch {
            if error.isLost { throw error }
            return false
        }
    }

    /// Finds a table and those whose rows are deleted with its own.
    private static func affected(by table: String, _ connection: PostgresConnection)
        throws(PostgresFailure) -> [String]
    {
        let rows = try connection.run(
            PostgresQuery(
                """
                WITH RECURSIVE affected (id) AS (
                  SELECT CAST(to_regclass(?) AS oid)
                  UNION SELECT r.conrelid FROM pg_constraint r JOIN affected a ON r.confrelid = a.id
                  WHERE r.contype = 'f' AND r.confdeltype = 'c')
                SELECT CAST(CAST(id AS regclass) AS text) FROM affected WHERE id IS NOT NULL
                """, .text(table))
        ).rows
        return rows.compactMap { if case .text(let name) = $0[0] { name } else { nil } }
    }
}
