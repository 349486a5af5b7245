package import Logging
package import MienCore
package import MienStore
internal import ServiceLifecycle

/// Removes expired records and renews signing keys every minute, in small batches.
///
/// Of servers that share a database, one removes the records: the one that holds a lease. If it is
/// paused for longer than that and another server takes over, its writes are refused.
package struct Sweeper: Service, NamedByType {
    /// One part of the sweep. A failure does not prevent the other parts.
    package struct Part: Sendable {
        let name: String
        /// Whether each server does it for itself, because it is about what the process keeps.
        let isOwn: Bool
        let sweep: @Sendable (_ now: Instant) async throws -> Void

        package init(
            name: String, isOwn: Bool = false,
            sweep: @escaping @Sendable (_ now: Instant) async throws -> Void
        ) {
            (self.name, self.isOwn, self.sweep) = (name, isOwn, sweep)
        }
    }

    private static let batch = 2000
    private static let lease = "sweep", leaseTime = Duration.seconds(180)

    let store: Store
    /// The name of this process.
    let holder: String
    /// The parts of other features that run before expired records are removed, and after.
    let before, after: [Part]
    /// The number of capture trails that are kept.
    let maxTrails: Int
    /// Older entries of the audit log are removed; `nil` keeps all entries.
    let auditRetention: Duration?
    let clock: ServerClock
    let logger: Logger

    package init(
        store: Store, holder: String, before: [Part], after: [Part], maxTrails: Int,
        auditRetention: Duration?, clock: ServerClock, logger: Logger
    ) {
        self.holder = holder
        (self.store, self.before, self.after, self.maxTrails, self.auditRetention) = (
            store, before, after, maxTrails, auditRetention
        )
        (self.clock, self.logger) = (clock, logger)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    package func sweep() async {
        guard store.isShared else { return await sweep(isLeader: true) }
        do {
            let lease = try await takeLease()
            await HeldLease.$current.withValue(lease) { await sweep(isLeader: lease != nil) }
        } catch {
            log("the lease for sweeping", error)
            await sweep(isLeader: false)
        }
    }

    private func takeLease() async throws -> Lease? {
        try await store.takeLease(
            Self.lease, for: holder, at: clock.now, lasting: Self.leaseTime)
    }

    /// - Parameter isLeader: Whether to sweep what the servers share.
    private func sweep(isLeader: Bool) async {
        let now = clock.now
        for part in before where part.isOwn || isLeader {
            await run(part.name) { try await part.sweep(now) }
        }
        if isLeader { await sweepTables(at: now) }
        for part in after where part.isOwn || isLeader {
            await run(part.name) { try await part.sweep(now) }
        }
    }

    private func sweepTables(at now: Instant) async {
        for (name, remove) in tables {
            await run(name) {
                while try await store.write(.process, { try remove($0, now, Self.batch) })
                    == Self.batch
                {}
            }
        }
        await run("counted refusals") { try await writeCounted() }
        await run("old audit entries") { try await pruneAudit(at: now) }
    }

    /// Writes the counted refusals to the audit log.
    package func writeCounted() async throws { try await store.writeCounted(at: clock.now) }

    private func pruneAudit(at now: Instant) async throws {
        guard let auditRetention else { return }
        let cutoff = now - auditRetention
        var removed = 0, batch = 0
        repeat {
            batch = try await store.write(.process) {
                try $0.audit.prune(before: cutoff, atMost: Self.batch, at: now)
            }
            removed += batch
        } while batch == Self.batch
        guard removed > 0 else { return }
        let count = removed
        try await store.write {
            try $0.audit.append(.pruned(count, through: $0.audit.start(), by: "system"), at: now)
        }
    }

    private func run(_ name: String, _ body: () async throws -> Void) async {
        do {
            // A long sweep extends its lease. Without it, the part fails at its first write.
            if HeldLease.current != nil { _ = try await takeLease() }
            try await body()
        } catch { log(name, error) }
    }

    private func log(_ part: String, _ error: any Error) {
        logger.error(
            "sweeping failed; retrying in a minute",
            metadata: ["sweep.part": "\(part)", "error.type": "\(type(of: error))"])
    }

    private var tables: [(name: String, remove: @Sendable (Tables, Instant, Int) throws -> Int)] {
        [
            ("sign-ups", { try $0.accounts.sweepPending(at: $1, atMost: $2) }),
            ("runs", { try $0.runs.sweep(at: $1, atMost: $2) }),
            ("captures", { try $0.captures.sweep(at: $1, atMost: $2) }),
            (
                "capture trails",
                { [maxTrails] in try $0.trails.sweep(at: $1, keeping: maxTrails, atMost: $2) }
            ),
            ("kept faces", { try $0.keptFaces.sweep(at: $1, atMost: $2) }),
            ("codes", { try $0.codes.sweep(at: $1, atMost: $2) }),
            ("grants", { try $0.grants.sweep(at: $1, atMost: $2) }),
            ("challenges", { try $0.challenges.sweep(at: $1, atMost: $2) }),
            ("authorization codes", { try $0.authorizationCodes.sweep(at: $1, atMost: $2) }),
            ("administrators' sessions", { try $0.adminSessions.sweep(at: $1, atMost: $2) }),
            ("administrators' codes", { try $0.adminOffers.sweep(at: $1, atMost: $2) }),
            (
                "invitations to organizations",
                { try $0.organizationInvitations.sweep(at: $1, atMost: $2) }
            ),
            ("browsers", { try $0.web.sweep(at: $1, atMost: $2) }),
            (
                "servers",
                { try $0.servers.sweep(unseenSince: $1 - .seconds(3600), atMost: $2) }
            ),
            ("rate limits", { try $0.rates.sweep(at: $1, atMost: $2) }),
            ("spent", { try $0.spent.sweep(at: $1, atMost: $2) }),
            ("recoveries", { try $0.recoveries.sweep(at: $1, atMost: $2) }),
            ("mailed links", { try $0.mailedLinks.sweep(at: $1, atMost: $2) }),
            ("approvals", { try $0.approvals.sweep(at: $1, atMost: $2) }),
            ("token registrations", { try $0.otpRegistrations.sweep(at: $1, atMost: $2) }),
        ]
    }
}

extension Store {
    /// Writes the counted refusals to the audit log, so that it is complete.
    func writeCounted(at now: Instant) async throws {
        guard try await read({ try $0.audit.hasCounted() }) else { return }
        _ = try await write { try $0.audit.writeCounted(at: now) }
    }
}
