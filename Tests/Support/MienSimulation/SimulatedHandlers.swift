import MienAccess
import MienCore
import MienHistories
import MienServerAccess
import MienServerCore
import MienStore
import Synchronization

/// A thing that works once, in the table that the server keeps it in.
enum SingleUseThing: Sendable, Hashable {
    case challenge(Int), proof(Int), link(Int), recoveryCode(Int)

    static let all: [SingleUseThing] =
        (0..<2).map { .challenge($0) } + (0..<2).map { .proof($0) } + (0..<2).map { .link($0) }
        + (0..<2).map { .recoveryCode($0) }

    /// The things whose use can be looked up.
    static let readable = all.filter {
        switch $0 {
        case .proof, .link: true
        case .challenge, .recoveryCode: false
        }
    }

    var name: String { "\(self)" }
    /// The hash, or bytes that stand for it.
    var hash: [UInt8] { Array(name.utf8) }
    /// A challenge of the server's length.
    static func challengeToken(_ number: Int) -> String {
        String(repeating: "ABCDEFGH", count: 3) + "CHALLNG" + (number == 0 ? "A" : "B")
    }
}

/// The work of a server on the requests of a trial: the services and repositories of `MienServer`,
/// or a seeded bug in their place.
struct SimulatedHandlers: Sendable {
    let services: ServerServices
    let world: SimulatedWorld
    let stage: SimulationStage
    let bug: SeededBug?
    /// The content that a server with the bug of a stale cache keeps.
    let cache: Mutexed<(content: Int, revision: Int)?>

    private var store: Store { services.store }

    // MARK: Things that work once

    func take(_ thing: SingleUseThing, operation: Int) async throws -> SingleUseModel.Reply {
        let now = services.clock.now
        switch bug {
        case .takesInTwoTransactions:
            guard try await store.read({ try Self.isFresh(thing, in: $0, at: now) }) else {
                return .refused
            }
            try await store.write {
                _ = try Self.take(thing, in: $0, at: now)
                try Self.log(operation, "simulation.taken", in: $0, at: now)
            }
            return .taken
        case .answersBeforeCommit:
            guard try await store.read({ try Self.isFresh(thing, in: $0, at: now) }) else {
                return .refused
            }
            let store = store, process = Incarnation.current
            world.start {
                await Incarnation.$current.withValue(process) {
                    try? await store.write {
                        let isTaken = try Self.take(thing, in: $0, at: now)
                        if isTaken { try Self.log(operation, "simulation.taken", in: $0, at: now) }
                    }
                }
            }
            return .taken
        case .logsInAnotherTransaction:
            guard try await store.write(.always, { try Self.take(thing, in: $0, at: now) }) else {
                return .refused
            }
            // As if the entry were unimportant.
            try? await store.write { try Self.log(operation, "simulation.taken", in: $0, at: now) }
            return .taken
        default: break
        }
        if case .challenge(let number) = thing, bug == nil {
            let token = SingleUseThing.challengeToken(number)
            return try await services.challenges.take(token, for: .biometric) ? .taken : .refused
        }
        let isTaken = try await store.write(bug == .takesWithoutSync ? .process : .always) {
            guard try Self.take(thing, in: $0, at: now) else { return false }
            try Self.log(operation, "simulation.taken", in: $0, at: now)
            return true
        }
        return isTaken ? .taken : .refused
    }

    static func take(_ thing: SingleUseThing, in tables: Tables, at now: Instant) throws -> Bool {
        switch thing {
        case .challenge(let number):
            try tables.challenges.take(
                challengeHash(number, tables), purpose: "biometric_request", binding: "", at: now)
        case .proof: try tables.spent.spend(.proof, thing.hash, until: now + .seconds(600))
        case .link: try tables.mailedLinks.take(hash: thing.hash, at: now)
        case .recoveryCode: try tables.recoveryCodes.take(thing.hash, of: SimulationStage.recovery)
        }
    }

    private static func challengeHash(_ number: Int, _ tables: Tables) -> [UInt8] {
        SimulationSetup.keys.hash(ofSecret: Array(SingleUseThing.challengeToken(number).utf8))
    }

    /// Whether a proof or a link was not used yet. The other tables tell only who takes the thing.
    static func isFresh(_ thing: SingleUseThing, in tables: Tables, at now: Instant) throws -> Bool
    {
        switch thing {
        case .challenge, .recoveryCode: true
        case .proof: try !tables.spent.contains(.proof, thing.hash)
        case .link:
            try tables.mailedLinks.find(hash: thing.hash, at: now).map { $0.endedAt == nil }
                ?? false
        }
    }

    static func log(_ operation: Int, _ event: String, in tables: Tables, at now: Instant) throws {
        try tables.audit.append(
            AuditEvent(event, actor: "system", detail: ["operation": .number(Double(operation))]),
            at: now)
    }

    // MARK: Refresh tokens

    /// - Returns: the new token; `nil` if the old one was refused.
    func refresh(_ token: String, mark: Int) async throws -> String? {
        let key = mark == 0 ? nil : "a client's repeat key \(mark)"
        if bug == .rotatesInTwoTransactions || bug == .forgetsReuse {
            return try await refreshWrongly(token, key)
        }
        do {
            return try await services.grants.refresh(
                token, repeatKey: key, app: stage.appRecord, scope: nil, resources: [],
                thumbprint: nil
            ).refreshToken
        } catch let error as OAuthError where error.code == .invalidGrant { return nil }
    }

    private func refreshWrongly(_ token: String, _ key: String?) async throws -> String? {
        struct Reused: Error {}
        guard let (id, secret) = BearerSecret.parse(token, GrantKind.self) else { return nil }
        let generation = secret.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let now = services.clock.now
        let mark = key.map { SimulationSetup.keys.hash(ofSecret: Array($0.utf8)) }
        func text(_ grant: TokenGrantRecord) -> String {
            let number = UInt32(grant.family.generation)
            let code = SimulationSetup.keys.refreshSecret(
                of: grant.id, nonce: grant.nonce, generation: grant.family.generation)
            let head = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
            return "\(id.text).\(Base64URL.encode(head + code.prefix(28)))"
        }
        if bug == .rotatesInTwoTransactions {
            guard var grant = try await store.read({ try $0.grants.find(id) }) else { return nil }
            let use = grant.family.use(generation, mark: mark, at: now), changed = grant
            try await store.write { try $0.grants.update(changed) }
            return use == .rotated || use == .repeated ? text(grant) : nil
        }
        do {
            let grant = try await store.write { tables -> TokenGrantRecord? in
                guard var grant = try tables.grants.find(id) else { return nil }
                let use = grant.family.use(generation, mark: mark, at: now)
                try tables.grants.update(grant)
                if use == .reused { throw Reused() }
                return use == .rotated || use == .repeated ? grant : nil
            }
            return grant.map(text)
        } catch is Reused { return nil }
    }

    func end(_ token: String) async throws {
        try await services.grants.revoke(token, app: stage.appRecord)
    }

    // MARK: Locks

    /// Judges a guess. Each transaction is an operation of the history, because between them other
    /// guesses are counted.
    func guess(
        isRight: Bool, _ history: HistoryRecorder<LockModel.Call, LockModel.Reply>, client: Int
    ) async throws {
        func call(_ action: LockModel.Action) -> LockModel.Call {
            LockModel.Call("face", action, at: services.clock.now.milliseconds)
        }
        switch bug {
        case .countsInTwoTransactions, .countsAfterJudging:
            return try await guessWrongly(isRight: isRight, history, client: client)
        default: break
        }
        let begin = history.begin(call(.begin), client: client)
        let pass = try await services.gate.begin(stage.faceRecord, device: nil)
        history.end(begin, pass == nil ? .refused : .counted)
        world.note("client \(client) guess \(pass == nil ? "refused" : "counted")")
        guard let pass else { return }
        await world.pause(Int64(world.random(0...20)))
        guard isRight else { return }
        let succeed = history.begin(call(.succeed), client: client)
        try await services.gate.succeed(pass)
        history.end(succeed, .done)
    }

    private func guessWrongly(
        isRight: Bool, _ history: HistoryRecorder<LockModel.Call, LockModel.Reply>, client: Int
    ) async throws {
        let now = services.clock.now, face = stage.faceRecord
        let begin = history.begin(
            LockModel.Call("face", .begin, at: now.milliseconds), client: client)
        let read = try await store.read { try $0.locks.lock(of: face, device: nil) }
        var lock = read
        guard lock.begin(under: SimulationStage.policy, at: now) != nil else {
            return history.end(begin, .refused)
        }
        if bug == .countsAfterJudging {
            history.end(begin, .counted)
            await world.pause(Int64(world.random(0...20)))
        }
        let counted = lock
        try await store.write { tables in
            _ = try tables.locks.change(face, device: nil) { $0 = counted }
        }
        if bug == .countsInTwoTransactions { history.end(begin, .counted) }
    }

    func hold() async throws {
        try await store.write { try $0.locks.hold(SimulationStage.face, by: .administrator) }
    }

    func release() async throws {
        let face = stage.faceRecord
        _ = try await store.write { try $0.locks.release(face, by: .administrator) }
    }

    func total() async throws -> Int {
        let face = stage.faceRecord
        return try await store.read { try $0.locks.lock(of: face, device: nil).total }
    }

    // MARK: Runs of journeys

    func readRun() async throws -> CompareAndSetModel.Reply {
        if bug == .readsFromCache, let kept = cache.value {
            return .content(kept.content, revision: kept.revision)
        }
        let run = try await store.read { try $0.runs.find(SimulationSetup.run) }
        guard let run else { throw StoreError(.corrupt, "the run is missing") }
        let content = run.state.use { $0.reduce(0) { $0 << 8 | Int($1) } }
        if bug == .readsFromCache { cache.value = (content, run.revision) }
        return .content(content, revision: run.revision)
    }

    func writeRun(_ content: Int, from revision: Int) async throws -> CompareAndSetModel.Reply {
        let run = SimulationSetup.run(content: content),
            ignoresRevision = bug == .writesWithoutRevision
        do {
            try await store.write { tables in
                var from = revision
                if ignoresRevision, let now = try tables.runs.find(run.id) { from = now.revision }
                try tables.runs.advance(run, from: from)
            }
            return .written
        } catch let error as StoreError where error.code == .stale { return .stale }
    }

    // MARK: The audit log

    func append(_ operation: Int) async throws {
        let now = services.clock.now
        func write() async throws {
            try await store.write { try Self.log(operation, "simulation.note", in: $0, at: now) }
        }
        guard bug == .repeatsUncertainWrites else { return try await write() }
        do { try await write() } catch { try await write() }
    }

    func readLog() async throws -> [UInt64] {
        let start = stage.auditEntries
        return try await store.read { try Self.notes(in: $0, after: start) }
    }

    static func notes(in tables: Tables, after number: Int) throws -> [UInt64] {
        try tables.audit.page(after: number, count: 10_000).filter {
            $0.event.event == "simulation.note"
        }.compactMap { $0.event.detail["operation"]?.numberValue.map { UInt64($0) } }
    }
}

/// A value behind a lock, as a reference.
final class Mutexed<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// The records that a trial finds at its start.
enum SimulationSetup {
    static let keys = StoreKeys(MasterKeys.only)
    static let run = InstanceID("run_simulation")!

    static func run(content: Int) -> JourneyRunRecord {
        JourneyRunRecord(
            id: run, app: SimulationStage.app, journey: JourneyID("simulation")!,
            tokenHash: [1],
            state: Sensitive((0..<4).map { UInt8(truncatingIfNeeded: content >> (24 - 8 * $0)) }),
            expiresAt: SimulationStage.start + .seconds(86_400))
    }

    /// Issues the things, and begins the run.
    static func write(to tables: Tables) throws {
        let now = SimulationStage.start
        for number in 0..<2 {
            let token = SingleUseThing.challengeToken(number)
            try tables.challenges.insert(
                keys.hash(ofSecret: Array(token.utf8)), purpose: "biometric_request", binding: "",
                expiresAt: now + .seconds(86_400))
            try tables.mailedLinks.insert(
                MailedLinkRecord(
                    purpose: .removeAuthenticator, subject: "\(number)",
                    account: SimulationStage.account, createdAt: now,
                    expiresAt: now + .seconds(86_400)),
                hash: SingleUseThing.link(number).hash)
        }
        try tables.recoveryCodes.replace(
            SimulationStage.recovery,
            with: (0..<2).map { SingleUseThing.recoveryCode($0).hash })
        try tables.runs.insert(run(content: 0))
    }
}
