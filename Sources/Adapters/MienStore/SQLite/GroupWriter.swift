internal import Foundation
internal import GRDB
internal import MienCore
internal import Synchronization

/// The one writer: takes whatever waits to be written and commits it together, so that a hundred
/// small writes cost one sync.
///
/// Each job runs under a savepoint of its own: one that throws takes nothing but itself back. A job
/// is told it is done after the commit.
final class GroupWriter: Sendable {
    /// Jobs that may wait; more are refused with `store.busy`.
    static let maxWaiting = 10_000
    /// Jobs in one transaction: nobody then waits long for those before them.
    private static let maxTogether = 256
    /// How long what was deleted may be seen in the write-ahead log.
    private static let traceLife = Duration.seconds(1)

    private let queue = JobLine()

    init(_ pool: DatabasePool) {
        let thread = Thread { [queue] in
            var synchronous: Durability?
            // A process that was killed may have left some.
            var tracesGoAt: ContinuousClock.Instant? = .now
            while let jobs = queue.next(atMost: Self.maxTogether, until: tracesGoAt) {
                if Self.commit(jobs, to: pool, &synchronous) {
                    tracesGoAt = tracesGoAt ?? .now + Self.traceLife
                }
                if let at = tracesGoAt, .now >= at {
                    tracesGoAt = Self.removeTraces(pool) ? nil : .now + Self.traceLife
                }
            }
        }
        thread.name = "mien.store"
        thread.start()
    }

    /// Jobs that wait are still done; new ones are refused.
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
            if let refusal = queue.add(job) { continuation.resume(throwing: refusal) }
        }
    }

    /// Folds the write-ahead log into the database and cuts it to nothing: until it is written
    /// over, it holds what was deleted.
    ///
    /// - Returns: `false` when a reader still needs it.
    static func removeTraces(_ pool: DatabasePool) -> Bool {
        let isDone = try? pool.writeWithoutTransaction { database in
            // Writers are not to wait long for a reader.
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

    /// - Returns: whether something was deleted that is to leave no trace.
    private static func commit(
        _ jobs: [WriteJob], to pool: DatabasePool, _ synchronous: inout Durability?
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
                try database.beginTransaction(.immediate)
                do {
                    for job in jobs {
                        try database.execute(literal: "SAVEPOINT job")
                        let outcome = job.run(SQLiteConnection(database, traces))
                        outcomes.append(outcome)
                        if outcome.isFailure { try database.execute(literal: "ROLLBACK TO job") }
                        try database.execute(literal: "RELEASE job")
                    }
                    try database.commit()
                } catch {
                    if database.isInsideTransaction { try? database.rollback() }
                    throw error
                }
            }
            for outcome in outcomes { outcome.finish(nil) }
        } catch {
            let failure = StoreError(
                .unreachable, "nothing was written: \(SQLiteConnection.words(for: error))")
            for outcome in outcomes { outcome.finish(failure) }
            // Those after the one that broke the transaction have not run; they are told, too.
            for job in jobs.dropFirst(outcomes.count) { job.refuse(failure) }
        }
        return traces.areUnwanted
    }
}

/// Something to be written, and whom to tell.
struct WriteJob: Sendable {
    struct Outcome {
        /// The job's own failure: its writes are taken back, and `finish` tells it whatever becomes
        /// of the others.
        let isFailure: Bool
        /// - Parameter commitError: why nothing was written, `nil` when it was.
        let finish: (_ commitError: StoreError?) -> Void
    }

    let durability: Durability
    let run: @Sendable (any SQLConnection) -> Outcome

    init(_ durability: Durability, run: @escaping @Sendable (any SQLConnection) -> Outcome) {
        (self.durability, self.run) = (durability, run)
    }

    /// Tells a job that never ran.
    func refuse(_ error: StoreError) { run(BrokenConnection(error: error)).finish(error) }
}

/// Fails every statement: for a job that can no longer run but has to be told.
private struct BrokenConnection: SQLConnection {
    let error: StoreError
    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int { throw error }
    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] { throw error }
    func leaveNoTrace() {}
}

/// Jobs in the order they came.
private final class JobLine: Sendable {
    private struct State {
        var jobs: [WriteJob] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    /// - Returns: why the job was not taken; `nil` when it was.
    func add(_ job: WriteJob) -> StoreError? {
        let (refusal, isFirst) = state.withLock { state -> (StoreError?, Bool) in
            if state.isStopped {
                return (StoreError(.unreachable, "the database is closed"), false)
            }
            if state.jobs.count >= GroupWriter.maxWaiting {
                return (StoreError(.busy, "\(GroupWriter.maxWaiting) writes wait already"), false)
            }
            state.jobs.append(job)
            return (nil, state.jobs.count == 1)
        }
        if isFirst { arrival.signal() }
        return refusal
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        arrival.signal()
    }

    /// Waits for jobs; none when it is `time`; `nil` after ``stop()``, when none are left.
    func next(atMost count: Int, until time: ContinuousClock.Instant?) -> [WriteJob]? {
        while true {
            let (jobs, isStopped) = state.withLock { state in
                let jobs = Array(state.jobs.prefix(count))
                state.jobs.removeFirst(jobs.count)
                return (jobs, state.isStopped)
            }
            if !jobs.isEmpty { return jobs }
            if isStopped { return nil }
            guard let time else {
                arrival.wait()
                continue
            }
            let left = ContinuousClock.now.duration(to: time)
            if left <= .zero
                || arrival.wait(timeout: .now() + .milliseconds(Int(left.milliseconds) + 1))
                    == .timedOut
            {
                return []
            }
        }
    }
}
