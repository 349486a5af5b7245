internal import Foundation

/// Jobs in the order they came, with a limit. All state is under one condition lock.
final class JobQueue<Worker>: @unchecked Sendable {
    // Unchecked: every stored variable below is touched only while `condition` is locked.
    typealias Ticket = UInt64

    private struct Job {
        let ticket: Ticket
        let run: (inout Worker) -> Void
        let drop: (any Error) -> Void
    }

    private let condition = NSCondition()
    private let limit: Int
    private var jobs: [Job] = []
    private var lastTicket: Ticket = 0
    /// Tickets whose jobs have not come yet: the job and its cancellation may arrive in either order.
    private var expected: Set<Ticket> = []
    private var cancelledEarly: Set<Ticket> = []
    private var stopped = false

    init(limit: Int) { self.limit = limit }

    var count: Int { condition.withLock { jobs.count } }

    func ticket() -> Ticket {
        condition.withLock {
            lastTicket += 1
            expected.insert(lastTicket)
            return lastTicket
        }
    }

    func add(_ ticket: Ticket, run: @escaping (inout Worker) -> Void, drop: @escaping (any Error) -> Void) {
        let refusal: (any Error)? = condition.withLock {
            expected.remove(ticket)
            if cancelledEarly.remove(ticket) != nil { return CancellationError() }
            if stopped { return InferenceError(.stopped, "the workers were shut down") }
            if jobs.count >= limit { return InferenceError(.busy, "\(limit) jobs are waiting, which is the limit; try again later") }
            jobs.append(Job(ticket: ticket, run: run, drop: drop))
            condition.signal()
            return nil
        }
        if let refusal { drop(refusal) }
    }

    /// Takes the job out if it still waits; remembers the wish if it has not come yet.
    func cancel(_ ticket: Ticket) {
        let job: Job? = condition.withLock {
            if let i = jobs.firstIndex(where: { $0.ticket == ticket }) { return jobs.remove(at: i) }
            if expected.contains(ticket) { cancelledEarly.insert(ticket) }
            return nil
        }
        job?.drop(CancellationError())
    }

    func stop() {
        let rest = condition.withLock {
            stopped = true
            defer { jobs = [] }
            condition.broadcast()
            return jobs
        }
        for job in rest { job.drop(InferenceError(.stopped, "the workers were shut down")) }
    }

    /// A worker's life: made, fed with jobs until ``stop()``.
    func serve(_ make: () throws -> Worker) {
        var made = Result { try make() }
        while let job = next() {
            if case .success(var worker) = made {
                made = .failure(InferenceError(.stopped, "the worker is in use"))  // moved out: no copy while the job runs
                job.run(&worker)
                made = .success(worker)
            } else if case .failure(let error) = made {
                job.drop(error)
            }
        }
    }

    private func next() -> Job? {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty {
            if stopped { return nil }
            condition.wait()
        }
        return jobs.removeFirst()
    }
}
