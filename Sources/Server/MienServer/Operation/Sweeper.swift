internal import Logging
internal import MienCore
internal import MienStore
internal import ServiceLifecycle

/// Removes what has expired, renews signing keys: every minute, a little at a time.
struct Sweeper: Service {
    private static let batch = 2000

    let store: Store
    let captures: CaptureService
    let journeys: JourneyService
    let issuer: TokenIssuer
    /// Entries of the audit log that are older are removed; `nil` for none.
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
        // First of all: of a session whose record is gone nothing could be written into the audit
        // log any more.
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

    /// Puts the refusals that were counted into the audit log.
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

    /// One that fails does not keep the others from their turn.
    private func part(_ name: String, _ body: () async throws -> Void) async {
        do { try await body() } catch {
            logger.error(
                "sweeping failed; it is tried again in a minute",
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
