internal import MienCore
internal import MienInference

/// A few threads for expensive work of one kind, shared fairly among clients: passwords,
/// signatures. Faces have their own threads and the same queue.
final class WorkQueue: Sendable {
    private let pool: WorkerPool<Void>

    init(_ label: String, workers: Int, limits: WorkLimits) {
        pool = WorkerPool(workers: workers, limits: limits, label: label) {}
    }

    /// Refuses work of a share that is full before anything is done for it, such as a write to the
    /// database.
    ///
    /// - Throws: ``ServerBusy``.
    func requireRoom(for share: WorkShare) throws(ServerBusy) {
        if !pool.hasRoom(for: share) { throw ServerBusy() }
    }

    /// - Throws: what `body` throws; ``ServerBusy`` when there is no room or no turn in time;
    ///   `CancellationError` when the client hung up.
    func run<Output: Sendable>(
        for share: WorkShare, _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await Self.wait { [pool] in try await pool.run(for: share) { _ in try body() } }
    }

    /// Waits for a worker of any pool, as long as the client does.
    static func wait<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output)
        async throws -> Output
    {
        do { return try await HangUp.cancels(body) } catch let error as InferenceError
            where error.code == .busy
        { throw ServerBusy() }
    }
}

extension WorkLimits {
    /// The limits of each of the server's queues.
    ///
    /// One client may wait for a quarter of the places, and nobody needs more than a few sign-ins
    /// to one account at a time.
    static func server(waitSeconds: Int) -> WorkLimits {
        WorkLimits(total: 256, perOwner: 64, perPart: 16, wait: .seconds(waitSeconds))
    }
}
