import MienAccess
import MienCore
import MienHistories
import MienServerAccess
import MienServerCore
import MienStore
import Synchronization

/// One history: clients, three servers, the store, and everything that goes wrong, all from a seed.
public struct SimulatedTrial: Sendable {
    /// The findings of a trial.
    public struct Report: Sendable {
        public let seed: UInt64
        /// Describes the fault, with the calls that show it; `nil` if there is none.
        public let violation: String?
        /// A hash of everything that happened. The same seed gives the same.
        public let digest: UInt64
        /// The calls of all histories, and those that were answered.
        public let calls: Int
        public let answers: Int
        /// The events, if they were asked for.
        public let trace: [String]
    }

    let seed: UInt64
    let bug: SeededBug?
    let traces: Bool

    public init(seed: UInt64, bug: SeededBug? = nil, traces: Bool = false) {
        (self.seed, self.bug, self.traces) = (seed, bug, traces)
    }

    /// Runs the trial on a thread of its own, outside of Swift's tasks.
    public func run(on stage: SimulationStage) throws -> Report {
        let world = SimulatedWorld(seed: seed, traces: traces)
        try stage.enter(world, skew: 300)
        defer { try? stage.leave() }
        try stage.database.write(.always) {
            try SimulationSetup.write(to: stage.servers[0].store.tables(on: $0))
        }
        let play = SimulatedPlay(world: world, stage: stage, bug: bug)
        play.start()
        world.run()
        // Nothing is under way any more: each call has taken effect, or never will.
        stage.store.enter(nil)
        let violation = try play.finish()
        return Report(
            seed: seed, violation: violation, digest: world.digest, calls: play.calls,
            answers: play.answers, trace: world.trace)
    }
}

/// A trial as it is under way.
final class SimulatedPlay: Sendable {
    private static let clients = 4
    private static let callsOfClient = 8

    private let world: SimulatedWorld
    private let stage: SimulationStage
    private let bug: SeededBug?
    private let network: SimulatedNetwork
    private let handlers: [SimulatedHandlers]
    private let processes: Mutexed<[Incarnation?]>

    private let tokens = HistoryRecorder<SingleUseModel.Call, SingleUseModel.Reply>()
    private let locks = HistoryRecorder<LockModel.Call, LockModel.Reply>()
    private let families = HistoryRecorder<RefreshModel.Call, RefreshModel.Reply>()
    private let runs = HistoryRecorder<CompareAndSetModel.Call, CompareAndSetModel.Reply>()
    private let log = HistoryRecorder<AppendModel.Call, AppendModel.Reply>()
    /// The refresh tokens that any client may have seen, by generation.
    private let known = Mutexed<[String]>([])
    /// The grant behind them.
    private let grant = Mutexed<GrantID?>(nil)
    /// The operations whose uses were acknowledged.
    private let takenOperations = Mutexed<[Int]>([])
    private let numbers = Mutexed(0)

    init(world: SimulatedWorld, stage: SimulationStage, bug: SeededBug?) {
        (self.world, self.stage, self.bug) = (world, stage, bug)
        // Some trials are calm, and others lose every fifth message.
        let trouble = world.pick([0, 2, 5, 10, 20])
        network = SimulatedNetwork(
            world: world,
            faults: NetworkFaults(
                lostRequest: trouble / 2, doubled: trouble, lostResponse: trouble, delay: 40))
        stage.store.enter(
            world,
            faults: StoreFaults(
                lost: trouble / 2, unacknowledged: trouble / 2, rerun: 5, delay: 15))
        let cache = Mutexed<(content: Int, revision: Int)?>(nil)
        handlers = stage.servers.map {
            SimulatedHandlers(services: $0, world: world, stage: stage, bug: bug, cache: cache)
        }
        processes = Mutexed(
            (0..<SimulationStage.serverCount).map { Incarnation(server: $0) as Incarnation? })
    }

    var calls: Int { histories.reduce(0) { $0 + $1.calls } }
    var answers: Int { histories.reduce(0) { $0 + $1.answers } }

    private var histories: [(calls: Int, answers: Int)] {
        func count<Call, Reply>(_ recorder: HistoryRecorder<Call, Reply>) -> (Int, Int) {
            let operations = recorder.history.operations
            return (operations.count, operations.count { $0.outcome != nil })
        }
        return [count(tokens), count(locks), count(families), count(runs), count(log)]
    }

    func start() {
        world.start { [self] in
            await signIn()
            for client in 1...Self.clients { world.start { [self] in await act(client) } }
            for _ in 0..<world.random(0...3) { world.start { [self] in await crash() } }
            if world.happens(30) { world.start { [self] in await stopStore() } }
        }
    }

    // MARK: Faults

    /// Kills a server, and starts it again.
    private func crash() async {
        await world.pause(Int64(world.random(0...1200)))
        let server = world.random(0...SimulationStage.serverCount - 1)
        world.note("server \(server) is killed")
        processes.value[server]?.die()
        processes.value[server] = nil
        await world.pause(Int64(world.random(10...300)))
        processes.value[server] = Incarnation(server: server)
        world.note("server \(server) starts")
    }

    /// Stops the store, sometimes by a power loss.
    private func stopStore() async {
        await world.pause(Int64(world.random(0...1200)))
        world.note("the store stops")
        stage.store.stop()
        if world.happens(50) {
            world.note("the store loses power")
            try? stage.database.losePower()
        }
        await world.pause(Int64(world.random(10...200)))
        stage.store.start()
        world.note("the store starts")
    }

    // MARK: Clients

    /// The sign-in whose refresh tokens the clients use. Happens before anything goes wrong.
    private func signIn() async {
        stage.store.pauseFaults(true)
        let signIn = SignIn(
            account: SimulationStage.account, app: stage.appRecord, methods: ["pwd"],
            at: stage.servers[0].clock.now, scope: .standard, epoch: stage.epoch)
        let answer = try? await stage.servers[0].grants.tokens(for: signIn)
        if let token = answer?.refreshToken {
            known.value = [token]
            grant.value = BearerSecret.parse(token, GrantKind.self)?.id
        }
        stage.store.pauseFaults(false)
    }

    private func act(_ client: Int) async {
        for _ in 0..<Self.callsOfClient {
            await world.pause(Int64(world.random(0...120)))
            switch world.random(0...99) {
            case 0..<30: await take(client)
            case 30..<55: await refresh(client)
            case 55..<58: await endSignIn(client)
            case 58..<72: await guess(client)
            case 72..<76: await changeLock(client)
            case 76..<90: await advanceRun(client)
            case 90..<97: await append(client)
            default: await readLog(client)
            }
        }
    }

    private func take(_ client: Int) async {
        let things = bug == nil ? SingleUseThing.all : SingleUseThing.readable
        let thing = world.pick(things), number = nextNumber()
        let reply = await send(.take(thing.name), to: tokens, client) {
            try await $0.take(thing, operation: number)
        }
        // The service of challenges writes no entry.
        if case .challenge = thing { return }
        if reply == .taken { takenOperations.value.append(number) }
    }

    private func refresh(_ client: Int) async {
        let all = known.value
        guard !all.isEmpty else { return }
        // Mostly the newest token. An older one is what a thief or a late client has.
        let age = min(all.count - 1, world.pick([0, 0, 0, 0, 0, 1, 1, 2]))
        let generation = all.count - 1 - age, token = all[generation]
        let mark = world.pick([0, 0, client])
        // After a lost answer, the client tries again, with the same mark.
        for _ in 0..<2 {
            let reply = await send(
                RefreshModel.Call("family", .use(generation, mark: mark == 0 ? nil : mark)),
                to: families, client
            ) { [self] handlers in
                guard let next = try await handlers.refresh(token, mark: mark) else {
                    return .refused
                }
                learn(next, generation: generation + 1)
                return .token(generation + 1)
            }
            if reply != nil { return }
        }
    }

    /// Anybody may see a token that the server has sent.
    private func learn(_ token: String, generation: Int) {
        if known.value.count == generation { known.value.append(token) }
    }

    private func endSignIn(_ client: Int) async {
        guard let token = known.value.last else { return }
        _ = await send(RefreshModel.Call("family", .end), to: families, client) {
            try await $0.end(token)
            return .done
        }
    }

    /// The operations of a guess are recorded by the server, because the judgment lies between them.
    private func guess(_ client: Int) async {
        let isRight = world.happens(30), locks = locks
        _ = await network.request(
            to: processOfAny().find, repeated: {},
            { [self] in
                guard let process = Incarnation.current else { return }
                try await handlers[process.server].guess(isRight: isRight, locks, client: client)
            })
    }

    private func changeLock(_ client: Int) async {
        let holds = world.happens(50)
        _ = await send(
            LockModel.Call("face", holds ? .hold : .release, at: 0), to: locks, client
        ) {
            if holds { try await $0.hold() } else { try await $0.release() }
            return .done
        }
    }

    private func advanceRun(_ client: Int) async {
        let read = await send(CompareAndSetModel.Call("run", .read), to: runs, client) {
            try await $0.readRun()
        }
        guard case .content(_, let revision) = read else { return }
        await world.pause(Int64(world.random(0...30)))
        let content = nextNumber()
        _ = await send(
            CompareAndSetModel.Call("run", .write(content: content, from: revision)), to: runs,
            client
        ) { try await $0.writeRun(content, from: revision) }
    }

    private func append(_ client: Int) async {
        let number = nextNumber(), process = processOfAny()
        // Each copy of the request would append, so there is only one.
        let pending = log.begin(.append(UInt64(number)), client: client)
        let calm = SimulatedNetwork(
            world: world,
            faults: NetworkFaults(
                lostRequest: network.faults.lostRequest, lostResponse: network.faults.lostResponse,
                delay: network.faults.delay))
        let reply: Void? = await calm.request(
            to: process.find, repeated: {},
            { [self] in
                guard let process = Incarnation.current else { return }
                try await handlers[process.server].append(number)
            })
        world.note("client \(client) appends \(number): \(reply == nil ? "unknown" : "done")")
        if reply != nil { log.end(pending, .appended) }
    }

    private func readLog(_ client: Int) async {
        _ = await send(.read, to: log, client) { .log(.init(try await $0.readLog())) }
    }

    private func nextNumber() -> Int {
        numbers.value += 1
        return numbers.value
    }

    /// A server for a request: any that runs when it arrives.
    private struct Target: Sendable {
        let find: @Sendable () -> Incarnation?
    }

    private func processOfAny() -> Target {
        let server = world.random(0...SimulationStage.serverCount - 1), processes = processes
        return Target { processes.value[server] }
    }

    /// Sends a call to a server, and records it.
    private func send<Call: Sendable, Reply: Sendable & Equatable>(
        _ call: Call, to recorder: HistoryRecorder<Call, Reply>, _ client: Int,
        _ handle: @escaping @Sendable (SimulatedHandlers) async throws -> Reply
    ) async -> Reply? {
        let pending = recorder.begin(call, client: client)
        let reply = await network.request(to: processOfAny().find) {
            // The copy may take effect, too, and nobody waits for its answer.
            _ = recorder.begin(call, client: client + 10)
        } _: { [handlers] in
            guard let process = Incarnation.current else {
                throw StoreError(.unreachable, "no process")
            }
            return try await handle(handlers[process.server])
        }
        world.note("client \(client) \(call) → \(reply.map { "\($0)" } ?? "unknown")")
        if let reply { recorder.end(pending, reply) }
        return reply
    }

    // MARK: The end

    /// Reads what is left, and judges everything.
    func finish() throws -> String? {
        let store = stage.servers[0].store
        let (notes, taken, audit, total, run, ended, used) = try stage.database.read { connection in
            let tables = store.tables(on: connection), now = SimulationStage.start
            let entries = try tables.audit.page(after: stage.auditEntries, count: 10_000)
            let takenBy = entries.filter { $0.event.event == "simulation.taken" }.compactMap {
                $0.event.detail["operation"]?.numberValue.map { Int($0) }
            }
            let run = try tables.runs.find(SimulationSetup.run)
            let ended = try grant.value.flatMap { try tables.grants.find($0) }.map {
                $0.family.revokedAt != nil
            }
            let used = try SingleUseThing.readable.map {
                ($0.name, try !SimulatedHandlers.isFresh($0, in: tables, at: now + .seconds(60)))
            }
            return (
                try SimulatedHandlers.notes(in: tables, after: stage.auditEntries), takenBy,
                try tables.audit.verify(),
                try tables.locks.lock(of: stage.faceRecord, device: nil).total, run, ended, used
            )
        }
        log.end(log.begin(.read, client: 0), .log(.init(notes)))
        locks.end(locks.begin(LockModel.Call("face", .total, at: 0), client: 0), .total(total))
        if let run {
            let content = run.state.use { $0.reduce(0) { $0 << 8 | Int($1) } }
            runs.end(
                runs.begin(CompareAndSetModel.Call("run", .read), client: 0),
                .content(content, revision: run.revision))
        }
        if let ended {
            families.end(
                families.begin(RefreshModel.Call("family", .isEnded), client: 0), .isEnded(ended))
        }
        for (name, isUsed) in used {
            tokens.end(tokens.begin(.isUsed(name), client: 0), .isUsed(isUsed))
        }
        return judgment(notes: notes, taken: taken, audit: audit)
    }

    private func judgment(notes: [UInt64], taken: [Int], audit: AuditTable.Verdict) -> String? {
        guard case .whole = audit else { return "the audit log is broken: \(audit)" }
        if Set(notes).count != notes.count { return "an entry of the log is there twice" }
        if Set(taken).count != taken.count { return "a use is logged twice" }
        if let lost = takenOperations.value.first(where: { !taken.contains($0) }) {
            return "use \(lost) was acknowledged and is not in the audit log"
        }
        let policy = SimulationStage.policy
        let lockModel = LockModel(
            failedAttempts: policy.failedAttempts,
            lockoutMilliseconds: Int64(policy.lockoutSeconds) * 1000,
            disableAfter: policy.disableAfter)
        return violation(of: SingleUseModel(initially: .fresh), tokens.history)
            ?? violation(of: lockModel, locks.history)
            ?? violation(of: RefreshModel(), families.history)
            ?? violation(of: CompareAndSetModel(), runs.history)
            ?? violation(of: AppendModel(), log.history)
    }

    private func violation<Model: SequentialModel>(
        of model: Model, _ history: History<Model.Call, Model.Reply>
    ) -> String? {
        let verdict = LinearizabilityChecker(model).check(history)
        return verdict.isLinearizable ? nil : "\(verdict)"
    }
}
