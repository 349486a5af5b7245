internal import MienCore
internal import MienFace
internal import MienStore
internal import Synchronization

/// Knows sessions again: trails of earlier ones, sealed in the database, open in memory to be
/// compared with.
final class ReplayStore: Sendable {
    /// Trails kept, about a kilobyte each; then the oldest goes.
    static let most = 10_000

    private struct Known {
        var trail: ReplayTrail
        let expiresAt: Instant
    }

    private let store: Store
    private let clock: ServerClock
    /// How long a session is remembered; zero: not at all.
    private let lifetime: Duration
    private let known = Mutex<(order: [CaptureID], trails: [CaptureID: Known])>(([], [:]))

    init(store: Store, clock: ServerClock, days: Int) async throws {
        (self.store, self.clock, lifetime) = (store, clock, .seconds(days * 86_400))
        guard days > 0 else { return }
        let now = clock.now
        for record in try await store.read({ try $0.trails.newest(atMost: Self.most) }).reversed()
        where record.expiresAt > now {
            guard let trail = record.trail.use({ ReplayTrail(bytes: $0) }) else {
                throw StoreError(.corrupt, "a capture's trail is not understood")
            }
            remember(trail, record.id, until: record.expiresAt)
        }
    }

    /// Takes a session's frames, unless they were there before. Of two that come at once with the
    /// same frames one is taken.
    ///
    /// - Returns: `false` for a replay.
    func admit(_ hashes: [ReplayHash], trail: ReplayTrail, _ id: CaptureID) -> Bool {
        guard lifetime > .zero else { return true }
        let now = clock.now
        func isReplay(of known: Known) -> Bool {
            known.expiresAt > now && known.trail.isReplayed(by: hashes)
        }
        // Comparing with thousands takes milliseconds: not while others wait. Then with those that
        // came in the meantime.
        let before = known.withLock { $0.trails }
        if before.contains(where: { $0.key != id && isReplay(of: $0.value) }) { return false }
        return known.withLock { known in
            let newer = known.order.reversed().prefix { before[$0] == nil }
            if newer.contains(where: { $0 != id && known.trails[$0].map(isReplay) == true }) {
                return false
            }
            Self.add(trail, id, until: now + lifetime, to: &known)
            return true
        }
    }

    /// What to write down of a session that was no replay; `nil` when nothing is.
    func record(_ trail: ReplayTrail, _ id: CaptureID) -> CaptureTrailRecord? {
        guard lifetime > .zero, trail.hashes.count >= ReplayTrail.minIndices else { return nil }
        return CaptureTrailRecord(
            id: id, trail: Sensitive(trail.bytes), expiresAt: clock.now + lifetime)
    }

    private func remember(_ trail: ReplayTrail, _ id: CaptureID, until end: Instant) {
        known.withLock { Self.add(trail, id, until: end, to: &$0) }
    }

    private static func add(
        _ trail: ReplayTrail, _ id: CaptureID, until end: Instant,
        to known: inout (order: [CaptureID], trails: [CaptureID: Known])
    ) {
        guard trail.hashes.count >= ReplayTrail.minIndices, known.trails[id] == nil else { return }
        known.trails[id] = Known(trail: trail, expiresAt: end)
        known.order.append(id)
        guard known.order.count > most else { return }
        // Many at a time: taking from the front of a long list one by one is slow.
        for old in known.order.prefix(most / 10) { known.trails[old] = nil }
        known.order.removeFirst(most / 10)
    }
}
