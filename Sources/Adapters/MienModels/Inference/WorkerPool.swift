public import MienCore

/// A few workers, each on its own thread, that run blocking jobs such as inference and decoding.
///
/// A worker is created on its thread and never leaves it, so it need not be `Sendable`. Tasks that
/// wait for a job are suspended and hold no thread of the cooperative pool. A ``FairQueue``
/// determines the order of jobs; those of one share run in order of arrival. A job that finds the
/// queue full, or no worker in time, is refused with `.busy`. A canceled task's job leaves the
/// queue; a job that already runs finishes.
///
/// Releasing the pool waits for its workers: running jobs finish, waiting jobs fail with
/// `.stopped`, and all threads end. A program that returns therefore leaves no thread in libraries
/// that are shutting down.
public final class WorkerPool<Worker>: Sendable {
    private let queue: JobQueue<Worker>
    private let threads: [WorkerThread]
    public let workerCount: Int
    public let limits: WorkLimits
    /// The maximum number of waiting jobs.
    public var queueLimit: Int { limits.total }

    /// Starts the workers and returns at once. If a worker cannot be created, the jobs that reach
    /// it fail.
    ///
    /// - Parameters:
    ///   - workers: 1...256.
    ///   - queueLimit: The maximum number of waiting jobs, at least 1.
    ///   - label: The prefix of the threads' names, which end with a number.
    ///   - make: Creates one worker. Called once on each worker's thread.
    public convenience init(
        workers: Int, queueLimit: Int = 1024, label: String,
        make: @escaping @Sendable () throws -> Worker
    ) {
        self.init(workers: workers, limits: WorkLimits(total: queueLimit), label: label, make: make)
    }

    /// Starts workers whose queue is shared by independent clients.
    ///
    /// - Parameter limits: The maximum number of waiting jobs, in total and per share, and their
    ///   maximum waiting time.
    public init(
        workers: Int, limits: WorkLimits, label: String,
        make: @escaping @Sendable () throws -> Worker
    ) {
        precondition((1...256).contains(workers), "workers must be 1...256")
        let jobs = JobQueue<Worker>(limits)
        queue = jobs
        workerCount = workers
        self.limits = limits
        threads = (0..<workers).map { index in
            WorkerThread.required(name: "\(label).\(index)") { jobs.serve(make) }
        }
    }

    deinit {
        queue.stop()
        for thread in threads { thread.join() }
    }

    /// The number of waiting jobs.
    public var waiting: Int { queue.count }

    /// Whether the queue currently has room for a job of this share. Check this before work that a
    /// refusal would waste.
    public func hasRoom(for share: WorkShare) -> Bool { queue.hasRoom(for: share) }

    /// Runs `job` on a worker when it is this share's turn.
    ///
    /// - Throws: The errors of `job` and of creating the worker; ``InferenceError`` `.busy` or
    ///   `.stopped`; `CancellationError`.
    public func run<Output: Sendable>(
        for share: WorkShare = .common, _ job: @escaping @Sendable (inout Worker) throws -> Output
    ) async throws
        -> Output
    {
        let ticket = queue.ticket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Output, any Error>) in
                queue.add(
                    ticket, for: share,
                    run: { worker in continuation.resume(with: Result { try job(&worker) }) },
                    drop: { continuation.resume(throwing: $0) })
            }
        } onCancel: {
            queue.cancel(ticket)
        }
    }
}
