internal import Logging
internal import MienCore
internal import MienStore
internal import MienVault

/// The pass that seals again what earlier keys sealed.
extension MasterKeyRotation {
    /// Records that one transaction looks at, so that no other write waits long.
    private static let batch = 200
    private static let pause = Duration.milliseconds(10)
    private static let retry = Duration.seconds(60)
    /// One server seals for all. If it dies, another begins again after this time.
    private static let lease = "master-key", leaseTime = Duration.seconds(60)

    func sealAgain() async {
        isSealing = true
        defer { isSealing = false }
        guard store.isShared else { return await pass(under: nil) }
        guard let lease = try? await takeLease() else { return }
        await HeldLease.$current.withValue(lease) { await pass(under: lease) }
    }

    private func takeLease() async throws -> Lease? {
        try await store.takeLease(
            Self.lease, for: holder, at: clock.now, lasting: Self.leaseTime)
    }

    /// Seals again until no further pass was asked for meanwhile.
    private func pass(under lease: Lease?) async {
        let version = ring.active.version
        var progress = Progress(leasedAt: clock.now)
        do {
            while true {
                let requests = try await untilDone { [store] in
                    try await store.read { try $0.masterKeyTable.passRequests() }
                }
                try await walk(under: lease, &progress)
                if try await note(version, requests, progress.sealed, under: lease) { break }
            }
        } catch { return }
        let sealed = progress.sealed
        guard sealed > 0 else { return }
        logger.notice(
            "sealed all records under the master key in use",
            metadata: ["record.count": "\(sealed)", "key.version": "\(version)"])
    }

    private struct Progress {
        /// The number of records that were sealed again.
        var sealed = 0
        /// When the lease was last taken.
        var leasedAt: Instant
    }

    /// Seals again what is not sealed under the key in use, from the first record to the last.
    ///
    /// - Throws: ``Ended``.
    private func walk(under lease: Lease?, _ progress: inout Progress) async throws(Ended) {
        var position = MasterKeyUse.Position()
        while !position.isAtEnd {
            let from = position
            let (next, count) = try await untilDone { [store] in
                try await store.write {
                    var position = from
                    let count = try $0.masterKeys.reseal(from: &position, atMost: Self.batch)
                    return (position, count)
                }
            }
            position = next
            progress.sealed += count
            if lease != nil, clock.now > progress.leasedAt + .seconds(20) {
                let held = try await untilDone { try await self.takeLease() }
                guard held == lease else { throw Ended() }
                progress.leasedAt = clock.now
            }
            if count > 0 { try? await Task.sleep(for: Self.pause) }
        }
    }

    /// - Returns: `false` if another pass was asked for during this one.
    /// - Throws: ``Ended`` if it could not be noted, after which the pass is repeated.
    private func note(_ version: UInt32, _ requests: Int64, _ sealed: Int, under lease: Lease?)
        async throws(Ended) -> Bool
    {
        let now = clock.now
        do {
            return try await store.write { tables in
                if let lease {
                    guard
                        try tables.masterKeyTable.notePass(version, requests: requests, at: now)
                    else { return false }
                    try tables.leases.release(lease)
                }
                if sealed > 0 {
                    try tables.audit.append(
                        .masterKey("master-key.sealed", version, by: "system"), at: now)
                }
                return true
            }
        } catch {
            logger.warning(
                "the end of sealing under the new master key could not be noted; it is repeated",
                metadata: ["error.type": "\(type(of: error))"])
            throw Ended()
        }
    }

    /// An early end of the pass: the server stops, another one has taken over, or the pass is to be
    /// repeated.
    private struct Ended: Error {}

    /// Repeats a part of a pass until the store can be used.
    private func untilDone<Output: Sendable>(
        _ body: @Sendable () async throws -> Output
    ) async throws(Ended) -> Output {
        while true {
            if Task.isCancelled { throw Ended() }
            do { return try await body() } catch {
                if error is CancellationError || (error as? StoreError)?.code == .stale {
                    throw Ended()
                }
                logger.error(
                    "sealing under the new master key failed; retrying in a minute",
                    metadata: ["error.type": "\(type(of: error))"])
                try? await Task.sleep(for: Self.retry)
            }
        }
    }
}
