internal import Foundation

/// A thread that runs jobs in transactions on its own connection.
final class PostgresWorker {
    /// The key of the advisory lock under which the schema changes: “mien” in ASCII.
    static let schemaLock = 0x6D69_656E
    /// How often a write runs that loses against others.
    private static let maxRuns = 10
    /// From this run on, no other write runs beside it.
    private static let runsAloneAfter = 5

    private let settings: PostgresSettings
    private let cleaner: PostgresCleaner
    private let link: PostgresLink

    init(_ settings: PostgresSettings, _ cleaner: PostgresCleaner) {
        (self.settings, self.cleaner) = (settings, cleaner)
        link = PostgresLink(settings)
    }

    // MARK: Reading

    func read(_ job: PostgresJob) {
        let deadline = job.arrivedAt + settings.patience
        guard .now < deadline else { return job.refuse(Self.overdue) }
        var hasSavepoints = false
        while true {
            do throws(PostgresFailure) {
                let connection = try link.open(until: deadline)
                if !job.isSingle {
                    connection.sendAhead(["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"])
                }
                let transaction = PostgresTransaction(
                    connection, hasSavepoints: hasSavepoints, isSingle: job.isSingle)
                let outcome = job.run(transaction)
                if let failure = transaction.failure {
                    if failure.endsTransaction { throw failure }
                    try connection.rollBack()
                    if transaction.wentOn || !outcome.isFailure, !hasSavepoints, !job.isSingle {
                        hasSavepoints = true
                        continue
                    }
                    return outcome.finish(nil)
                }
                // Everything was read, so the result stands however the transaction ends.
                outcome.finish(nil)
                do { try connection.commit() } catch { link.close() }
                return
            } catch {
                guard recover(from: error), .now < deadline else {
                    return job.refuse(error.storeError)
                }
            }
        }
    }

    // MARK: Writing

    /// Runs jobs in one transaction. A job that fails takes back only its own changes. Finishes them
    /// after the commit.
    func write(_ jobs: [PostgresJob], _ turn: PostgresTurn) {
        let overdue = jobs.filter { .now >= $0.arrivedAt + settings.patience }
        for job in overdue { job.refuse(Self.overdue) }
        let jobs = jobs.filter { .now < $0.arrivedAt + settings.patience }
        guard let deadline = jobs.map(\.arrivedAt).min().map({ $0 + settings.patience }) else {
            return
        }
        var runs = 0, hasSavepoints = false
        while true {
            do throws(PostgresFailure) {
                let connection = try link.open(until: deadline)
                let group = PostgresGroup(
                    connection, jobs, runs >= Self.runsAloneAfter ? .alone : turn,
                    hasSavepoints: hasSavepoints)
                switch try group.run() {
                case .done: break
                case .needsSavepoints:
                    hasSavepoints = true
                    continue
                case .uncertain(let transaction):
                    link.close()
                    switch PostgresCommit(transaction, settings).outcome(link) {
                    case .committed: break
                    case .aborted:
                        guard .now < deadline else {
                            return group.finish(
                                StoreError(
                                    .unreachable,
                                    "nothing was written: the connection to PostgreSQL was lost"))
                        }
                        continue
                    case .unknown:
                        // The transaction may have been committed, so clean up what it may have
                        // deleted.
                        if !group.traces.isEmpty { cleaner.clean() }
                        return group.finish(Self.unknown)
                    }
                }
                group.finish(nil)
                if !group.traces.isEmpty { cleaner.clean() }
                return
            } catch {
                runs += 1
                if error.isConflict, runs < Self.maxRuns {
                    link.rollBack()
                    Thread.sleep(.milliseconds(Int.random(in: 0...min(64, 1 << runs))))
                    continue
                }
                guard recover(from: error), !error.isConflict, .now < deadline else {
                    for job in jobs { job.refuse(error.storeError) }
                    return
                }
            }
        }
    }

    /// Runs a job that changes the schema: one at a time of all servers, on what the one before has
    /// committed. Gives way quickly to the statements of running servers, and tries again.
    func changeSchema(_ job: PostgresJob) {
        let deadline = ContinuousClock.now + .seconds(600)
        while true {
            do throws(PostgresFailure) {
                let connection = try link.open(until: .now + settings.patience)
                try connection.waitAsLongAsItTakes()
                // At the default level, each statement sees what was committed before it.
                try connection.command("BEGIN; SELECT pg_advisory_xact_lock(\(Self.schemaLock))")
                try connection.command("SET LOCAL lock_timeout = '5s'")
                let transaction = PostgresTransaction(connection)
                let outcome = job.run(transaction)
                if let failure = transaction.failure {
                    try connection.command("ROLLBACK")
                    if failure.endsTransaction || failure.isTimeout { throw failure }
                    return outcome.isFailure
                        ? outcome.finish(nil) : outcome.finish(failure.storeError)
                }
                let traces = transaction.leavesNoTrace ? transaction.changedTables : []
                if !outcome.isFailure, !traces.isEmpty {
                    connection.sendAhead(PostgresTraces.note(traces))
                }
                try connection.command(outcome.isFailure ? "ROLLBACK" : "COMMIT")
                if !traces.isEmpty { cleaner.clean() }
                return outcome.finish(nil)
            } catch {
                let mayPass =
                    error.isTimeout || error.isConflict
                    || (error.isLost && (error.mayPass || !error.state.isEmpty))
                guard mayPass, .now < deadline else { return job.refuse(error.storeError) }
                link.close()
                Thread.sleep(.milliseconds(Int.random(in: 100...500)))
            }
        }
    }

    /// Prepares the connection for another run of the transaction.
    ///
    /// - Returns: whether another run may succeed.
    private func recover(from failure: PostgresFailure) -> Bool {
        if failure.isLost {
            link.close()
            return failure.mayPass || !failure.state.isEmpty
        }
        link.rollBack()
        if failure.isOutdatedStatement { link.forgetStatements() }
        return failure.isConflict || failure.isOutdatedStatement
    }

    private static let overdue = StoreError(
        .busy, "the request waited too long for a connection to PostgreSQL")
    private static let unknown = StoreError(
        .uncertain,
        "the connection to PostgreSQL was lost during a commit, and it is unknown whether the data was written"
    )
}
