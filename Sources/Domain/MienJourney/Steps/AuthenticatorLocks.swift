import MienCore

/// Locks one of the user's authenticators.
struct LockAuthenticator: JourneyStep {
    static let settings = AuthenticatorChange.settings

    let change: AuthenticatorChange

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        change = try AuthenticatorChange(reader)
    }

    var failure: FailureSettings? { change.failure }
    var facts: StepFacts { change.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        try change.enter(run) {
            .perform(.lockAuthenticator(user: $0, change.authenticator), .lockingAuthenticator)
        }
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        try change.resume(answer, run) {
            .perform(.lockAuthenticator(user: $0, change.authenticator), .lockingAuthenticator)
        }
    }
}

/// Unlocks one of the user's authenticators.
struct UnlockAuthenticator: JourneyStep {
    static let settings = AuthenticatorChange.settings

    let change: AuthenticatorChange

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        change = try AuthenticatorChange(reader)
    }

    var failure: FailureSettings? { change.failure }
    var facts: StepFacts { change.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        try change.enter(run) {
            .perform(.unlockAuthenticator(user: $0, change.authenticator), .unlockingAuthenticator)
        }
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        try change.resume(answer, run) {
            .perform(.unlockAuthenticator(user: $0, change.authenticator), .unlockingAuthenticator)
        }
    }
}

/// The parts shared by locking and unlocking.
struct AuthenticatorChange: Sendable {
    static let settings =
        [
            Setting(
                "authenticator", .choice(AuthenticatorType.allCases.map(\.rawValue)),
                required: true, "Which one.")
        ] + ActingUser.settings
        + FailureSettings.settings

    let authenticator: AuthenticatorType
    let user: ActingUser
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        authenticator = try reader.choice("authenticator", default: .face)
        user = try ActingUser(reader)
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.outcomes = [StepFacts.OutcomeFacts(.success)]
        facts.reads = user.reads
        facts.needsUser = user.needed
        facts.add(failure, nil)
        return facts
    }

    func enter(_ run: StepRun, _ act: (UserID) -> Move) throws(StepFault) -> Move {
        let acting = try run.actingUser(user)
        return acting.unresolved.map { .perform(.resolveUser(identifier: $0), .resolvingUser) }
            ?? act(acting.user)
    }

    func resume(_ answer: EffectResult.Answer, _ run: StepRun, _ act: (UserID) -> Move)
        throws(StepFault) -> Move
    {
        switch answer {
        case .user(let found): return act(try run.actingUser(user, resolved: found))
        case .done: return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}
