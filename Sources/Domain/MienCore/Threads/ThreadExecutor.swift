#if os(Linux)
/// Runs an actor's jobs one after another on its own thread, so that blocking calls hold no thread
/// of the cooperative pool.
///
/// Releasing it ends the thread and waits for it, unless it is released on that thread.
public final class ThreadExecutor: SerialExecutor {
    private let line: JobLine<QueuedJob>
    private let thread: WorkerThread

    /// - Parameter name: The name for debuggers and `top`, which show its first 15 bytes.
    public init(name: String) {
        let line = JobLine<QueuedJob>()
        self.line = line
        thread = .required(name: name) {
            while let jobs = line.next(atMost: 1) {
                for job in jobs { job.run() }
            }
        }
    }

    deinit {
        line.stop()
        thread.join()
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        // The line is stopped only when no actor refers to this executor.
        try? line.add(QueuedJob(UnownedJob(job), on: self))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }
}

/// A job and the executor that it runs on.
@safe private struct QueuedJob: Sendable {
    private let job: UnownedJob
    private let executor: UnownedSerialExecutor

    init(_ job: UnownedJob, on executor: ThreadExecutor) {
        self.job = job
        unsafe self.executor = executor.asUnownedSerialExecutor()
    }

    func run() { unsafe job.runSynchronously(on: executor) }
}
#endif
