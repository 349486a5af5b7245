package import MienCore
internal import MienModels

/// A small thread pool for one kind of expensive work (password hashing, signature verification),
/// shared fairly among clients. Faces use the same kind of queue with their own threads.
package final class WorkQueue: Sendable {
    private let pool: WorkerPool<Void>

    package init(_ label: String, workers: Int, limits: WorkLimits) {
        pool = WorkerPool(workers: workers, limits: limits, label: label) {}
    }

    package var depth: QueueDepth {
        QueueDepth(waiting: pool.waiting, limit: pool.queueLimit, workers: pool.workerCount)
    }

    /// Rejects work whose share is full before anything is done for it, such as a write to the
    /// database.
    ///
    /// - Throws: ``ServerBusy``.
    package func requireRoom(for share: WorkShare) throws(ServerBusy) {
        if !pool.hasRoom(for: share) { throw ServerBusy() }
    }

    /// - Throws: The error of `body`; ``ServerBusy`` if the queue is full or the wait takes too
    ///   long; `CancellationError` if the client hung up.
    package func run<Output: Sendable>(
        for share: WorkShare, _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await HangUp.cancels { [pool] in try await pool.run(for: share) { _ in try body() } }
    }
}

extension WorkLimits {
    /// The limits of each of the server's queues.
    ///
    /// One client may take up to a quarter of the queue. Nobody needs more than a few concurrent
    /// sign-ins to one account.
    package static func server(waitSeconds: Int) -> WorkLimits {
        WorkLimits(total: 256, perOwner: 64, perPart: 16, wait: .seconds(waitSeconds))
    }
}
