internal import Logging
internal import MienCore
internal import MienStore
internal import ServiceLifecycle

/// Removes expired records and renews signing keys every minute, in small batches.
struct Sweeper: Service {
    private static let batch = 2000

    let store: Store
    let captures: CaptureService
    let journeys: JourneyService
    let issuer: TokenIssuer
    /// Older entries of the audit log are removed; `nil` keeps all entries.
    let auditRetention: Duration?
    let clock: ServerClock
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    func sweep() async {
        let now = clock.now
        // Sweep sessions first: once a session's record is gone, nothing about it can be written to
        // the audit log.
        await part("live captures") { try await captures.sweepLive() }
        for (name, remove) in Self.tables {
            await part(name) {
                while try await store.write(.process, { try remove($0, now, Self.batch) })
                    == Self.batch
                {}
            }
        }
        await part("counted refusals") { try await writeCounted() }
        await part("old audit entries") { try await pruneAudit(at: now) }
        journeys.sweepRecent()
        await part("signing keys") { try await issuer.refresh(at: now) }
    }

    /// Writes the counted refusals to the audit log.
    func writeCounted() async throws {
        guard try await store.read({ try $0.audit.hasCounted() }) else { return }
        let now = clock.now
        _ = try await store.write { try $0.audit.writeCounted(at: now) }
    }

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

    /// Runs one part of the sweep. A failure does not prevent the other parts.
    private func part(_ name: String, _ body: () async throws -> Void) async {
        do { try await body() } catch {
            logger.error(
                "sweeping failed; retrying in a minute",
                metadata: ["sweep.part": "\(name)", "error.type": "\(type(of: error))"])
        }
    }

    private static let tables:
        [(name: String, remove: @Sendable (Tables, Instant, Int) throws -> Int)] = [
            ("sign-ups", { try $0.accounts.sweepPending(at: $1, atMost: $2) }),
            ("runs", { try $0.runs.sweep(at: $1, atMost: $2) }),
            ("captures", { try $0.captures.sweep(at: $1, atMost: $2) }),
            (
                "capture trails",
                { try $0.trails.sweep(at: $1, keeping: ReplayStore.maxTrails, atMost: $2) }
            ),
            ("codes", { try $0.codes.sweep(at: $1, atMost: $2) }),
            ("grants", { try $0.grants.sweep(at: $1, atMost: $2) }),
            ("challenges", { try $0.challenges.sweep(at: $1, atMost: $2) }),
            ("authorization codes", { try $0.authorizationCodes.sweep(at: $1, atMost: $2) }),
            ("spent", { try $0.spent.sweep(at: $1, atMost: $2) }),
            ("recoveries", { try $0.recoveries.sweep(at: $1, atMost: $2) }),
            ("mailed links", { try $0.mailedLinks.sweep(at: $1, atMost: $2) }),
            ("token registrations", { try $0.otpRegistrations.sweep(at: $1, atMost: $2) }),
        ]
}
