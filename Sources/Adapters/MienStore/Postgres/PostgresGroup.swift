/// Jobs that one transaction runs.
final class PostgresGroup {
    enum Ending {
        /// The transaction is committed, or rolled back because its only job failed.
        case done
        /// One job or statement must be undone by itself: run again with savepoints.
        case needsSavepoints
        /// The connection was lost during the commit.
        case uncertain(PostgresCommit.Transaction)
    }

    private let connection: PostgresConnection
    private let jobs: [PostgresJob]
    private let turn: PostgresTurn
    private let hasSavepoints: Bool
    private var outcomes: [PostgresJob.Outcome] = []
    /// The tables with deleted data that should leave no trace.
    private(set) var traces: Set<String> = []

    init(
        _ connection: PostgresConnection, _ jobs: [PostgresJob], _ turn: PostgresTurn,
        hasSavepoints: Bool
    ) {
        (self.connection, self.jobs, self.turn) = (connection, jobs, turn)
        self.hasSavepoints = hasSavepoints
    }

    /// Tells the jobs how the transaction ended.
    func finish(_ error: StoreError?) {
        for outcome in outcomes { outcome.finish(outcome.isFailure ? nil : error) }
    }

    /// - Throws: ``PostgresFailure`` if the transaction was not committed.
    func run() throws(PostgresFailure) -> Ending {
        connection.begin(turn)
        let ending = jobs.count == 1 ? try runAlone(jobs[0]) : try runTogether()
        if let ending { return ending }
        if !traces.isEmpty { connection.sendAhead(PostgresTraces.note(traces)) }
        do { try connection.commit() } catch {
            // A transaction without a number sent no commit, so its outcome is certain.
            guard error.isLost, !connection.transactionID.isEmpty else { throw error }
            return .uncertain(
                PostgresCommit.Transaction(
                    id: connection.transactionID, processID: connection.processID,
                    timeline: connection.timeline, recovery: connection.recovery))
        }
        return .done
    }

    /// The transaction is the job's own, so it needs no savepoint.
    private func runAlone(_ job: PostgresJob) throws(PostgresFailure) -> Ending? {
        let transaction = PostgresTransaction(connection, hasSavepoints: hasSavepoints)
        let outcome = job.run(transaction)
        if let failure = transaction.failure {
            if failure.endsTransaction { throw failure }
            if transaction.wentOn || !outcome.isFailure {
                guard !hasSavepoints else { throw failure }
                try connection.rollBack()
                return .needsSavepoints
            }
        }
        outcomes.append(outcome)
        if outcome.isFailure {
            try connection.rollBack()
            return .done
        }
        note(transaction)
        return nil
    }

    /// Runs jobs without savepoints, which cost more than most jobs, unless one fails that has changed
    /// something.
    private func runTogether() throws(PostgresFailure) -> Ending? {
        if hasSavepoints { return try runWithSavepoints() }
        for job in jobs {
            let transaction = PostgresTransaction(connection)
            let outcome = job.run(transaction)
            if let failure = transaction.failure, failure.endsTransaction { throw failure }
            if transaction.failure != nil || (outcome.isFailure && transaction.hasChanged) {
                try connection.rollBack()
                return .needsSavepoints
            }
            outcomes.append(outcome)
            if !outcome.isFailure { note(transaction) }
        }
        return nil
    }

    private func runWithSavepoints() throws(PostgresFailure) -> Ending? {
        for (index, job) in jobs.enumerated() {
            connection.sendAhead(
                index == 0 ? ["SAVEPOINT job"] : ["RELEASE SAVEPOINT job", "SAVEPOINT job"])
            var transaction = PostgresTransaction(connection)
            var outcome = job.run(transaction)
            if let failure = transaction.failure, !failure.endsTransaction,
                transaction.wentOn || !outcome.isFailure
            {
                connection.sendAhead(["ROLLBACK TO SAVEPOINT job"])
                transaction = PostgresTransaction(connection, hasSavepoints: true)
                outcome = job.run(transaction)
                if let failure = transaction.failure { throw failure }
            }
            if let failure = transaction.failure, failure.endsTransaction { throw failure }
            outcomes.append(outcome)
            if outcome.isFailure {
                connection.sendAhead(["ROLLBACK TO SAVEPOINT job"])
            } else {
                note(transaction)
            }
        }
        return nil
    }

    private func note(_ transaction: PostgresTransaction) {
        if transaction.leavesNoTrace { traces.formUnion(transaction.changedTables) }
    }
}
