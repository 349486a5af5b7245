internal import Foundation

/// Runs an actor's jobs one after another on its own thread, so that blocking calls hold no thread
/// of the cooperative pool.
///
/// Releasing it ends the thread and waits for it, unless it is released on that thread.
@safe package final class ThreadExecutor: SerialExecutor {
    private let line = JobLine()
    private let thread: pthread_t

    /// - Parameter name: The name for debuggers and `top`, which show its first 15 bytes.
    package init(name: String) {
        var thread = pthread_t()
        let start = Start(line: line, name: name)
        let status = unsafe pthread_create(
            &thread, nil,
            { start in
                unsafe Unmanaged<Start>.fromOpaque(start!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        guard status == 0 else {
            fatalError("cannot start a thread: \(unsafe String(cString: strerror(status)))")
        }
        self.thread = thread
    }

    deinit {
        line.stop()
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        unsafe line.add(UnownedJob(job), for: asUnownedSerialExecutor())
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    private final class Start: Sendable {
        let line: JobLine
        let name: String

        init(line: JobLine, name: String) { (self.line, self.name) = (line, name) }

        func run() {
            Thread.current.name = name
            while let (job, executor) = unsafe line.next() {
                unsafe job.runSynchronously(on: executor)
            }
        }
    }
}

/// A queue of jobs in order of arrival.
@safe private final class JobLine: @unchecked Sendable {
    // Unchecked: both variables are accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var jobs: [(UnownedJob, UnownedSerialExecutor)] = unsafe []
    private var stopped = false

    func add(_ job: UnownedJob, for executor: UnownedSerialExecutor) {
        condition.withLock {
            unsafe jobs.append((job, executor))
            condition.signal()
        }
    }

    func stop() {
        condition.withLock {
            stopped = true
            condition.signal()
        }
    }

    func next() -> (UnownedJob, UnownedSerialExecutor)? {
        condition.lock()
        defer { condition.unlock() }
        while unsafe jobs.isEmpty {
            if stopped { return nil }
            condition.wait()
        }
        return unsafe jobs.removeFirst()
    }
}
