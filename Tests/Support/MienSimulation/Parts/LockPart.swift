import MienAPI
import MienCore
import MienServer
import MienStore

/// The failures of one authenticator.
struct LockPart: SimulatedPart {
    private typealias Call = LockModel.Call
    private let trial: TrialContext
    private let history = HistoryRecorder<LockModel.Call, LockModel.Reply>()

    init(_ trial: TrialContext) { self.trial = trial }

    private var face: AuthenticatorRecord { trial.stage.faceRecord }
    var counts: (calls: Int, answers: Int) { count(history) }

    var actions: [SimulatedAction] {
        [SimulatedAction(weight: 14, act: guess), SimulatedAction(weight: 4, act: change)]
    }

    /// The operations of a guess are recorded by the server, because the judgment lies between them.
    @Sendable private func guess(_ client: Int) async {
        let isRight = trial.world.happens(30)
        _ = await trial.request { try await guess(isRight: isRight, client, $0) }
    }

    @Sendable private func change(_ client: Int) async {
        let holds = trial.world.happens(50), face = face
        _ = await trial.send(Call("face", holds ? .hold : .release, at: 0), to: history, client) {
            if holds {
                try await $0.store.write {
                    try $0.locks.hold(SimulationStage.face, by: .administrator)
                }
            } else {
                _ = try await $0.store.write { try $0.locks.release(face, by: .administrator) }
            }
            return .done
        }
    }

    /// Judges a guess. Each transaction is an operation of the history, because between them other
    /// guesses are counted.
    private func guess(isRight: Bool, _ client: Int, _ services: ServerServices) async throws {
        switch trial.bug {
        case .countsInTwoTransactions, .countsAfterJudging:
            return try await guessWrongly(client, services)
        default: break
        }
        let now = services.clock.now.milliseconds
        let begin = history.begin(Call("face", .begin, at: now), client: client)
        let pass = try await services.gate.begin(face, device: nil)
        history.end(begin, pass == nil ? .refused : .counted)
        trial.world.note("client \(client) guess \(pass == nil ? "refused" : "counted")")
        guard let pass else { return }
        await trial.world.pause(Int64(trial.world.random(0...20)))
        guard isRight else { return }
        let succeed = history.begin(
            Call("face", .succeed, at: services.clock.now.milliseconds), client: client)
        try await services.gate.succeed(pass)
        history.end(succeed, .done)
    }

    private func guessWrongly(_ client: Int, _ services: ServerServices) async throws {
        let now = services.clock.now, face = face
        let begin = history.begin(Call("face", .begin, at: now.milliseconds), client: client)
        let read = try await services.store.read { try $0.locks.lock(of: face, device: nil) }
        var lock = read
        guard lock.begin(under: SimulationStage.policy, at: now) != nil else {
            return history.end(begin, .refused)
        }
        if trial.bug == .countsAfterJudging {
            history.end(begin, .counted)
            await trial.world.pause(Int64(trial.world.random(0...20)))
        }
        let counted = lock
        try await services.store.write { tables in
            _ = try tables.locks.change(face, device: nil) { $0 = counted }
        }
        if trial.bug == .countsInTwoTransactions { history.end(begin, .counted) }
    }

    func judge(_ tables: Tables) throws -> String? {
        let total = try tables.locks.lock(of: face, device: nil).total
        history.end(history.begin(Call("face", .total, at: 0), client: 0), .total(total))
        let policy = SimulationStage.policy
        return violation(
            of: LockModel(
                failedAttempts: policy.failedAttempts,
                lockoutMilliseconds: Int64(policy.lockoutSeconds) * 1000,
                disableAfter: policy.disableAfter), history)
    }
}
