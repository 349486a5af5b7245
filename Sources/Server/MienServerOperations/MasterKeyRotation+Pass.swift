internal import Logging
internal import MienCore
internal import MienSealing
internal import MienServerCore
internal import MienStore

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

    private func pass(under lease: Lease?) async {
        let version = ring.active.version
        var position = MasterKeyUse.Position(), sealed = 0, extended = clock.now
        while !position.isAtEnd, !Task.isCancelled {
            do {
                let from = position
                let (next, count) = try await store.write {
                    var position = from
                    let count = try $0.masterKeys.reseal(from: &position, atMost: Self.batch)
                    return (position, count)
                }
                (position, sealed) = (next, sealed + count)
                if lease != nil, clock.now > extended + .seconds(20) {
                    guard try await takeLease() == lease else { return }
                    extended = clock.now
                }
                if count > 0 { try await Task.sleep(for: Self.pause) }
            } catch is CancellationError { return } catch {
                // Another server has taken over.
                if (error as? StoreError)?.code == .stale { return }
                logger.error(
                    "sealing under the new master key failed; retrying in a minute",
                    metadata: ["error.type": "\(type(of: error))"])
                try? await Task.sleep(for: Self.retry)
            }
        }
        guard position.isAtEnd else { return }
        let now = clock.now, count = sealed
        do {
            try await store.write { tables in
                if let lease {
                    try tables.masterKeyTable.notePass(version, at: now)
                    try tables.leases.release(lease)
                }
                guard count > 0 else { return }
                try tables.audit.append(
                    .masterKey("master-key.sealed", version, by: "system"), at: now)
            }
        } catch {
            return logger.warning(
                "the end of sealing under the new master key could not be noted; it is repeated",
                metadata: ["error.type": "\(type(of: error))"])
        }
        guard count > 0 else { return }
        logger.notice(
            "sealed all records under the master key in use",
            metadata: ["record.count": "\(count)", "key.version": "\(version)"])
    }
}
