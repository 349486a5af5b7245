import MienCore
import MienServer
import MienStore

/// The sweeps of servers, of which one does them at a time, under a lease. Some are paused for longer
/// than the lease lasts.
struct LeasePart: SimulatedPart {
    private static let event = "simulation.swept"
    /// How long the lease of the sweeper lasts, in milliseconds.
    private static let leaseTime: Int64 = 180_000

    private let trial: TrialContext
    private let acknowledged = Mutexed<[Int]>([])
    /// The operations that were begun when nothing failed any more.
    private let last = Mutexed<Set<Int>>([])

    init(_ trial: TrialContext) { self.trial = trial }

    private var world: SimulatedWorld { trial.world }
    var actions: [SimulatedAction] { [] }
    var counts: (calls: Int, answers: Int) { (0, 0) }

    func run() async {
        await withDiscardingTaskGroup { tasks in
            for server in 0..<SimulationStage.serverCount {
                tasks.addTask { await sweep(server) }
            }
        }
    }

    private func sweep(_ server: Int) async {
        for _ in 0..<2 {
            // Some wait until the lease of another one has ended.
            let isLater = world.happens(35)
            await world.pause(
                Int64(world.random(0...800)) + (isLater ? Self.leaseTime + 1000 : 0))
            await trial.inProcess(of: server) { await sweep($0, $1) }
        }
    }

    /// The server's sweeper, with a part of the simulation.
    private func sweep(_ services: ServerServices, _ process: Incarnation) async {
        let part = Sweeper.Part(name: "simulation") { _ in try await work(services) }
        await Sweeper(
            store: services.store, holder: process.name, before: [part], after: [], maxTrails: 100,
            auditRetention: nil, clock: services.clock, logger: SimulationStage.logger
        ).sweep()
    }

    private func work(_ services: ServerServices) async throws {
        for step in 0..<2 {
            let number = trial.nextNumber()
            if trial.isSettling.value { last.value.insert(number) }
            try await commit(number, services)
            acknowledged.value.append(number)
            world.note("server \(services.number) sweeps: \(number)")
            guard step == 0 else { return }
            let isLong = !trial.isSettling.value && world.happens(30)
            await world.pause(isLong ? Self.leaseTime + 20_000 : Int64(world.random(0...40)))
        }
    }

    private func commit(_ number: Int, _ services: ServerServices) async throws {
        guard let lease = HeldLease.current else { return }
        let now = services.clock.now, store = services.store
        let required = trial.bug == .writesWithoutLease ? nil : lease
        try await HeldLease.$current.withValue(required) {
            try await store.write {
                try $0.log(
                    number, Self.event,
                    [
                        "holder": .string(lease.holder),
                        "fence": .number(Double(lease.fence)),
                    ], at: now)
            }
        }
    }

    /// Once the last lease has ended, any server sweeps.
    func settle() async {
        await world.pause(Self.leaseTime + 2 * SimulationStage.skew + 1000)
        await trial.inProcess(of: world.random(0...SimulationStage.serverCount - 1)) {
            await sweep($0, $1)
        }
    }

    func judge(_ tables: Tables) throws -> String? {
        let entries = try tables.events(Self.event, after: trial.stage.auditEntries)
        let commits = entries.map {
            FencedLog.Commit(
                holder: $0["holder"]?.stringValue ?? "",
                fence: Int64($0["fence"]?.numberValue ?? 0))
        }
        if let violation = FencedLog(commits).violation { return violation }
        let numbers = Set(entries.compactMap { $0["operation"]?.numberValue.map { Int($0) } })
        if let lost = acknowledged.value.first(where: { !numbers.contains($0) }) {
            return "sweep \(lost) was acknowledged and is not there"
        }
        if last.value.isDisjoint(with: numbers) { return "no server sweeps any more" }
        return nil
    }
}
