#if os(Linux)
internal import Dispatch
internal import Synchronization

/// Jobs in order of arrival, for one thread that takes them.
///
/// Deadlines are on the monotonic clock, so a change of the wall clock neither delays nor hastens
/// them.
public final class JobLine<Job: Sendable>: Sendable {
    /// The reason a job was not accepted.
    public enum Refusal: Error, Sendable, Hashable {
        case stopped
        case full
    }

    private struct State {
        var jobs: [Job] = []
        var isStopped = false
    }

    private let maxWaiting: Int
    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    /// - Parameter maxWaiting: The maximum number of waiting jobs, at least 1.
    public init(maxWaiting: Int = .max) { self.maxWaiting = maxWaiting }

    /// The number of waiting jobs.
    public var count: Int { state.withLock { $0.jobs.count } }

    public func add(_ job: Job) throws(Refusal) {
        let (refusal, isFirst) = state.withLock { state -> (Refusal?, Bool) in
            if state.isStopped { return (.stopped, false) }
            if state.jobs.count >= maxWaiting { return (.full, false) }
            state.jobs.append(job)
            return (nil, state.jobs.count == 1)
        }
        if let refusal { throw refusal }
        if isFirst { arrival.signal() }
    }

    /// Refuses further jobs. Waiting jobs are still taken.
    public func stop() {
        state.withLock { $0.isStopped = true }
        arrival.signal()
    }

    /// Waits for jobs. Returns an empty list at `time`, and `nil` after ``stop()`` when no jobs are
    /// left.
    public func next(
        atMost count: Int, until time: ContinuousClock.Instant? = nil
    ) -> [Job]? {
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
            let left = ContinuousClock.now.duration(to: time).components
            let nanoseconds = left.seconds * 1_000_000_000 + left.attoseconds / 1_000_000_000
            if nanoseconds <= 0
                || arrival.wait(timeout: .now() + .nanoseconds(Int(nanoseconds) + 1_000_000))
                    == .timedOut
            {
                return []
            }
        }
    }
}
#endif
