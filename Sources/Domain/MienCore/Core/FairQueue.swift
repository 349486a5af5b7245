/// Decides which waiting job runs next, so that one client's load delays others by a few jobs
/// instead of by all of its own.
///
/// A pure value that reads no clock and owns no thread. Jobs are divided by ``WorkShare``:
///
/// - Between ranks, turns are weighted: a known device is served first, and every waiting rank gets
///   its part of the turns.
/// - Within a rank, owners take turns; within an owner, parts take turns; within a part, jobs run
///   in order of arrival.
/// - Room is divided the same way. When the queue is full, a job of a smaller share displaces the
///   newest job of the largest one, so a client that fills the queue displaces its own jobs.
/// - A job that has waited for ``WorkLimits/wait`` never runs; ``expire(at:)`` returns it.
public struct FairQueue<Job> {
    public typealias Ticket = UInt64

    public enum Addition {
        case waiting
        /// The job waits, and this job of a larger share was displaced.
        case displaced(Job)
        /// The share, or the whole queue, is full.
        case refused
    }

    private struct Part { var jobs: [(ticket: Ticket, job: Job)] = [] }

    private struct Owner {
        var parts = TurnRing<Part>()
        var count = 0

        /// The part with the most jobs.
        var longest: (key: String, count: Int)? {
            parts.values.max { ($0.value.jobs.count, $0.key) < ($1.value.jobs.count, $1.key) }.map {
                ($0.key, $0.value.jobs.count)
            }
        }
    }

    private struct Level {
        var owners = TurnRing<Owner>()
        var count = 0
        /// Rises by 12 / weight with each turn; the waiting level with the lowest value is next.
        var pass = 0

        var longest: (key: String, count: Int)? {
            owners.values.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }.map {
                ($0.key, $0.value.count)
            }
        }
    }

    public let limits: WorkLimits
    private var levels = WorkShare.Rank.allCases.map { _ in Level() }
    private var waiting: [Ticket: (share: WorkShare, deadline: ContinuousClock.Instant?)] = [:]
    /// The pass of the last turn. A level with nothing waiting does not save up turns.
    private var pass = 0
    /// No job expires before this moment.
    private var nextDeadline: ContinuousClock.Instant?

    public init(_ limits: WorkLimits) { self.limits = limits }

    public var count: Int { waiting.count }
    public var isEmpty: Bool { waiting.isEmpty }

    // MARK: Adding and removing

    /// Adds a job.
    ///
    /// - Parameter ticket: an identifier that no other waiting job has.
    public mutating func add(
        _ job: Job, _ ticket: Ticket, for share: WorkShare, at now: ContinuousClock.Instant
    ) -> Addition {
        let owner = levels[share.rank.rawValue].owners[share.owner],
            own = owner?.parts[share.part]?.jobs.count ?? 0
        guard own < limits.perPart else { return .refused }
        var displaced: Job?
        if let owner, owner.count >= limits.perOwner {
            guard let longest = owner.longest, longest.count > own + 1 else { return .refused }
            displaced = removeNewest(share.rank, share.owner, longest.key)
        } else if count >= limits.total {
            guard let (rank, victim) = largestShare(for: share, holding: owner?.count ?? 0),
                let part = levels[rank.rawValue].owners[victim]?.longest
            else { return .refused }
            displaced = removeNewest(rank, victim, part.key)
        }
        insert(job, ticket, share, at: now)
        return displaced.map { .displaced($0) } ?? .waiting
    }

    /// Whether the queue would accept a job of this share now.
    public func hasRoom(for share: WorkShare) -> Bool {
        let owner = levels[share.rank.rawValue].owners[share.owner],
            own = owner?.parts[share.part]?.jobs.count ?? 0
        guard own < limits.perPart else { return false }
        if let owner, owner.count >= limits.perOwner {
            return owner.longest.map { $0.count > own + 1 } ?? false
        }
        return count < limits.total || largestShare(for: share, holding: owner?.count ?? 0) != nil
    }

    /// Removes a waiting job.
    public mutating func remove(_ ticket: Ticket) -> Job? {
        guard let share = waiting.removeValue(forKey: ticket)?.share else { return nil }
        return change(share.rank, share.owner, share.part) { jobs in
            jobs.remove(at: jobs.firstIndex { $0.ticket == ticket }!).job
        }
    }

    /// Removes the jobs whose wait is over, oldest first.
    public mutating func expire(at now: ContinuousClock.Instant) -> [Job] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let expired = waiting.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted()
        let jobs = expired.compactMap { remove($0) }
        self.nextDeadline = waiting.values.compactMap(\.deadline).min()
        return jobs
    }

    /// Removes all jobs, oldest first.
    public mutating func removeAll() -> [Job] { waiting.keys.sorted().compactMap { remove($0) } }

    // MARK: Turns

    /// Returns the job whose turn it is, or `nil` if none waits. Call ``expire(at:)`` first.
    public mutating func next() -> Job? {
        guard
            let rank = WorkShare.Rank.allCases.filter({ levels[$0.rawValue].count > 0 }).min(by: {
                pass(of: $0) < pass(of: $1)
            })
        else {
            return nil
        }
        pass = levels[rank.rawValue].pass
        levels[rank.rawValue].pass += 12 / rank.weight
        levels[rank.rawValue].count -= 1
        let (ticket, job) = levels[rank.rawValue].owners.takeTurn { owner -> (Ticket, Job) in
            defer { if owner!.count == 0 { owner = nil } }
            owner!.count -= 1
            return owner!.parts.takeTurn { part in
                defer { if part!.jobs.isEmpty { part = nil } }
                return part!.jobs.removeFirst()
            }
        }
        waiting[ticket] = nil
        return job
    }

    private func pass(of rank: WorkShare.Rank) -> Int { levels[rank.rawValue].pass }

    // MARK: Room

    /// Returns the share that gives up a slot in a full queue: the largest of a lower rank that
    /// holds more than its reserve, or the largest of the same rank if it stays larger than the
    /// newcomer's.
    private func largestShare(for share: WorkShare, holding own: Int) -> (WorkShare.Rank, String)? {
        for rank in WorkShare.Rank.allCases.reversed()
        where rank > share.rank && levels[rank.rawValue].count > limits.total / 8 {
            if let longest = levels[rank.rawValue].longest { return (rank, longest.key) }
        }
        guard let longest = levels[share.rank.rawValue].longest, longest.count > own + 1 else {
            return nil
        }
        return (share.rank, longest.key)
    }

    private mutating func insert(
        _ job: Job, _ ticket: Ticket, _ share: WorkShare, at now: ContinuousClock.Instant
    ) {
        let level = share.rank.rawValue, deadline = limits.wait.map { now + $0 }
        if levels[level].count == 0 { levels[level].pass = max(levels[level].pass, pass) }
        levels[level].count += 1
        levels[level].owners.update(share.owner) { owner in
            owner = owner ?? Owner()
            owner!.count += 1
            owner!.parts.update(share.part) { part in
                part = part ?? Part()
                part!.jobs.append((ticket, job))
            }
        }
        let isNew = waiting.updateValue((share, deadline), forKey: ticket) == nil
        precondition(isNew, "ticket \(ticket) is already in use")
        nextDeadline = [nextDeadline, deadline].compactMap { $0 }.min()
    }

    private mutating func removeNewest(_ rank: WorkShare.Rank, _ owner: String, _ part: String)
        -> Job
    {
        let (ticket, job) = change(rank, owner, part) { $0.removeLast() }
        waiting[ticket] = nil
        return job
    }

    private mutating func change<Output>(
        _ rank: WorkShare.Rank, _ owner: String, _ part: String,
        _ body: (inout [(ticket: Ticket, job: Job)]) -> Output
    ) -> Output {
        levels[rank.rawValue].count -= 1
        return levels[rank.rawValue].owners.update(owner) { owner in
            defer { if owner!.count == 0 { owner = nil } }
            owner!.count -= 1
            return owner!.parts.update(part) { part in
                defer { if part!.jobs.isEmpty { part = nil } }
                return body(&part!.jobs)
            }
        }
    }
}
