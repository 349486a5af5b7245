import MienCore
import MienStore

/// The servers of a trial, the way to them, and the world, which all parts use.
final class TrialContext: Sendable {
    let world: SimulatedWorld
    let stage: SimulationStage
    let bug: SeededBug?
    let network: SimulatedNetwork
    /// The process of each server that runs.
    let processes: Mutexed<[Incarnation?]>
    /// Whether the clients are done.
    let isSettling = Mutexed(false)
    private let numbers = Mutexed(0)

    init(world: SimulatedWorld, stage: SimulationStage, bug: SeededBug?, network: SimulatedNetwork)
    {
        (self.world, self.stage, self.bug, self.network) = (world, stage, bug, network)
        processes = Mutexed(
            (0..<SimulationStage.serverCount).map { Incarnation(server: $0) as Incarnation? })
    }

    /// A number that nothing else in the trial has.
    func nextNumber() -> Int {
        numbers.value += 1
        return numbers.value
    }

    func kill(_ server: Int) {
        processes.value[server]?.die()
        processes.value[server] = nil
    }

    func start(_ server: Int) {
        processes.value[server] = Incarnation(server: server, life: nextNumber())
    }

    /// A server for a request: any that runs when it arrives.
    func anyServer() -> @Sendable () -> Incarnation? {
        let server = world.random(0...SimulationStage.serverCount - 1), processes = processes
        return { processes.value[server] }
    }

    /// The services of the process that the current task belongs to.
    func services() throws -> ServerServices {
        guard let process = Incarnation.current else {
            throw StoreError(.unreachable, "no process")
        }
        return stage.servers[process.server]
    }

    /// Sends a call to a server, and records it.
    func send<Call: Sendable, Reply: Sendable & Equatable>(
        _ call: Call, to recorder: HistoryRecorder<Call, Reply>, _ client: Int,
        _ handle: @escaping @Sendable (ServerServices) async throws -> Reply
    ) async -> Reply? {
        let pending = recorder.begin(call, client: client)
        let reply = await network.request(to: anyServer()) {
            // The copy may take effect, too, and nobody waits for its answer.
            _ = recorder.begin(call, client: client + 10)
        } _: { [self] in
            try await handle(try services())
        }
        world.note("client \(client) \(call) → \(reply.map { "\($0)" } ?? "unknown")")
        if let reply { recorder.end(pending, reply) }
        return reply
    }

    /// Sends a request whose calls the server records, because there are several, or because their
    /// times matter.
    func request<Output: Sendable>(
        doubling: Bool = true, _ handle: @escaping @Sendable (ServerServices) async throws -> Output
    ) async -> Output? {
        var faults = network.faults
        if !doubling { faults.doubled = 0 }
        return await SimulatedNetwork(world: world, faults: faults).request(
            to: anyServer(), repeated: {}, { [self] in try await handle(try services()) })
    }

    /// Runs `body` in the process of a server, if it runs.
    func inProcess(
        of server: Int, _ body: @Sendable (ServerServices, Incarnation) async -> Void
    ) async {
        guard let process = processes.value[server], !process.isDead else { return }
        await Incarnation.$current.withValue(process) { await body(stage.servers[server], process) }
    }
}

extension Tables {
    /// Writes an entry about an operation of a trial.
    func log(
        _ operation: Int, _ event: String, _ more: [String: JSONValue] = [:], at now: Instant
    ) throws {
        var detail = more
        detail["operation"] = .number(Double(operation))
        try audit.append(AuditEvent(event, actor: "system", detail: detail), at: now)
    }

    /// The operations of a trial that an event names, in the order of the log.
    func operations(_ event: String, after number: Int) throws -> [Int] {
        try events(event, after: number).compactMap {
            $0["operation"]?.numberValue.map { Int($0) }
        }
    }

    func events(_ event: String, after number: Int) throws -> [[String: JSONValue]] {
        try audit.page(after: number, count: 10_000).filter { $0.event.event == event }.map(
            \.event.detail)
    }
}
