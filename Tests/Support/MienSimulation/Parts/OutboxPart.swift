import MienCore
import MienServer
import MienStore

/// Messages that are written with their causes, and the deliveries of several servers from one outbox.
struct OutboxPart: SimulatedPart {
    private static let kind = OutboxMessage.Kind.identity
    private static let caused = "simulation.caused", ended = "simulation.ended"
    /// In milliseconds.
    private static let claimTime: Int64 = 1500
    /// How often a server looks into the outbox while the clients write.
    private static let looks = 10

    private let trial: TrialContext
    private let acknowledged = Mutexed<[Int]>([])
    private let receiver: Receiver

    init(_ trial: TrialContext) {
        self.trial = trial
        receiver = Receiver(trial: trial)
    }

    private var world: SimulatedWorld { trial.world }
    var counts: (calls: Int, answers: Int) { (0, 0) }

    var actions: [SimulatedAction] {
        [SimulatedAction(weight: 12, act: { client in await cause(client) })]
    }

    // MARK: Causes

    private func cause(_ client: Int) async {
        let number = trial.nextNumber()
        let reply: Void? = await trial.request { try await cause(number, $0) }
        world.note("client \(client) causes \(number): \(reply == nil ? "unknown" : "done")")
        if reply != nil { acknowledged.value.append(number) }
    }

    private func cause(_ number: Int, _ services: ServerServices) async throws {
        let now = services.clock.now
        let message = OutboxMessage(
            id: "dlv_\(number)", kind: Self.kind, app: SimulationStage.app,
            content: Sensitive(
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }),
            createdAt: now)
        if trial.bug == .enqueuesInAnotherTransaction {
            try await services.store.write { try $0.log(number, Self.caused, at: now) }
            return try await services.store.write { try $0.outbox.insert(message) }
        }
        let start = trial.stage.auditEntries
        try await services.store.write {
            // Fails if the request arrived twice: here if its message was delivered meanwhile, and
            // below if it still waits.
            guard try !$0.operations(Self.caused, after: start).contains(number) else {
                throw StoreError(.conflict, "the request arrived twice")
            }
            try $0.outbox.insert(message)
            try $0.log(number, Self.caused, at: now)
        }
    }

    // MARK: Deliveries

    func run() async {
        await withDiscardingTaskGroup { tasks in
            for server in 0..<SimulationStage.serverCount {
                tasks.addTask { await deliver(server) }
            }
        }
    }

    private func deliver(_ server: Int) async {
        let looks = Mutexed(0)
        while looks.value < Self.looks {
            await trial.inProcess(of: server) { services, process in
                let isOver = { @Sendable in process.isDead || looks.value >= Self.looks }
                let rest = { @Sendable in
                    looks.value += 1
                    await world.pause(200)
                }
                switch trial.bug {
                case .deletesBeforeDelivering, .deliversWithoutClaim:
                    await deliverWrongly(services, rest, isOver)
                default: await delivery(services).deliver(resting: rest, until: isOver)
                }
            }
            looks.value += 1
            await world.pause(100)
        }
    }

    private func delivery(_ services: ServerServices) -> OutboxDelivery<Receiver> {
        OutboxDelivery(
            receiver, store: services.store, clock: services.clock,
            logger: SimulationStage.logger)
    }

    private func deliverWrongly(
        _ services: ServerServices, _ rest: () async -> Void, _ isOver: () -> Bool
    ) async {
        let deletes = trial.bug == .deletesBeforeDelivering, store = services.store
        while !isOver() {
            let now = services.clock.now
            let until = deletes ? now + receiver.claimTime : now
            let messages = try? await store.write { tables in
                let found = try tables.outbox.claim(
                    Self.kind, at: now, until: until, atMost: receiver.maxUnderWay)
                if deletes { for message in found { try tables.outbox.remove(message) } }
                return found
            }
            for message in messages ?? [] {
                guard case .end(let end)? = try? await receiver.send(message), !deletes else {
                    continue
                }
                try? await store.write { tables in
                    guard try tables.outbox.remove(message) else { return }
                    try receiver.noteEnd(end, of: message, in: tables, at: now)
                }
            }
            await rest()
        }
    }

    /// Delivers what dead servers had claimed.
    func settle() async {
        let limit = world.now + 20_000, database = trial.stage.database,
            store = trial.stage.servers[0].store
        let isOver = { @Sendable in
            let waiting = try? database.read { try store.tables(on: $0).outbox.count(Self.kind) }
            return waiting == 0 || world.now > limit
        }
        let server = world.random(0...SimulationStage.serverCount - 1)
        await trial.inProcess(of: server) { services, _ in
            await delivery(services).deliver(
                resting: { await world.pause(300) }, until: isOver)
        }
    }

    func judge(_ tables: Tables) throws -> String? {
        let start = trial.stage.auditEntries, later = SimulationStage.start + .seconds(86_400 * 365)
        var history = DeliveryHistory(
            claimTime: Self.claimTime - 2 * SimulationStage.skew
                - 8 * SimulationStage.storeDelay)
        history.causes = Set(try tables.operations(Self.caused, after: start))
        history.ended = try tables.operations(Self.ended, after: start)
        history.acknowledged = acknowledged.value
        history.sends = receiver.sends.value
        history.waiting = Set(
            try tables.outbox.claim(Self.kind, at: later, until: later, atMost: 1000).map(
                Receiver.cause))
        if let violation = history.violation { return violation }
        return history.waiting.isEmpty ? nil : "messages are never delivered: \(history.waiting)"
    }
}

/// The receiver of the messages, as the sender of a server sees it.
private final class Receiver: OutboxSender {
    let name = "simulated messages", kind = OutboxMessage.Kind.identity
    let maxUnderWay = 3, claimTime = Duration.milliseconds(1500), maxAge = Duration.seconds(86_400)
    let sends = Mutexed<[DeliveryHistory.Send]>([])
    private let trial: TrialContext

    private struct Lost: Error {}

    init(trial: TrialContext) { self.trial = trial }

    static func cause(_ message: OutboxMessage) -> Int {
        message.content.use { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    func send(_ message: OutboxMessage) async throws -> NoticeSchedule.Step? {
        let world = trial.world, cause = Self.cause(message)
        let number = sends.value.count
        sends.value.append(
            DeliveryHistory.Send(
                cause: cause, id: message.id, claim: message.claims, began: world.now))
        let isSettling = trial.isSettling.value
        // Some receivers take longer than the claim.
        await world.pause(
            !isSettling && world.happens(8)
                ? 1500 + Int64(world.random(0...800))
                : Int64(world.random(0...60)))
        let luck = isSettling ? 0 : world.random(0...99)
        world.note("message \(message.id) by claim \(message.claims): \(luck)")
        guard Incarnation.current?.isDead != true, luck < 85 else { throw Lost() }
        switch luck {
        case 0..<60:
            sends.value[number].result = .delivered
            return .end(.delivered)
        case 60..<80:
            sends.value[number].result = .postponed
            return .retry(after: .milliseconds(50))
        default:
            sends.value[number].result = .refused
            return .end(.dropped("status 404"))
        }
    }

    func noteEnd(
        _ end: NoticeEnd?, of message: OutboxMessage, in tables: Tables, at now: Instant
    ) throws { try tables.log(Self.cause(message), "simulation.ended", at: now) }

    func count(_ end: NoticeEnd?, isPostponed: Bool) {}
    func note(waiting: Int) {}
}
