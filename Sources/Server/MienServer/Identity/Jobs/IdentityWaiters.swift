internal import MienCore

/// The requests that wait for a job, for a short time. A request that has waited long enough answers
/// `pending`, and the job goes on.
final class IdentityWaiters: Sendable {
    /// The end of a wait.
    enum End: Sendable {
        case done
        /// The attempt was given back.
        case failed(any Error)
        case timedOut
    }

    /// A place among the waiting requests. Made before the job is stored, so that no end is missed.
    struct Ticket: Sendable {
        fileprivate let id: String
        fileprivate let ends: AsyncStream<End>
    }

    private struct Waiter {
        let ends: AsyncStream<End>.Continuation
        /// A worker is about to end the wait.
        var isClaimed = false
    }

    private let waiters = Locked<[String: Waiter]>([:])

    func enter(_ id: String) -> Ticket {
        let (ends, continuation) = AsyncStream<End>.makeStream()
        waiters.withLock { $0[id] = Waiter(ends: continuation) }
        return Ticket(id: id, ends: ends)
    }

    func leave(_ ticket: Ticket) { waiters.withLock { $0[ticket.id] = nil } }

    /// Waits for the end of the job, at most `limit`.
    func wait(_ ticket: Ticket, upTo limit: Duration) async -> End {
        defer { leave(ticket) }
        let timer = Task { [self] in
            try await Task.sleep(for: limit)
            // If a worker has claimed the wait, leave it to the worker, which ends it soon.
            waiters.withLock { all in
                guard let waiter = all[ticket.id], !waiter.isClaimed else { return }
                all[ticket.id] = nil
                waiter.ends.yield(.timedOut)
            }
        }
        defer { timer.cancel() }
        for await end in ticket.ends { return end }
        return .timedOut
    }

    /// Whether a request waits for the job. If so, it goes on waiting until ``end(_:_:)``.
    func claim(_ id: String) -> Bool {
        waiters.withLock { all in
            guard all[id] != nil else { return false }
            all[id]?.isClaimed = true
            return true
        }
    }

    func end(_ id: String, _ end: End) {
        waiters.withLock { _ = $0[id]?.ends.yield(end) }
    }
}
