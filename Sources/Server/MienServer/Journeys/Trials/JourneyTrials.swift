internal import Crypto
internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienJourney
package import MienStore

/// Runs of journeys that an administrator tries on this server, also of drafts. Effects are real:
/// passwords are compared, mails sent, and webhooks called.
///
/// A trial knows test accounts only: every other account looks unknown to it, and its sign-ups make
/// test accounts. It gives no token, and a client cannot go on with it.
package final class JourneyTrials: Sendable {
    /// The number of answers that a trial takes.
    static let maxTurns = 200

    let store: Store
    private let runner: JourneyRunner
    private let clock: ServerClock
    private let turns = KeyedLocks<InstanceID>()

    package init(store: Store, performer: EffectPerformer, clock: ServerClock) {
        (self.store, self.clock) = (store, clock)
        runner = JourneyRunner(performer: performer, clock: clock)
    }

    // MARK: Start

    func start(
        _ id: JourneyID, _ version: Int, _ wanted: StartJourneyTrialRequest, by admin: AdminID
    ) async throws -> JourneyTrialAnswer {
        let appID = try AppID(wanted.appID, field: "app_id")
        guard let app = try await store.read({ try $0.apps.find(appID) }) else {
            throw Problem.noSuchApp
        }
        let user = try await wanted.user.asyncMap { try await self.testUser($0) }
        let (definition, mark) = try await definition(id, version)
        let now = clock.now
        var generator = SystemRandomNumberGenerator()
        let runID = InstanceID.random(using: &generator)
        var state = RunState(
            instance: JourneyInstance(
                id: runID, of: definition, app: app.id,
                namesSearch: app.settings.duplicateFaces != nil,
                sharing: try await store.read { try $0.faceGroups.sharing(of: appID) }, at: now))
        state.trial = RunState.Trial(admin: admin, definition: mark)
        try await note(
            "journey.trial-started", state, app.id, user,
            ["journey": .string(id.text), "version": .number(Double(version))])
        let decision = try await advance(
            &state,
            .start(
                parameters: wanted.parameters ?? .null,
                user: user.map { JourneyUser(id: $0, level: .authenticated, amr: ["pwd"]) }),
            option: nil, definition, app)
        let token = BearerSecret(for: runID, using: &generator)
        let record = JourneyRunRecord(
            id: runID, app: app.id, journey: id, tokenHash: store.keys.hash(ofSecret: token.secret),
            state: try Self.encoded(state), account: state.account,
            expiresAt: state.instance.expiresAt)
        try await store.insert(record)
        return Self.answer(state, decision, token.text)
    }

    /// Returns a test account.
    ///
    /// - Throws: ``Problem`` `.conflict` for any other.
    private func testUser(_ text: String) async throws -> UserID {
        let id = try UserID(text, field: "user")
        guard let account = try await store.read({ try $0.accounts.find(id) }) else {
            throw Problem.noSuchUser
        }
        guard account.isTest, account.state == .active else {
            throw Problem(
                .conflict,
                "Only an active test account can try a journey. Create a user that is one."
            )
        }
        return id
    }

    /// Returns a saved version and the mark of its text. Drafts are not cached, because they change.
    private func definition(_ id: JourneyID, _ version: Int) async throws -> (
        JourneyDefinition, mark: [UInt8]
    ) {
        guard let record = try await store.read({ try $0.journeys.find(id, version: version) })
        else { throw Problem(.notFound, "There is no such version of this journey.") }
        let text = Array(record.definition.utf8)
        do throws(JourneyDefinitionError) {
            return (try JourneyDefinition.parse(text), Array(SHA256.hash(data: text)))
        } catch {
            throw Problem(
                .invalidRequest, "The version is incomplete and cannot be run.",
                errors: [.init(field: error.path, message: error.reason)])
        }
    }

    // MARK: Answers

    func answer(_ wanted: AnswerJourneyTrialRequest, by admin: AdminID) async throws
        -> JourneyTrialAnswer
    {
        guard let (id, secret) = BearerSecret.parse(wanted.state, InstanceKind.self) else {
            throw Problem(.invalidState, "The state is malformed. Send that of the last answer.")
        }
        let hash = store.keys.hash(ofSecret: secret)
        let answer = try await turns.withLock(id) {
            try await self.goOn(id, hash, wanted, by: admin)
        }
        guard let answer else {
            throw Problem(.tooManyRequests, "Too many answers to this trial are in progress.")
        }
        return answer
    }

    private func goOn(
        _ id: InstanceID, _ hash: [UInt8], _ wanted: AnswerJourneyTrialRequest, by admin: AdminID
    ) async throws -> JourneyTrialAnswer {
        let now = clock.now
        guard var record = try await store.read({ try $0.runs.find(id) }), now < record.expiresAt
        else { throw Problem(.noActiveJourney) }
        var state = try record.state.use { try JSONDecoder().decode(RunState.self, from: Data($0)) }
        // Another administrator who has the state learns nothing.
        guard let trial = state.trial, trial.admin == admin else { throw Problem(.noActiveJourney) }
        guard isSame(record.tokenHash, hash) else { throw Problem(.invalidState) }
        guard trial.turns.count <= Self.maxTurns else {
            throw Problem(
                .invalidState, "The trial took \(Self.maxTurns) answers. Start another one.")
        }
        let (definition, mark) = try await definition(
            state.instance.journey, state.instance.version)
        guard mark == trial.definition else {
            throw Problem(
                .invalidState, "The version changed since the trial began. Start again.")
        }
        let appID = record.app
        guard let app = try await store.read({ try $0.apps.find(appID) }),
            try await runner.isCurrent(state)
        else { throw Problem(.noActiveJourney) }
        let decision = try await advance(
            &state, .response(option: wanted.option, data: wanted.data ?? .null),
            option: wanted.option, definition, app)
        var generator = SystemRandomNumberGenerator()
        let token = BearerSecret(for: id, using: &generator)
        record.tokenHash = store.keys.hash(ofSecret: token.secret)
        record.state = try Self.encoded(state)
        record.account = state.account ?? record.account
        let (changed, revision) = (record, record.revision)
        try await store.write(.process) { try $0.runs.advance(changed, from: revision) }
        return Self.answer(state, decision, token.text)
    }

    // MARK: Turns

    private func advance(
        _ state: inout RunState, _ event: JourneyEvent, option: String?,
        _ definition: JourneyDefinition, _ app: AppRecord
    ) async throws -> JourneyDecision {
        var path: [PassedStepAnswer] = []
        let decision = try await runner.advance(&state, event, definition, app) {
            path.append(PassedStepAnswer(step: $0.step.text, outcome: $0.outcome.name))
        }
        state.trial?.turns.append(TrialTurnAnswer(option: option, path: path))
        try await requireTestAccount(state)
        switch decision {
        case .perform, .ask: break
        case .complete:
            try await runner.closeApproval(of: state)
            if let signUp = state.signUp {
                _ = try await runner.performer.signUps.complete(signUp, app: app.id)
            }
            try await end("success", state, app)
        case .reject:
            try await runner.closeApproval(of: state)
            if let signUp = state.signUp { try await runner.performer.signUps.abandon(signUp) }
            try await end("rejection", state, app)
        }
        return decision
    }

    /// The performer hides all other accounts. This is the second line.
    private func requireTestAccount(_ state: RunState) async throws {
        guard let user = state.instance.user?.id else { return }
        guard try await store.read({ try $0.accounts.find(user) })?.isTest == true else {
            throw Problem(.notPermitted, "A trial knows test accounts only.")
        }
    }

    private func end(_ end: String, _ state: RunState, _ app: AppRecord) async throws {
        try await note(
            "journey.trial-ended", state, app.id, state.instance.user?.id, ["end": .string(end)])
    }

    private func note(
        _ event: String, _ state: RunState, _ app: AppID, _ user: UserID?,
        _ detail: [String: JSONValue]
    ) async throws {
        let now = clock.now
        let entry = AuditEvent(
            event, actor: state.trial?.admin.text ?? "system", account: user, app: app,
            detail: detail.merging(["run": .string(state.instance.id.text)]) { $1 })
        try await store.write { try $0.audit.append(entry, at: now) }
    }

    private static func encoded(_ state: RunState) throws -> Sensitive<[UInt8]> {
        Sensitive(try JSONText.encode(state))
    }
}
