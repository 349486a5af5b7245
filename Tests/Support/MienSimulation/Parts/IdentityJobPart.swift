import MienCore
import MienStore

/// Jobs of identity verification, each of which one server does at a time and none judges twice.
struct IdentityJobPart: SimulatedPart {
    private static let queued = "simulation.queued", judged = "simulation.judged"
    /// How long a server has a job, in milliseconds.
    private static let leaseTime: Int64 = 1500
    private static let looks = 10

    private let trial: TrialContext
    private let acknowledged = Mutexed<[Int]>([])
    private let judgments = Mutexed<[Int]>([])

    init(_ trial: TrialContext) { self.trial = trial }

    private var world: SimulatedWorld { trial.world }
    var counts: (calls: Int, answers: Int) { (0, 0) }
    /// A job is begun in a transaction that a power loss may undo.
    var needsEachCommit: Bool { true }

    var actions: [SimulatedAction] {
        [SimulatedAction(weight: 10, act: { client in await queue(client) })]
    }

    private func queue(_ client: Int) async {
        let number = trial.nextNumber()
        let reply: Void? = await trial.request { services in
            let now = services.clock.now
            let start = trial.stage.auditEntries
            try await services.store.write {
                // Fails if the request arrived twice: here if its job was judged meanwhile, and
                // otherwise because the job is there.
                guard try !$0.operations(Self.queued, after: start).contains(number) else {
                    throw StoreError(.conflict, "the request arrived twice")
                }
                try $0.identityJobs.insert(
                    IdentityJob(
                        id: "\(number)", subject: .session, account: nil,
                        app: SimulationStage.app, queuedAt: now))
                try $0.log(number, Self.queued, at: now)
            }
        }
        world.note("client \(client) queues job \(number): \(reply == nil ? "unknown" : "done")")
        if reply != nil { acknowledged.value.append(number) }
    }

    func run() async {
        await withDiscardingTaskGroup { tasks in
            for server in 0..<SimulationStage.serverCount {
                tasks.addTask {
                    for _ in 0..<Self.looks {
                        await trial.inProcess(of: server) { services, _ in
                            await work(services)
                        }
                        await world.pause(Int64(world.random(50...200)))
                    }
                }
            }
        }
    }

    /// Does a job, as the worker of a server does.
    ///
    /// - Returns: whether one was due.
    @discardableResult
    private func work(_ services: ServerServices) async -> Bool {
        let now = services.clock.now, store = services.store
        do {
            let job = try await store.write(.process) {
                try $0.identityJobs.start(
                    besides: [], at: now, until: now + .milliseconds(Self.leaseTime))
            }
            guard let job, let number = Int(job.id) else { return false }
            let isSettling = trial.isSettling.value
            // Some servers are paused while they judge.
            let isLong = !isSettling && world.happens(25)
            await world.pause(
                isLong
                    ? Self.leaseTime + Int64(world.random(0...800))
                    : Int64(world.random(0...100)))
            let end = services.clock.now, luck = isSettling ? 0 : world.random(0...99)
            switch luck {
            case 0..<60: try await conclude(job, number, services)
            case 60..<75:
                try await store.write {
                    try $0.identityJobs.postpone(
                        job, until: end + .milliseconds(100), failed: luck < 68)
                }
            case 75..<90:
                // It takes longer.
                try await store.write(.process) {
                    try $0.identityJobs.extend([job], until: end + .milliseconds(Self.leaseTime))
                }
                await world.pause(Int64(world.random(0...400)))
                try await conclude(job, number, services)
            default: break
            }
            return true
        } catch { return true }
    }

    /// Stores the judgment, if the job is still the server's own.
    private func conclude(_ job: IdentityJob, _ number: Int, _ services: ServerServices)
        async throws
    {
        let now = services.clock.now, ignoresLoss = trial.bug == .judgesLostJobs
        let isOurs = try await services.store.write { tables in
            guard try ignoresLoss || tables.identityJobs.holds(job) else { return false }
            try tables.identityJobs.delete(job.id)
            try tables.log(number, Self.judged, at: now)
            return true
        }
        world.note("server \(services.number) judges job \(number): \(isOurs)")
        if isOurs { judgments.value.append(number) }
    }

    /// The jobs of dead servers are done.
    func settle() async {
        let server = world.random(0...SimulationStage.serverCount - 1), limit = world.now + 20_000
        await world.pause(Self.leaseTime + 2 * SimulationStage.skew + 1000)
        await trial.inProcess(of: server) { services, _ in
            while await work(services), world.now < limit {}
        }
    }

    func judge(_ tables: Tables) throws -> String? {
        let start = trial.stage.auditEntries,
            queued = Set(try tables.operations(Self.queued, after: start)),
            judged = try tables.operations(Self.judged, after: start)
        if let lost = acknowledged.value.first(where: { !queued.contains($0) }) {
            return "job \(lost) was acknowledged and is not there"
        }
        if Set(judged).count != judged.count { return "a job was judged twice: \(judged)" }
        if let lost = judgments.value.first(where: { !judged.contains($0) }) {
            return "the judgment of job \(lost) was acknowledged and is not there"
        }
        let open = queued.subtracting(judged).sorted()
        return open.isEmpty ? nil : "jobs are never judged: \(open)"
    }
}
