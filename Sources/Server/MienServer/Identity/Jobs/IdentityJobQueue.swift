internal import MienCore
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
    /// An app may have this many jobs for each free place. A single app fills four fifths of the
    /// queue; the rest stays free for others.
    static let jobsPerFreePlace = 4
    let workers: Int
    /// How long a request waits for its result before it answers `pending`.
    let patience: Duration
    let waiters = IdentityWaiters()
    private let turns = Locked(JobTurns())
    /// As last counted by the worker, at most a second ago.
    private let counted = Locked(0)
    private let wakeUps: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    package init(room: Int = 200, workers: Int = 1, patience: Duration = .seconds(5)) {
        (self.room, self.workers, self.patience) = (room, workers, patience)
        (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The jobs that wait, without those that run.
    package var depth: QueueDepth {
        QueueDepth(waiting: counted.withLock { $0 }, limit: room, workers: workers)
    }

    func count(waiting: Int) { counted.withLock { $0 = waiting } }

    /// Wakes the workers after a job was stored.
    func wakeUp() { wake.yield() }

    /// Each element means that there may be a job. For one consumer.
    var signals: AsyncStream<Void> { wakeUps }

    /// Stores a job.
    ///
    /// - Throws: ``ServerBusy`` if the queue is full. The caller's transaction then changes nothing.
    func add(_ job: IdentityJob, in tables: Tables) throws {
        try requireRoom(for: job.app, in: tables)
        try tables.identityJobs.insert(job)
    }

    /// - Throws: ``ServerBusy`` if the queue is full, or the app's share of it.
    func requireRoom(for app: AppID, in tables: Tables) throws {
        let free = room - (try tables.identityJobs.count())
        guard free > 0, try tables.identityJobs.count(of: app) < Self.jobsPerFreePlace * free
        else { throw ServerBusy() }
    }

    /// Takes the next job of the app whose turn it is.
    ///
    /// - Parameters:
    ///   - running: The jobs that this process does.
    ///   - expiry: The time until which the other servers leave it alone, if there are others.
    func start(
        besides running: Set<String>, at now: Instant, until expiry: Instant?, in tables: Tables
    ) throws -> IdentityJob? {
        try tables.identityJobs.start(besides: running, at: now, until: expiry) { waiting in
            turns.withLock { $0.next(of: waiting) }
        }
    }
}
