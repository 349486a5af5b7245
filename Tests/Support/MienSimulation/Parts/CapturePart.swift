import MienCore
import MienJourney
import MienServer
import MienStore

/// Live captures, each of which one server has, until it is dead or has been silent for too long.
///
/// The records are the server's own (`CaptureRecords`). The sessions in memory, which they are about,
/// are those of ``SimulatedCaptures``.
struct CapturePart: SimulatedPart {
    private static let captures = (0..<2).map { CaptureID("cap_simulation_\($0)")! }
    /// How long a server says nothing before others take it for dead, in milliseconds.
    private static let patience: Int64 = 15_000

    private let trial: TrialContext
    private let captures: SimulatedCaptures

    init(_ trial: TrialContext) {
        self.trial = trial
        captures = SimulatedCaptures(trial)
    }

    private var world: SimulatedWorld { trial.world }
    var counts: (calls: Int, answers: Int) { count(captures.history) }
    /// A capture is begun in a transaction that a power loss may undo.
    var needsEachCommit: Bool { true }

    func begin() async {
        let services = trial.stage.servers[0]
        for (number, id) in Self.captures.enumerated() {
            try? await captures.records(services).open(
                CaptureRequest(
                    purpose: .authentication, user: .id(SimulationStage.captureAccount)),
                for: CaptureOrigin(
                    run: InstanceID("run_capture_\(number)")!, app: trial.stage.captureAppRecord,
                    device: nil, signedIn: nil),
                under: LivenessRules(server: LivenessPolicy(), app: LivenessPolicy()), id: id,
                tokenHash: [UInt8(number)], until: SimulationStage.start + .seconds(86_400))
        }
        for server in 0..<SimulationStage.serverCount {
            await trial.inProcess(of: server) { await captures.announce($0, $1) }
        }
    }

    /// Servers say that they live, at their start and from time to time.
    func run() async {
        await withDiscardingTaskGroup { tasks in
            for server in 0..<SimulationStage.serverCount {
                tasks.addTask { await announce(server) }
            }
        }
    }

    private func announce(_ server: Int) async {
        var last = (life: 0, at: world.now)
        while !trial.isSettling.value {
            await world.pause(500)
            guard let life = trial.processes.value[server]?.life,
                life != last.life || world.now >= last.at + 5000
            else { continue }
            last = (life, world.now)
            await trial.inProcess(of: server) { await captures.announce($0, $1) }
        }
    }

    // MARK: Clients

    var actions: [SimulatedAction] {
        let calls: [(Int, SimulatedCaptures.Call)] = [
            (12, .start), (8, .frame), (8, .finish), (3, .cancel), (5, .status),
        ]
        return calls.map { weight, call in
            SimulatedAction(weight: weight, act: { client in await send(call, client) })
        }
    }

    private func send(_ call: SimulatedCaptures.Call, _ client: Int) async {
        // Some come back when others have taken the server for dead.
        if world.happens(8) { await world.pause(Self.patience + Int64(world.random(1000...4000))) }
        let id = world.pick(Self.captures)
        let answer: Void? = await trial.request { services in
            try await captures.handle(call, of: id, client, services)
        }
        world.note("client \(client) \(call) \(id.text): \(answer == nil ? "failed" : "answered")")
    }

    // MARK: The end

    /// All servers are lost. Others notice it, and the captures begin again.
    func settle() async {
        for server in 0..<SimulationStage.serverCount {
            trial.kill(server)
            trial.start(server)
            await trial.inProcess(of: server) { await captures.announce($0, $1) }
        }
        await world.pause(Self.patience + 2 * SimulationStage.skew + 1000)
        for id in Self.captures {
            await trial.inProcess(of: world.random(0...SimulationStage.serverCount - 1)) {
                services, _ in
                do { try await captures.restart(id, services) } catch {
                    captures.fail("capture \(id.text) does not begin again: \(error)")
                }
            }
        }
    }

    func judge(_ tables: Tables) throws -> String? {
        for id in Self.captures {
            guard let record = try tables.captures.find(id) else { return "a capture is missing" }
            captures.history.end(
                captures.history.begin(LiveCaptureModel.Call(id.text, .isOpen), client: 0),
                .isOpen(record.state == .open))
        }
        if let problem = captures.problem { return problem }
        if let violation = violation(of: LiveCaptureModel(), captures.history) {
            return violation
        }
        let total = try tables.locks.lock(of: trial.stage.captureFaceRecord, device: nil).total
        let expected = captures.guesses
        return expected.contains(total)
            ? nil : "\(total) wrong faces were counted, and there were \(expected)"
    }
}
