/// A few workers, each on a thread of its own, that run jobs which block: inference, decoding.
///
/// A worker is a value that is made on its thread and never leaves it, so it need not be `Sendable`. Tasks that wait for a job are
/// suspended: no thread of the cooperative pool is held. Jobs are run in the order they came. When ``queueLimit`` jobs wait, another is
/// refused with `.busy`. A cancelled task's job is taken out of the queue; one that already runs runs to its end.
///
/// Letting go of the pool waits for its workers: the jobs that run end, those that wait fail with `.stopped`, and then no thread is left.
/// So a program that returns has nothing at work any more in libraries that are taking themselves down.
public final class WorkerPool<Worker>: Sendable {
    private let queue: JobQueue<Worker>
    private let threads: [WorkerThread]
    public let workerCount: Int
    public let queueLimit: Int

    /// Starts the workers and returns at once; a worker that cannot be made fails the jobs that reach it.
    ///
    /// - Parameters:
    ///   - workers: 1...256.
    ///   - queueLimit: jobs that may wait, 1 or more.
    ///   - label: what the threads are named after, with a number each.
    ///   - make: makes one worker; called once on each worker's thread.
    public init(workers: Int, queueLimit: Int = 1024, label: String, make: @escaping @Sendable () throws -> Worker) {
        precondition((1...256).contains(workers) && queueLimit >= 1, "1...256 workers, and room for one job at least")
        let jobs = JobQueue<Worker>(limit: queueLimit)
        queue = jobs
        workerCount = workers
        self.queueLimit = queueLimit
        threads = (0..<workers).map { index in WorkerThread(name: "\(label).\(index)") { jobs.serve(make) } }
    }

    deinit {
        queue.stop()
        for thread in threads { thread.join() }
    }

    /// Jobs waiting now.
    public var waiting: Int { queue.count }

    /// Runs `job` on the next free worker.
    ///
    /// - Throws: what `job` or the making of the worker throws; ``InferenceError`` `.busy` or `.stopped`; `CancellationError`.
    public func run<Output: Sendable>(_ job: @escaping @Sendable (inout Worker) throws -> Output) async throws -> Output {
        let ticket = queue.ticket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Output, any Error>) in
                queue.add(
                    ticket,
                    run: { worker in continuation.resume(with: Result { try job(&worker) }) },
                    drop: { continuation.resume(throwing: $0) })
            }
        } onCancel: {
            queue.cancel(ticket)
        }
    }
}
