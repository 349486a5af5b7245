public import MienCore

/// A few workers, each on a thread of its own, that run jobs which block: inference, decoding.
///
/// A worker is a value that is made on its thread and never leaves it, so it need not be
/// `Sendable`. Tasks that wait for a job are suspended: no thread of the cooperative pool is held.
/// Jobs run in the order that a ``FairQueue`` gives them: those of one share in order of arrival. A
/// job that finds no room, or no worker in time, is refused with `.busy`. A canceled task's job
/// leaves the queue; a job that already runs finishes.
///
/// Letting go of the pool waits for its workers: the jobs that run end, those that wait fail with
/// `.stopped`, and then no thread is left. So a program that returns has nothing at work any more
/// in libraries that are taking themselves down.
public final class WorkerPool<Worker>: Sendable {
    private let queue: JobQueue<Worker>
    private let threads: [WorkerThread]
    public let workerCount: Int
    public let limits: WorkLimits
    /// Jobs that may wait.
    public var queueLimit: Int { limits.total }

    /// Starts the workers and returns at once; a worker that cannot be made fails the jobs that
    /// reach it.
    ///
    /// - Parameters:
    ///   - workers: 1...256.
    ///   - queueLimit: jobs that may wait, 1 or more.
    ///   - label: what the threads are named after, with a number each.
    ///   - make: makes one worker; called once on each worker's thread.
    public convenience init(
        workers: Int, queueLimit: Int = 1024, label: String,
        make: @escaping @Sendable () throws -> Worker
    ) {
        self.init(workers: workers, limits: WorkLimits(total: queueLimit), label: label, make: make)
    }

    /// Starts workers whose queue is shared by clients that do not know each other.
    ///
    /// - Parameter limits: how many jobs may wait, for how long, and how many of one share.
    public init(
        workers: Int, limits: WorkLimits, label: String,
        make: @escaping @Sendable () throws -> Worker
    ) {
        precondition((1...256).contains(workers), "1...256 workers")
        let jobs = JobQueue<Worker>(limits)
        queue = jobs
        workerCount = workers
        self.limits = limits
        threads = (0..<workers).map { index in
            WorkerThread(name: "\(label).\(index)") { jobs.serve(make) }
        }
    }

    deinit {
        queue.stop()
        for thread in threads { thread.join() }
    }

    /// Jobs waiting now.
    public var waiting: Int { queue.count }

    /// Whether a job of this share would find a place in the queue now. Ask before work that a
    /// refusal would make useless.
    public func hasRoom(for share: WorkShare) -> Bool { queue.hasRoom(for: share) }

    /// Runs `job` on a worker when it is this share's turn.
    ///
    /// - Throws: what `job` or the making of the worker throws; ``InferenceError`` `.busy` or
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
