import Logging
import MienAPI
import MienCore
import MienServer
import MienStore
import MienVault
import Synchronization

/// Everything that the trials of one thread share: a database with an app, an account, and its authenticators,
/// and the services of the servers. A trial undoes what it changed.
///
/// The services keep nothing between requests except the app's settings and the signing keys, which
/// no trial changes, so a crash need not make them again.
public final class SimulationStage: Sendable {
    static let serverCount = 3
    static let app = AppID("app_simulation")!
    static let account = UserID("usr_simulation")!
    static let face = AuthenticatorID("aut_simulation_face")!
    static let recovery = AuthenticatorID("aut_simulation_recovery")!
    static let start = Instant(milliseconds: 1_700_000_000_000)
    static let keys = StoreKeys(MasterKey(bytes: Array(1...32)))
    /// The most by which a server's clock differs from the true time, in milliseconds.
    static let skew: Int64 = 300
    /// The longest way to the store, and back, in milliseconds.
    static let storeDelay: Int64 = 15
    static let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }

    /// An app and a person whose wrong faces add up, because nothing locks.
    static let captureApp = AppID("app_simulation_captures")!
    static let captureAccount = UserID("usr_simulation_captures")!
    static let captureFace = AuthenticatorID("aut_simulation_captures")!

    /// Small, so that short trials reach every state.
    static let policy = try! LockPolicy(failedAttempts: 3, lockoutSeconds: 1, disableAfter: 8)

    let database: MemoryDatabase
    let store: SimulatedStore
    let servers: [ServerServices]
    let appRecord: AppRecord
    let faceRecord: AuthenticatorRecord
    let captureAppRecord: AppRecord
    let captureFaceRecord: AuthenticatorRecord
    /// The account's epoch, which sign-ins name.
    let epoch: Int
    /// The entries of the audit log before a trial.
    let auditEntries: Int
    private let clock: SimulatedClock

    public init() async throws {
        let database = try MemoryDatabase(), store = SimulatedStore(database)
        (self.database, self.store) = (database, store)
        let clock = SimulatedClock(servers: Self.serverCount),
            signatures = SignatureQueue(
                limits: WorkLimits(total: 8, perOwner: 4, perPart: 2, wait: .seconds(1)))
        self.clock = clock
        let keys = Self.keys
        var servers: [ServerServices] = []
        for number in 0..<Self.serverCount {
            servers.append(
                ServerServices(
                    number: number, store: try await Store(store, keys: keys),
                    clock: clock.clock(of: number),
                    signatures: signatures))
        }
        self.servers = servers
        let appRecord = AppRecord(
            id: Self.app, name: "simulation", type: .confidential, party: .first,
            settings: AppSettings(locks: [AuthenticatorType.face.rawValue: Self.policy]),
            createdAt: Self.start)
        let account = AccountRecord.new(
            Self.account, AccountProfile(username: "simulation"), keys: keys, at: Self.start)
        let faceRecord = AuthenticatorRecord(
            id: Self.face, account: Self.account, type: .face, app: Self.app, content: [1],
            createdAt: Self.start)
        let recovery = AuthenticatorRecord(
            id: Self.recovery, account: Self.account, type: .recoveryCode, app: nil, content: [1],
            createdAt: Self.start)
        let captureAppRecord = AppRecord(
            id: Self.captureApp, name: "captures", type: .confidential, party: .first,
            settings: AppSettings(locks: [
                AuthenticatorType.face.rawValue: try LockPolicy(
                    failedAttempts: 100, lockoutSeconds: 1, disableAfter: 100)
            ]), createdAt: Self.start)
        let other = AccountRecord.new(
            Self.captureAccount, AccountProfile(username: "captures"), keys: keys, at: Self.start)
        let captureFaceRecord = AuthenticatorRecord(
            id: Self.captureFace, account: Self.captureAccount, type: .face, app: Self.captureApp,
            content: [1], createdAt: Self.start)
        (self.captureAppRecord, self.captureFaceRecord) = (captureAppRecord, captureFaceRecord)
        (self.appRecord, self.faceRecord, epoch) = (appRecord, faceRecord, account.record.epoch)
        try await servers[0].store.write { tables in
            try tables.apps.insert(appRecord)
            try tables.accounts.insert(
                account, names: [LoginName("simulation", kind: .username)])
            try tables.authenticators.insert(faceRecord, of: account.record)
            try tables.authenticators.insert(recovery, of: account.record)
            try tables.apps.insert(captureAppRecord)
            try tables.accounts.insert(other, names: [LoginName("captures", kind: .username)])
            try tables.authenticators.insert(captureFaceRecord, of: other.record)
        }
        for server in servers {
            try await server.issuer.refresh(at: Self.start)
            // Read now, so that the first trial does what all others do.
            for app in [Self.app, Self.captureApp] {
                _ = try await server.apps.lockPolicy(for: .face, app: app)
            }
        }
        auditEntries = try await servers[0].store.read {
            try $0.audit.page(after: 0, count: 500).count
        }
    }

    /// Begins a trial in a world, with clocks that differ.
    func enter(_ world: SimulatedWorld) throws {
        try database.beginTrial()
        let skew = Int(Self.skew)
        clock.enter(
            world, skews: (0..<Self.serverCount).map { _ in Int64(world.random(-skew...skew)) })
    }

    func leave() throws {
        store.enter(nil)
        clock.leave()
        try database.endTrial()
    }
}

/// The clocks of the servers: that of the world, and an error for each.
final class SimulatedClock: Sendable {
    private let state: Mutex<(world: SimulatedWorld?, skews: [Int64])>

    init(servers: Int) { state = Mutex((nil, Array(repeating: 0, count: servers))) }

    func enter(_ world: SimulatedWorld, skews: [Int64]) {
        state.withLock { $0 = (world, skews) }
    }

    func leave() { state.withLock { $0.world = nil } }

    func clock(of server: Int) -> ServerClock {
        ServerClock { [self] in
            let (world, skew) = state.withLock { ($0.world, $0.skews[server]) }
            return SimulationStage.start
                + .milliseconds(world.map { 10_000 + $0.now + skew } ?? 0)
        }
    }
}

/// The services of a server, as `ServerParts` makes them.
struct ServerServices: Sendable {
    /// The number of the server.
    let number: Int
    let store: Store
    let clock: ServerClock
    let apps: AppCatalog
    let gate: LockGate
    let issuer: TokenIssuer
    let grants: GrantService
    let challenges: ChallengeService
    let metrics: Metrics

    init(number: Int, store: Store, clock: ServerClock, signatures: SignatureQueue) {
        (self.number, self.store, self.clock) = (number, store, clock)
        let metrics = Metrics(PrometheusRegistry())
        self.metrics = metrics
        let url: @Sendable () -> String = { "https://simulation.example" }
        apps = AppCatalog(store: store)
        gate = LockGate(store: store, apps: apps, clock: clock)
        issuer = TokenIssuer(store: store, issuer: url, rotateDays: 365)
        grants = GrantService(
            store: store, issuer: issuer,
            proofs: ProofOfPossession(
                store: store, clock: clock, publicURL: url, signatures: signatures),
            clock: clock, metrics: metrics, publicURL: url)
        challenges = ChallengeService(store: store, clock: clock)
    }
}
