internal import MienCore
internal import MienJourney
internal import MienStore
internal import Synchronization

/// The runs that went on last, opened and decoded: most clients answer within seconds, and their run need not be read again.
///
/// Only a hint. What is stored decides: a run that has gone on elsewhere refuses to be written over, and is then read.
final class RecentRuns: Sendable {
    struct Run: Sendable {
        let record: JourneyRunRecord
        let state: RunState
    }

    /// Runs kept, at least half of them the newest.
    static let mostRuns = 1024
    /// A run whose state is longer is not kept.
    static let mostBytes = 16 * 1024

    /// Two halves: when the newer one is full, the older one goes.
    private struct Halves {
        var newer: [InstanceID: Run] = [:]
        var older: [InstanceID: Run] = [:]
    }

    private let halves = Mutex(Halves())

    func keep(_ record: JourneyRunRecord, _ state: RunState) {
        let isSmall = record.state.use { $0.count } <= Self.mostBytes && !state.instance.hasEnded
        halves.withLock { halves in
            halves.older[record.id] = nil
            halves.newer[record.id] = isSmall ? Run(record: record, state: state) : nil
            if halves.newer.count >= Self.mostRuns / 2 {
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
}
