internal import Foundation
internal import GRDB
internal import MienAPI
internal import MienCore

/// The only writer. It commits all waiting writes together, so that a hundred small writes cost one
/// sync.
///
/// Each job runs under its own savepoint, so a job that throws rolls back only its own changes. A
/// job finishes after the commit.
final class GroupWriter: Sendable {
    /// Maximum number of waiting jobs. Further jobs are rejected with `store.busy`.
    static let maxWaiting = 10_000
    /// Maximum number of jobs in one transaction, so that no job waits long for the others.
    private static let maxTogether = 256
    /// The maximum time for which deleted data remains in the write-ahead log.
    private static let traceLife = Duration.seconds(1)

    private let queue = JobLine<WriteJob>(maxWaiting: maxWaiting)

    /// - Parameters:
    ///   - head: Is told the last audit entry after durable commits.
    ///   - hub: Gets the notifications of committed writes.
    init(_ pool: DatabasePool, head: CommittedHead? = nil, hub: NotificationHub) {
        if let head { head.write((try? pool.read { $0.lastAuditEntry() }) ?? .start) }
        let thread = WorkerThread.required(name: "mien.store") { [queue] in
            var synchronous: Durability?
            // Removes traces left by a killed process.
            var tracesGoAt: ContinuousClock.Instant? = .now
            while let jobs = queue.next(atMost: Self.maxTogether, until: tracesGoAt) {
                if Self.commit(jobs, to: pool, &synchronous, head, hub) {
                    tracesGoAt = tracesGoAt ?? .now + Self.traceLife
                }
                if let at = tracesGoAt, .now >= at {
                    let isMore = FreedSpace.giveBack(pool)
                    tracesGoAt =
                        Self.removeTraces(pool) && !isMore ? nil : .now + Self.traceLife
                }
            }
        }
        // After the writer is stopped, the thread finishes the waiting jobs and ends.
        thread.detach()
    }

    var waiting: Int { queue.count }

    /// Finishes the waiting jobs and rejects new ones.
    func stop() { queue.stop() }

    func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            let job = WriteJob(durability) { connection in
                let result = Result { try body(connection) }
                return WriteJob.Outcome(isFailure: (try? result.get()) == nil) { commitError in
                    continuation.resume(with: commitError.map { .failure($0) } ?? result)
                }
            }
            do throws(JobLine<WriteJob>.Refusal) { try queue.add(job) } catch {
                continuation.resume(throwing: Self.refusal(error))
            }
        }
    }

    private static func refusal(_ refusal: JobLine<WriteJob>.Refusal) -> StoreError {
        switch refusal {
        case .stopped: StoreError(.unreachable, "the database is closed")
        case .full: StoreError(.busy, "\(maxWaiting) writes are already waiting")
        }
    }

    /// Checkpoints the write-ahead log into the database and truncates it. Until it is overwritten,
    /// the log contains deleted data.
    ///
    /// - Returns: `false` if a reader still needs the log.
    static func removeTraces(_ pool: DatabasePool) -> Bool {
        let isDone = try? pool.writeWithoutTransaction { database in
            // Limit how long writers wait for a reader.
            try database.execute(sql: "PRAGMA busy_timeout = 50")
            defer {
                try? database.execute(sql: "PRAGMA busy_timeout = \(SQLiteDriver.busyMilliseconds)")
            }
            return try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)").map {
                $0[0] as Int == 0
            } ?? false
        }
        return isDone ?? false
    }

    /// - Returns: whether something was deleted that must leave no trace.
    private static func commit(
        _ jobs: [WriteJob], to pool: DatabasePool, _ synchronous: inout Durability?,
        _ head: CommittedHead?, _ hub: NotificationHub
    ) -> Bool {
        if jobs.isEmpty { return false }
        let traces = SQLiteConnection.Traces()
        let durability: Durability = jobs.contains { $0.durability == .always } ? .always : .process
        var outcomes: [WriteJob.Outcome] = []
        do {
            try pool.writeWithoutTransaction { database in
                if synchronous != durability {
                    try database.execute(
                        sql: "PRAGMA synchronous = \(durability == .always ? "FULL" : "NORMAL")")
                    synchronous = durability
                }
                // As cached statements, which SQLite does not parse again.
                try database.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
                do {
                    if jobs.count == 1 {
                        // The transaction is the job's own, so it needs no savepoint.
                        let outcome = jobs[0].run(SQLiteConnection(database, traces))
                        outcomes.append(outcome)
                        if outcome.isFailure { return try database.rollback() }
                    } else {
                        for job in jobs {
                            try database.cachedStatement(sql: "SAVEPOINT job").execute()
                            let notifications = traces.notifications.count
                            let outcome = job.run(SQLiteConnection(database, traces))
                            outcomes.append(outcome)
                            if outcome.isFailure {
                                traces.notifications.removeSubrange(notifications...)
                                try database.cachedStatement(sql: "ROLLBACK TO job").execute()
                            }
                            try database.cachedStatement(sql: "RELEASE job").execute()
                        }
                    }
                    try database.cachedStatement(sql: "COMMIT TRANSACTION").execute()
                    // Also covers earlier commits, because the log is synced as a whole.
                    if durability == .always, let head, let last = database.lastAuditEntry() {
                        head.write(last)
                    }
                } catch {
                    if database.isInsideTransaction { try? database.rollback() }
                    throw error
                }
            }
            // A single job that failed was rolled back alone.
            if outcomes.count > 1 || outcomes.first?.isFailure == false {
                for notification in traces.notifications {
                    hub.send(notification.payload, to: notification.channel)
                }
            }
            // Last, so that who listens after a write returned does not get its notifications.
            for outcome in outcomes { outcome.finish(nil) }
        } catch {
            let failure = StoreError(
                SQLiteConnection.code(of: error),
                "nothing was written: \(SQLiteConnection.words(for: error))")
            for outcome in outcomes { outcome.finish(failure) }
            // The jobs after the one that broke the transaction have not run. They get the error,
            // too.
            for job in jobs.dropFirst(outcomes.count) { job.refuse(failure) }
        }
        return traces.areUnwanted
    }
}

/// A write and its completion handler.
struct WriteJob: Sendable {
    struct Outcome {
        /// Whether the job itself failed. Its writes are rolled back, and `finish` reports the
        /// failure whatever happens to the other jobs.
        let isFailure: Bool
        /// - Parameter commitError: the reason nothing was written; `nil` on success.
        let finish: (_ commitError: StoreError?) -> Void
    }

    let durability: Durability
    let run: @Sendable (any SQLConnection) -> Outcome

    init(_ durability: Durability, run: @escaping @Sendable (any SQLConnection) -> Outcome) {
        (self.durability, self.run) = (durability, run)
    }

    /// Reports an error to a job that never ran.
    func refuse(_ error: StoreError) { run(BrokenConnection(error: error)).finish(error) }
}

/// A connection on which every statement fails, for a job that can no longer run but must receive
/// an error.
private struct BrokenConnection: SQLConnection {
    let error: StoreError
    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int { throw error }
    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] { throw error }
    func leaveNoTrace() {}
    func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError) { throw error }
}
