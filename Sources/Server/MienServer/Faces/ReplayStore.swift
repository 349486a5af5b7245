internal import MienCore
internal import MienFace
package import MienStore

/// Recognizes replayed sessions. The trails of earlier sessions are sealed in the store, under keyed
/// hashes of their bands (``ReplayBands``): only those that a session may replay are decrypted.
package struct ReplayStore: Sendable {
    /// The maximum number of trails, about a kilobyte each. Beyond it, the oldest are dropped.
    package static let maxTrails = 10_000

    private let store: Store
    private let clock: ServerClock
    /// How long a session is remembered. Zero turns recognition off.
    private let lifetime: Duration

    package init(store: Store, clock: ServerClock, days: Int) {
        (self.store, self.clock, lifetime) = (store, clock, .seconds(days * 86_400))
    }

    /// Accepts a session's frames unless they were seen before, and stores its trail. Of two
    /// simultaneous sessions with the same frames, one is accepted, whichever servers they are on.
    ///
    /// - Returns: `false` for a replay.
    func admit(_ hashes: [ReplayHash], trail: ReplayTrail, _ id: CaptureID) async throws -> Bool {
        guard lifetime > .zero else { return true }
        let now = clock.now, bands = trail.bands,
            probes = ReplayTrail.bands(nearAnyOf: hashes)
        let (last, found) = try await store.read {
            (try $0.trails.last(), try $0.trails.stored(under: probes))
        }
        if try Self.isReplay(hashes, of: found, besides: id, at: now) { return false }
        let record =
            trail.hashes.count < ReplayTrail.minIndices
            ? nil
            : CaptureTrailRecord(
                id: id, trail: Sensitive(trail.bytes), expiresAt: now + lifetime)
        return try await store.write(.process) { tables in
            // Compare with the trails that were added in the meantime, which are few.
            let newer = try tables.trails.stored(after: last)
            if try Self.isReplay(hashes, of: newer, besides: id, at: now) { return false }
            if let record { try tables.trails.insert(record, bands: bands) }
            return true
        }
    }

    private static func isReplay(
        _ hashes: [ReplayHash], of records: [CaptureTrailRecord], besides id: CaptureID,
        at now: Instant
    ) throws -> Bool {
        try records.contains {
            guard $0.id != id, $0.expiresAt > now else { return false }
            return try trail($0).isReplayed(by: hashes)
        }
    }

    private static func trail(_ record: CaptureTrailRecord) throws -> ReplayTrail {
        guard let trail = record.trail.use({ ReplayTrail(bytes: $0) }) else {
            throw StoreError(.corrupt, "a stored capture trail is malformed")
        }
        return trail
    }
}
