import MienCore
import MienStore

/// The audit log.
struct AuditPart: SimulatedPart {
    private static let event = "simulation.note"
    private let trial: TrialContext
    private let history = HistoryRecorder<AppendModel.Call, AppendModel.Reply>()

    init(_ trial: TrialContext) { self.trial = trial }

    var counts: (calls: Int, answers: Int) { count(history) }

    var actions: [SimulatedAction] {
        [SimulatedAction(weight: 7, act: append), SimulatedAction(weight: 3, act: read)]
    }

    @Sendable private func append(_ client: Int) async {
        let number = trial.nextNumber()
        let pending = history.begin(.append(UInt64(number)), client: client)
        // Each copy of the request would append, so there is only one.
        let reply: Void? = await trial.request(doubling: false) { try await append(number, $0) }
        trial.world.note("client \(client) appends \(number): \(reply == nil ? "unknown" : "done")")
        if reply != nil { history.end(pending, .appended) }
    }

    private func append(_ number: Int, _ services: ServerServices) async throws {
        let now = services.clock.now
        func write() async throws {
            try await services.store.write { try $0.log(number, Self.event, at: now) }
        }
        guard trial.bug == .repeatsUncertainWrites else { return try await write() }
        do { try await write() } catch { try await write() }
    }

    @Sendable private func read(_ client: Int) async {
        let start = trial.stage.auditEntries
        _ = await trial.send(.read, to: history, client) {
            .log(
                .init(
                    try await $0.store.read { try $0.operations(Self.event, after: start) }.map {
                        UInt64($0)
                    }))
        }
    }

    func judge(_ tables: Tables) throws -> String? {
        let notes = try tables.operations(Self.event, after: trial.stage.auditEntries)
        history.end(history.begin(.read, client: 0), .log(.init(notes.map { UInt64($0) })))
        if Set(notes).count != notes.count { return "an entry of the log is there twice" }
        return violation(of: AppendModel(), history)
    }
}
