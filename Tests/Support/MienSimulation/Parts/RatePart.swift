import MienAPI
import MienCore
import MienServer
import MienStore

/// A limit on an account, which is exact, and one on an address, of which servers lease tokens.
struct RatePart: SimulatedPart {
    private typealias Call = TokenBucketModel.Call
    private static let exact = TokenBucket.Rate(burst: 3, perMinute: 600)
    private static let leased = TokenBucket.Rate(burst: 16, perMinute: 600)
    private static let exactName = "simulation", leasedName = "simulation leased"
    /// The time between two tokens of both, in milliseconds.
    private static let interval: Int64 = 100
    /// How far the time of a call may be from that of another server's at the moment of the commits:
    /// the clocks, and the way to the store.
    private static let difference = 2 * SimulationStage.skew + 4 * SimulationStage.storeDelay

    private let trial: TrialContext
    private let history = HistoryRecorder<TokenBucketModel.Call, TokenBucketModel.Reply>()
    /// The limiters of addresses, by process.
    private let limiters = Mutexed<[String: RateLimiter]>([:])
    private let exactGrants = Mutexed<[Int64]>([])
    private let leasedGrants = Mutexed<[Int64]>([])
    /// The full times of both buckets before a power loss.
    private let before = Mutexed<(exact: Int64, leased: Int64)>((0, 0))
    private let exactReturned = Mutexed<[(at: Int64, tokens: Int)]>([])
    private let leasedReturned = Mutexed<[(at: Int64, tokens: Int)]>([])
    private let lastGrants = Mutexed(0)

    init(_ trial: TrialContext) { self.trial = trial }

    private var world: SimulatedWorld { trial.world }
    var counts: (calls: Int, answers: Int) { count(history) }

    var actions: [SimulatedAction] {
        [
            SimulatedAction(weight: 14, act: { client in await takeExact(client) }),
            SimulatedAction(weight: 12, act: { client in await takeLeased(client) }),
        ]
    }

    // MARK: The exact limit

    /// The server records the call, because the time of its clock matters.
    private func takeExact(_ client: Int) async {
        _ = await trial.request { try await takeExact(client, $0) }
    }

    private func takeExact(_ client: Int, _ services: ServerServices) async throws {
        let at = world.now
        let call = history.begin(
            Call("account", .take(at: services.clock.now.milliseconds)), client: client)
        let isGranted = try await grant(services)
        history.end(call, isGranted ? .granted : .refused)
        if isGranted { exactGrants.value.append(at) }
        world.note("client \(client) takes a token: \(isGranted)")
    }

    private func grant(_ services: ServerServices) async throws -> Bool {
        if trial.bug == .limitsInTwoTransactions { return try await grantWrongly(services) }
        let limit = RateLimit(
            Self.exactName, Self.exact, store: services.store, clock: services.clock)
        let now = services.clock.now
        let isGranted = try await limit.take("account") == nil
        if trial.bug == .refillsForOthers, !isGranted {
            let latest =
                now.milliseconds * 1000
                + Int64(Self.exact.burst) * Self.exact.intervalMicroseconds
            _ = try await trial.stage.store.write(.process) {
                try $0.execute(
                    "UPDATE rate SET full_at = ? WHERE name = ? AND full_at > ?",
                    [.integer(latest), .text(Self.exactName), .integer(latest)])
            }
        }
        return isGranted
    }

    private func grantWrongly(_ services: ServerServices) async throws -> Bool {
        let now = services.clock.now.milliseconds * 1000, store = trial.stage.store,
            interval = Self.exact.intervalMicroseconds
        let fullAt = try await store.read { try Self.fullAt(Self.exactName, $0) }
        let missing = max(0, fullAt - now) + interval
        guard missing <= Int64(Self.exact.burst) * interval else { return false }
        _ = try await store.write(.process) {
            try $0.execute(
                """
                INSERT INTO rate (name, hash, full_at) VALUES (?, ?, ?)
                ON CONFLICT (name, hash) DO UPDATE SET full_at = excluded.full_at
                """,
                [
                    .text(Self.exactName), .blob(hash(Self.exactName, "account")),
                    .integer(now + missing),
                ])
        }
        return true
    }

    private func hash(_ name: String, _ subject: String) -> [UInt8] {
        SimulationStage.keys.hash(ofSecret: Array("rate \(name) \(subject)".utf8))
    }

    private static func fullAt(_ name: String, _ connection: any SQLConnection) throws -> Int64 {
        try connection.rows("SELECT full_at FROM rate WHERE name = ?", [.text(name)]).first?
            .integer(0) ?? 0
    }

    // MARK: The leased limit

    /// A page that an address loads: several requests at once.
    private func takeLeased(_ client: Int) async {
        _ = await trial.request { try await takeLeased(6, $0) }
    }

    private func takeLeased(_ count: Int, _ services: ServerServices) async throws {
        let limiter = try limiter(services)
        for _ in 0..<count {
            let at = world.now
            if try await limiter.take("address", at: services.clock.now) == nil {
                leasedGrants.value.append(at)
                world.note("server \(services.number) admits a request")
            }
        }
    }

    /// The limiter of this process. A server that was killed has lost what it had leased.
    private func limiter(_ services: ServerServices) throws -> RateLimiter {
        let process = Incarnation.current?.name ?? ""
        if let limiter = limiters.value[process] { return limiter }
        let limiter =
            trial.bug == .limitsAlone
            ? RateLimiter(Self.leased)
            : RateLimiter(Self.leasedName, Self.leased, store: services.store)
        limiters.value[process] = limiter
        return limiter
    }

    // MARK: Power losses

    func willLosePower() throws {
        before.value = try trial.stage.database.read {
            (try Self.fullAt(Self.exactName, $0), try Self.fullAt(Self.leasedName, $0))
        }
    }

    /// Takes are not made durable at once: those that the loss undid can be repeated.
    func didLosePower() throws {
        let after = try trial.stage.database.read {
            (
                exact: try Self.fullAt(Self.exactName, $0),
                leased: try Self.fullAt(Self.leasedName, $0)
            )
        }
        let now = (SimulationStage.start.milliseconds + 10_000 + world.now - SimulationStage.skew)
        func tokens(_ before: Int64, _ after: Int64) -> Int {
            Int((max(0, before - max(after, now * 1000)) + 99_999) / (Self.interval * 1000))
        }
        exactReturned.value.append((world.now, tokens(before.value.exact, after.exact)))
        leasedReturned.value.append((world.now, tokens(before.value.leased, after.leased)))
        guard after.exact != before.value.exact else { return }
        history.end(
            history.begin(Call("account", .restore(fullAt: after.exact)), client: 0), .restored)
    }

    // MARK: The end

    /// The buckets fill again, whatever was lost.
    func settle() async {
        await world.pause(Int64(Self.leased.burst) * Self.interval + 2 * Self.difference)
        let server = world.random(0...SimulationStage.serverCount - 1)
        await trial.inProcess(of: server) { services, _ in
            for _ in 0...Self.exact.burst { try? await takeExact(0, services) }
            let admitted = leasedGrants.value.count
            try? await takeLeased(Self.leased.burst + 4, services)
            lastGrants.value = leasedGrants.value.count - admitted
        }
    }

    func judge(_ tables: Tables) throws -> String? {
        if let violation = violation(
            of: TokenBucketModel(
                burst: Self.exact.burst, intervalMicroseconds: Self.exact.intervalMicroseconds),
            history)
        {
            return violation
        }
        func bound(_ rate: TokenBucket.Rate, holdTime: Int64 = 0) -> RateBound {
            RateBound(
                burst: rate.burst, interval: Self.interval, clockDifference: Self.difference,
                holdTime: holdTime)
        }
        if lastGrants.value < Self.leased.burst {
            return "a bucket that had time to fill admits only \(lastGrants.value) requests"
        }
        return bound(Self.exact).violation(of: exactGrants.value, returned: exactReturned.value)
            // A leased token is worth nothing once the bucket has filled.
            ?? bound(
                Self.leased, holdTime: Int64(Self.leased.burst) * Self.interval + Self.difference
            )
            .violation(of: leasedGrants.value, returned: leasedReturned.value)
    }
}
