import MienCore
import MienStore

/// A trial as it is under way: clients, and what goes wrong.
final class SimulatedPlay: Sendable {
    private static let clients = 4
    private static let callsOfClient = 8
    /// Each trial has some kinds of state, so that clients meet.
    private static let partsOfTrial = 4
    private static let kinds: [any SimulatedPart.Type] = [
        SingleUsePart.self, RefreshPart.self, LockPart.self, RunPart.self, AuditPart.self,
        LeasePart.self, RatePart.self, OutboxPart.self, CapturePart.self, IdentityJobPart.self,
    ]

    private let trial: TrialContext
    private let parts: [any SimulatedPart]
    private let actions: [SimulatedAction]

    private var world: SimulatedWorld { trial.world }
    private var stage: SimulationStage { trial.stage }

    init(world: SimulatedWorld, stage: SimulationStage, bug: SeededBug?, sought: SeededBug?) {
        // Some trials are calm, and others lose every fifth message.
        let trouble = world.pick([0, 2, 5, 10, 20])
        let network = SimulatedNetwork(
            world: world,
            faults: NetworkFaults(
                lostRequest: trouble / 2, doubled: trouble, lostResponse: trouble, delay: 40))
        stage.store.enter(
            world,
            faults: StoreFaults(
                lost: trouble / 2, unacknowledged: trouble / 2, rerun: 5,
                delay: Int(SimulationStage.storeDelay)))
        let trial = TrialContext(world: world, stage: stage, bug: bug, network: network)
        var left = Self.kinds, parts: [any SimulatedPart] = []
        if sought?.isOfCaptures == true {
            (left, parts) = ([], [CapturePart(trial)])
        }
        while parts.count < Self.partsOfTrial, !left.isEmpty {
            parts.append(left.remove(at: world.random(0...left.count - 1)).init(trial))
        }
        (self.trial, self.parts, actions) = (trial, parts, parts.flatMap(\.actions))
    }

    var calls: Int { parts.reduce(0) { $0 + $1.counts.calls } }
    var answers: Int { parts.reduce(0) { $0 + $1.counts.answers } }

    func prepare(_ tables: Tables) throws { for part in parts { try part.prepare(tables) } }

    func start() {
        world.start { [self] in
            stage.store.pauseFaults(true)
            for part in parts { await part.begin() }
            stage.store.pauseFaults(false)
            await withDiscardingTaskGroup { tasks in
                for part in parts { tasks.addTask { await part.run() } }
                for _ in 0..<world.random(0...3) { tasks.addTask { [self] in await crash() } }
                if world.happens(30) { tasks.addTask { [self] in await stopStore() } }
                tasks.addTask { [self] in
                    await withDiscardingTaskGroup { clients in
                        for client in 1...Self.clients {
                            clients.addTask { [self] in await act(client) }
                        }
                    }
                    trial.isSettling.value = true
                }
            }
            stage.store.pauseFaults(true)
            world.note("nothing fails any more")
            for part in parts { await part.settle() }
        }
    }

    private func act(_ client: Int) async {
        let weights = actions.reduce(0) { $0 + $1.weight }
        for _ in 0..<Self.callsOfClient {
            await world.pause(Int64(world.random(0...120)))
            var left = world.random(0...weights - 1)
            for action in actions {
                left -= action.weight
                if left < 0 {
                    await action.act(client)
                    break
                }
            }
        }
    }

    // MARK: Faults

    /// Kills a server, and starts it again.
    private func crash() async {
        await world.pause(Int64(world.random(0...1200)))
        let server = world.random(0...SimulationStage.serverCount - 1)
        world.note("server \(server) is killed")
        trial.kill(server)
        await world.pause(Int64(world.random(10...300)))
        trial.start(server)
        world.note("server \(server) starts")
    }

    /// Stops the store, sometimes by a power loss.
    private func stopStore() async {
        await world.pause(Int64(world.random(0...1200)))
        world.note("the store stops")
        stage.store.stop()
        if world.happens(50), !parts.contains(where: \.needsEachCommit) {
            world.note("the store loses power")
            for part in parts { try? part.willLosePower() }
            try? stage.database.losePower()
            for part in parts { try? part.didLosePower() }
        }
        await world.pause(Int64(world.random(10...200)))
        stage.store.start()
        world.note("the store starts")
    }

    // MARK: The end

    /// Reads what is left, and judges everything.
    func finish() throws -> String? {
        let store = stage.servers[0].store
        return try stage.database.read { connection in
            let tables = store.tables(on: connection), verdict = try tables.audit.verify()
            guard case .whole = verdict else { return "the audit log is broken: \(verdict)" }
            for part in parts {
                if let violation = try part.judge(tables) { return violation }
            }
            return nil
        }
    }
}
