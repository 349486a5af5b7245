internal import MienServerCore
internal import MienStore

/// The limits of work in the background, and what connects requests with the workers.
package final class IdentityJobQueue: Sendable {
    /// A job that began this often without an end is given up: it may be what ends the process.
    static let maxStarts = 5
    /// The pauses after judging failed because something was not available. Then the attempt is given
    /// back.
    static let pauses: [Duration] = [
        .seconds(10), .seconds(60), .seconds(600), .seconds(3600),
    ]

    /// The number of jobs that may wait or run.
    let room: Int
    let workers: Int
    /// How long a request waits for its result before it answers `pending`.
    let patience: Duration
    let waiters = IdentityWaiters()
    private let wakeUps: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    package init(room: Int = 200, workers: Int = 1, patience: Duration = .seconds(5)) {
        (self.room, self.workers, self.patience) = (room, workers, patience)
        (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Says that a job was stored.
    func wakeUp() { wake.yield() }

    /// Each element means that there may be a job. For one consumer.
    var signals: AsyncStream<Void> { wakeUps }

    /// Stores a job.
    ///
    /// - Throws: ``ServerBusy`` if the queue is full. The caller's transaction then changes nothing.
    func add(_ job: IdentityJob, in tables: Tables) throws {
        try requireRoom(in: tables)
        try tables.identityJobs.insert(job)
    }

    /// - Throws: ``ServerBusy`` if the queue is full.
    func requireRoom(in tables: Tables) throws {
        guard try tables.identityJobs.count() < room else { throw ServerBusy() }
    }
}
