import MienCore
import MienStore

/// A journey's run, which is read and written under its revision.
struct RunPart: SimulatedPart {
    private typealias Call = CompareAndSetModel.Call
    private static let id = InstanceID("run_simulation")!

    private let trial: TrialContext
    private let history = HistoryRecorder<CompareAndSetModel.Call, CompareAndSetModel.Reply>()
    /// The content that a server with the bug of a stale cache keeps.
    private let cache = Mutexed<(content: Int, revision: Int)?>(nil)

    init(_ trial: TrialContext) { self.trial = trial }

    var counts: (calls: Int, answers: Int) { count(history) }

    func prepare(_ tables: Tables) throws { try tables.runs.insert(Self.run(content: 0)) }

    private static func run(content: Int) -> JourneyRunRecord {
        JourneyRunRecord(
            id: id, app: SimulationStage.app, journey: JourneyID("simulation")!,
            tokenHash: [1],
            state: Sensitive((0..<4).map { UInt8(truncatingIfNeeded: content >> (24 - 8 * $0)) }),
            expiresAt: SimulationStage.start + .seconds(86_400))
    }

    private static func content(of run: JourneyRunRecord) -> Int {
        run.state.use { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    var actions: [SimulatedAction] { [SimulatedAction(weight: 14, act: advance)] }

    @Sendable private func advance(_ client: Int) async {
        let reply = await trial.send(Call("run", .read), to: history, client) {
            try await read($0)
        }
        guard case .content(_, let revision) = reply else { return }
        await trial.world.pause(Int64(trial.world.random(0...30)))
        let content = trial.nextNumber()
        _ = await trial.send(
            Call("run", .write(content: content, from: revision)), to: history, client
        ) { try await write(content, from: revision, $0) }
    }

    private func read(_ services: ServerServices) async throws -> CompareAndSetModel.Reply {
        if trial.bug == .readsFromCache, let kept = cache.value {
            return .content(kept.content, revision: kept.revision)
        }
        let run = try await services.store.read { try $0.runs.find(Self.id) }
        guard let run else { throw StoreError(.corrupt, "the run is missing") }
        let content = Self.content(of: run)
        if trial.bug == .readsFromCache { cache.value = (content, run.revision) }
        return .content(content, revision: run.revision)
    }

    private func write(_ content: Int, from revision: Int, _ services: ServerServices) async throws
        -> CompareAndSetModel.Reply
    {
        let run = Self.run(content: content),
            ignoresRevision = trial.bug == .writesWithoutRevision
        do {
            try await services.store.write { tables in
                var from = revision
                if ignoresRevision, let now = try tables.runs.find(run.id) { from = now.revision }
                try tables.runs.advance(run, from: from)
            }
            return .written
        } catch let error as StoreError where error.code == .stale { return .stale }
    }

    func judge(_ tables: Tables) throws -> String? {
        if let run = try tables.runs.find(Self.id) {
            history.end(
                history.begin(Call("run", .read), client: 0),
                .content(Self.content(of: run), revision: run.revision))
        }
        return violation(of: CompareAndSetModel(), history)
    }
}
