internal import MienCore
internal import MienFace
package import MienServerCore
package import MienStore
internal import Synchronization

/// Recognizes replayed sessions. The trails of earlier sessions are sealed in the database and kept
/// open in memory for comparison.
package final class ReplayStore: Sendable {
    /// The maximum number of trails, about a kilobyte each. Beyond it, the oldest are dropped.
    package static let maxTrails = 10_000

    private struct Known {
        var trail: ReplayTrail
        let expiresAt: Instant
    }

    private let store: Store
    private let clock: ServerClock
    /// How long a session is remembered. Zero turns recognition off.
    private let lifetime: Duration
    private let known = Mutex<(order: [CaptureID], trails: [CaptureID: Known])>(([], [:]))

    package init(store: Store, clock: ServerClock, days: Int) async throws {
        (self.store, self.clock, lifetime) = (store, clock, .seconds(days * 86_400))
        guard days > 0 else { return }
        let now = clock.now
        for record in try await store.read({ try $0.trails.newest(atMost: Self.maxTrails) })
            .reversed()
        where record.expiresAt > now {
            guard let trail = record.trail.use({ ReplayTrail(bytes: $0) }) else {
                throw StoreError(.corrupt, "a stored capture trail is malformed")
            }
            remember(trail, record.id, until: record.expiresAt)
        }
    }

    /// Accepts a session's frames unless they were seen before. Of two simultaneous sessions with
    /// the same frames, one is accepted.
    ///
    /// - Returns: `false` for a replay.
    func admit(_ hashes: [ReplayHash], trail: ReplayTrail, _ id: CaptureID) -> Bool {
        guard lifetime > .zero else { return true }
        let now = clock.now
        func isReplay(of known: Known) -> Bool {
            known.expiresAt > now && known.trail.isReplayed(by: hashes)
        }
        // Comparing with thousands of trails takes milliseconds, so do it without the lock. Then
        // compare with the trails that were added in the meantime.
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

    /// Returns the record to store for a session that was not a replay, or `nil` if nothing is
    /// stored.
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
        guard known.order.count > maxTrails else { return }
        // Drop many at a time, because removing from the front of a long list one by one is slow.
        for old in known.order.prefix(maxTrails / 10) { known.trails[old] = nil }
        known.order.removeFirst(maxTrails / 10)
    }
}
