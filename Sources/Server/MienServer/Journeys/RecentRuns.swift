internal import MienCore
internal import MienJourney
internal import MienStore
internal import Synchronization

/// The runs that went on last, opened and decoded: most clients answer within seconds, and their
/// run need not be read again.
///
/// Only a hint. What is stored decides: a run that has gone on elsewhere refuses to be written
/// over, and is then read. Nothing is held longer than its row: with what people typed into it, a
/// run goes at the sweep after its end, as the row does.
final class RecentRuns: Sendable {
    struct Run: Sendable {
        let record: JourneyRunRecord
        let state: RunState
    }

    /// Runs kept, at least half of them the newest.
    static let maxRuns = 1024
    /// A run whose state and last answer are longer is not kept.
    static let maxBytes = 16 * 1024

    /// Two halves: when the newer one is full, the older one goes.
    private struct Halves {
        var newer: [InstanceID: Run] = [:]
        var older: [InstanceID: Run] = [:]
    }

    private let halves = Mutex(Halves())

    func keep(_ record: JourneyRunRecord, _ state: RunState) {
        let bytes = record.state.use { $0.count } + (record.used?.answer.use { $0.count } ?? 0)
        let isSmall = bytes <= Self.maxBytes && !state.instance.hasEnded
        halves.withLock { halves in
            halves.older[record.id] = nil
            halves.newer[record.id] = isSmall ? Run(record: record, state: state) : nil
            if halves.newer.count >= Self.maxRuns / 2 {
                halves.older = halves.newer
                halves.newer = [:]
            }
        }
    }

    func find(_ id: InstanceID) -> Run? { halves.withLock { $0.newer[id] ?? $0.older[id] } }

    func forget(_ id: InstanceID) {
        halves.withLock { halves in
            halves.newer[id] = nil
            halves.older[id] = nil
        }
    }

    /// Forgets runs that nobody may answer any more.
    func sweep(at now: Instant) {
        halves.withLock { halves in
            halves.newer = halves.newer.filter { $0.value.record.expiresAt > now }
            halves.older = halves.older.filter { $0.value.record.expiresAt > now }
        }
    }
}
