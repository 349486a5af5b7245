internal import Foundation
internal import MienCore

/// A ``FairQueue`` from which worker threads take jobs. One condition lock guards all state.
final class JobQueue<Worker>: @unchecked Sendable {
    // Unchecked: every stored variable below is accessed only while `condition` is locked.
    typealias Ticket = UInt64

    private struct Job {
        let run: (inout Worker) -> Void
        let drop: (any Error) -> Void
    }

    private let condition = NSCondition()
    private var jobs: FairQueue<Job>
    private var lastTicket: Ticket = 0
    /// Tickets whose jobs have not arrived yet. A job and its cancellation may arrive in either
    /// order.
    private var expected: Set<Ticket> = []
    private var cancelledEarly: Set<Ticket> = []
    private var stopped = false

    init(_ limits: WorkLimits) { jobs = FairQueue(limits) }

    var count: Int { condition.withLock { jobs.count } }

    func hasRoom(for share: WorkShare) -> Bool { condition.withLock { jobs.hasRoom(for: share) } }

    func ticket() -> Ticket {
        condition.withLock {
            lastTicket += 1
            expected.insert(lastTicket)
            return lastTicket
        }
    }

    func add(
        _ ticket: Ticket, for share: WorkShare, run: @escaping (inout Worker) -> Void,
        drop: @escaping (any Error) -> Void
    ) {
        let dropped: [(drop: (any Error) -> Void, error: any Error)] = condition.withLock {
            expected.remove(ticket)
            if cancelledEarly.remove(ticket) != nil { return [(drop, CancellationError())] }
            if stopped { return [(drop, Self.shutDown)] }
            let now = ContinuousClock.now
            var dropped: [(drop: (any Error) -> Void, error: any Error)] = jobs.expire(at: now).map
            { ($0.drop, Self.waitedTooLong) }
            switch jobs.add(Job(run: run, drop: drop), ticket, for: share, at: now) {
            case .waiting: condition.signal()
            // One job arrived and one left, so the number of signals still matches the number of
            // waiting jobs.
            case .displaced(let job): dropped.append((job.drop, Self.full))
            case .refused: dropped.append((drop, Self.full))
            }
            return dropped
        }
        for (drop, error) in dropped { drop(error) }
    }

    private static var full: InferenceError {
        InferenceError(.busy, "too many jobs are waiting; try again later")
    }
    private static var waitedTooLong: InferenceError {
        InferenceError(.busy, "no worker was free in time; try again later")
    }
    private static var shutDown: InferenceError {
        InferenceError(.stopped, "the workers were shut down")
    }

    /// Removes the job if it still waits. If it has not arrived yet, remembers the cancellation.
    func cancel(_ ticket: Ticket) {
        let job: Job? = condition.withLock {
            if let job = jobs.remove(ticket) { return job }
            if expected.contains(ticket) { cancelledEarly.insert(ticket) }
            return nil
        }
        job?.drop(CancellationError())
    }

    func stop() {
        let rest = condition.withLock {
            stopped = true
            condition.broadcast()
            return jobs.removeAll()
        }
        for job in rest { job.drop(Self.shutDown) }
    }

    /// Runs a worker: creates it and executes jobs until ``stop()``.
    func serve(_ make: () throws -> Worker) {
        var made = Result { try make() }
        while let job = next() {
            if case .success(var worker) = made {
                // Move the worker out, so that no copy exists while the job runs.
                made = .failure(InferenceError(.stopped, "the worker is in use"))
                job.run(&worker)
                made = .success(worker)
            } else if case .failure(let error) = made {
                job.drop(error)
            }
        }
    }

    /// Waits for a job. Refuses jobs whose waiting time has run out, at the latest when a worker
    /// finishes its current job.
    private func next() -> Job? {
        while true {
            let (job, expired, isOver) = condition.withLock { () -> (Job?, [Job], Bool) in
                while jobs.isEmpty {
                    if stopped { return (nil, [], true) }
                    condition.wait()
                }
                let expired = jobs.expire(at: ContinuousClock.now)
                return (jobs.next(), expired, false)
            }
            for job in expired { job.drop(Self.waitedTooLong) }
            if job != nil || isOver { return job }
        }
    }
}
