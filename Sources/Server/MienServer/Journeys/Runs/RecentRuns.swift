internal import MienCore
internal import MienJourney
internal import MienStore
internal import Synchronization

/// A cache of the most recent runs, decrypted and decoded. Most clients respond within seconds, so
/// their run need not be read again.
///
/// The store remains the authority: writing an outdated run fails, and the run is then read from
/// the store. Where another server may have advanced a run, its revision is compared before it is
/// used, so that nothing is done on an outdated one. The cache holds no run for longer than a minute
/// after its row is gone: the sweep drops expired runs and those of deleted accounts and apps, together with
/// the user's input.
final class RecentRuns: Sendable {
    struct Run: Sendable {
        let record: JourneyRunRecord
        let state: RunState
    }

    /// The maximum number of cached runs. At least the newest half of them is kept.
    static let maxRuns = 1024
    /// The maximum size of a cached run: its state and last answer.
    static let maxBytes = 16 * 1024

    /// Two generations: when the newer one is full, it replaces the older one.
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

    /// The cached runs.
    var ids: [InstanceID] {
        halves.withLock { halves in Array(halves.newer.keys) + Array(halves.older.keys) }
    }

    /// Drops expired runs.
    func sweep(at now: Instant) {
        halves.withLock { halves in
            halves.newer = halves.newer.filter { $0.value.record.expiresAt > now }
            halves.older = halves.older.filter { $0.value.record.expiresAt > now }
        }
    }
}
