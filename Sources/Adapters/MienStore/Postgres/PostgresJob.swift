internal import Dispatch
internal import Synchronization

/// A read or write that waits for a connection.
struct PostgresJob: Sendable {
    struct Outcome {
        /// Whether the body threw an error. Its writes are rolled back.
        let isFailure: Bool
        /// - Parameter error: the reason nothing was written or read; `nil` on success.
        let finish: (_ error: StoreError?) -> Void
    }

    let arrivedAt = ContinuousClock.now
    /// Whether the body runs one query at most.
    let isSingle: Bool
    /// Runs the body. Runs again if the transaction has to be repeated; only the last outcome is
    /// finished.
    let run: @Sendable (any SQLConnection) -> Outcome
    /// Fails a job that has not run.
    let refuse: @Sendable (StoreError) -> Void

    /// - Returns: the output of `body`, once a job that `add` accepted is finished.
    static func output<Output: Sendable>(
        isSingle: Bool = false, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        adding add: (PostgresJob) throws(StoreError) -> Void
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            let job = PostgresJob(isSingle: isSingle) { connection in
                let result = Result { try body(connection) }
                return Outcome(isFailure: (try? result.get()) == nil) { error in
                    continuation.resume(with: error.map { .failure($0) } ?? result)
                }
            } refuse: {
                continuation.resume(throwing: $0)
            }
            do throws(StoreError) { try add(job) } catch { continuation.resume(throwing: error) }
        }
    }
}

/// Jobs in order of arrival, for several threads that take them.
final class PostgresQueue: Sendable {
    /// The maximum number of waiting jobs. Further ones are rejected with `store.busy`.
    static let maxWaiting = 10_000

    private struct State {
        var jobs: [PostgresJob] = []
        /// Jobs before this position are taken.
        var first = 0
        var running = 0
        var isStopped = false

        var waiting: Int { jobs.count - first }

        mutating func take(_ count: Int) -> [PostgresJob] {
            let taken = Array(jobs[first..<min(jobs.count, first + count)])
            first += taken.count
            if first == jobs.count || first > 1_000 {
                jobs.removeFirst(first)
                first = 0
            }
            running += taken.count
            return taken
        }
    }

    private let state = Mutex(State())
    /// Has been signaled at least once for each waiting job, and once for each thread when stopped.
    private let arrival = DispatchSemaphore(value: 0)
    private let threads: Int

    /// - Parameter threads: The number of threads that call ``next(atMost:)``.
    init(threads: Int) { self.threads = threads }

    var waiting: Int { state.withLock { $0.waiting } }
    /// The number of jobs that wait or run.
    var count: Int { state.withLock { $0.waiting + $0.running } }

    func add(_ job: PostgresJob) throws(StoreError) {
        let refusal = state.withLock { state -> StoreError? in
            if state.isStopped { return StoreError(.unreachable, "the database is closed") }
            if state.waiting >= Self.maxWaiting {
                return StoreError(.busy, "\(Self.maxWaiting) requests are already waiting")
            }
            state.jobs.append(job)
            return nil
        }
        if let refusal { throw refusal }
        arrival.signal()
    }

    /// Refuses further jobs. Waiting jobs are still taken.
    func stop() {
        state.withLock { $0.isStopped = true }
        for _ in 0..<threads { arrival.signal() }
    }

    /// Waits for jobs. Returns `nil` after ``stop()`` when no jobs are left.
    func next(atMost count: Int) -> [PostgresJob]? {
        while true {
            arrival.wait()
            let (jobs, isStopped) = state.withLock { ($0.take(count), $0.isStopped) }
            if !jobs.isEmpty { return jobs }
            // Other threads took the jobs, or all jobs are done.
            if isStopped {
                arrival.signal()
                return nil
            }
        }
    }

    /// Tells that jobs from ``next(atMost:)`` are finished.
    func finished(_ count: Int) { state.withLock { $0.running -= count } }
}
