internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// Advances runs: performs what they request until they ask the client or end.
struct JourneyRunner: Sendable {
    let performer: EffectPerformer
    let clock: ServerClock

    private var store: Store { performer.store }

    /// - Parameter note: Receives the steps that the run leaves.
    func advance(
        _ state: inout RunState, _ event: JourneyEvent, _ definition: JourneyDefinition,
        _ app: AppRecord, note: (JourneyInstance.Transition) -> Void = { _ in }
    ) async throws -> JourneyDecision {
        var decision = try step(&state, event, definition)
        state.instance.transitions.forEach(note)
        while case .perform(let effect) = decision {
            let context = EffectContext(
                run: state.instance.id, turn: effect.ticket.turn, app: app, device: state.device,
                user: state.instance.user, begun: state.begun,
                signUp: state.signUp, endsAt: state.instance.expiresAt,
                isTrial: state.trial != nil)
            try await store.confirmAssumptions()
            let answer = try await performer.perform(effect.work, context)
            state.note(answer, to: effect.work)
            decision = try step(&state, .performed(effect.result(answer)), definition)
            state.instance.transitions.forEach(note)
        }
        return decision
    }

    private func step(
        _ state: inout RunState, _ event: JourneyEvent, _ definition: JourneyDefinition
    ) throws -> JourneyDecision {
        do { return try state.instance.handle(event, in: definition, at: clock.now) } catch {
            let fields = error.problems.map {
                Problem.FieldError(field: $0.field, message: $0.message)
            }
            switch error.code {
            case .invalidState: throw Problem(.invalidState)
            case .clientResponseNotValid: throw Problem(.clientResponseNotValid, errors: fields)
            case .noActiveJourney: throw Problem(.noActiveJourney)
            }
        }
    }

    /// Whether the run's knowledge of its user still holds: the account is active (or this run's
    /// own sign-up), and the sign-ins that the run made and began with have not ended.
    func isCurrent(_ state: RunState) async throws -> Bool {
        guard let user = state.instance.user, user.level > .identified else { return true }
        let signUp = state.signUp
        // Idle or not, the grant counts while it is not revoked: the run lives for its own short
        // time.
        let signIn = SignInStanding(
            account: user.id, epoch: user.proof?.epoch, grant: state.begun?.grant,
            authenticators: user.proof?.authenticators ?? [])
        return try await store.read { tables in
            guard let standing = try tables.accounts.standing(of: user.id) else { return false }
            guard standing.state == .active || (standing.state == .pending && user.id == signUp)
            else { return false }
            return try signIn.holds(in: tables)
        }
    }

    /// Closes the request for approval of a run that ends, so that nobody is asked to approve what no
    /// longer counts.
    func closeApproval(of state: RunState) async throws {
        guard let approval = state.approval else { return }
        try await performer.closeApproval(approval, run: state.instance.id)
    }
}
