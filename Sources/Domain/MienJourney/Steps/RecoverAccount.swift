public import MienCore

/// Restores access for a user who signed in with less than the account requires, such as an email
/// code alone.
///
/// The first run requests recovery and ends the step with `held`. A later run that signs in the
/// same way, after the hold period, ends it with `success`. A run that used a recovery code, or two
/// kinds of proof, need not wait.
struct RecoverAccount: JourneyStep {
    static let settings =
        [
            Setting(
                "output_variable", .variable,
                "Set with the outcome `held`: `{effective_at}`, the end of the hold, in milliseconds since 1970."
            )
        ] + FailureSettings.settings

    let outputVariable: String?
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        outputVariable = try reader.variable("output_variable")
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        var held = StepFacts.OutcomeFacts(.held)
        if let outputVariable {
            held.assigns = [StepFacts.Assignment(outputVariable, ["effective_at": true])]
        }
        facts.outcomes = [StepFacts.OutcomeFacts(.success), held]
        facts.needsUser = .authenticated
        facts.proof = .restoring
        facts.add(failure, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        guard let user = run.instance.user, user.level == .authenticated else {
            throw StepFault(.userMissing)
        }
        if user.isRecovered { return .leave(.success) }
        // Count only proof from this run: the access token it started with may be stolen.
        guard let proof = user.proof, !proof.methods.isEmpty else {
            throw StepFault(.insufficientUserAuthentication)
        }
        return .perform(
            .recoverAccount(RecoverAccountEffect(user: user.id, methods: proof.methods)),
            .recovering(user.id))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .recovery(_, .sufficient): return .leave(.success)
        case .recovery(_, .restored):
            run.recover()
            return .leave(.success)
        case .recovery(_, .held(let effectiveAt)):
            if let outputVariable {
                try run.set(
                    outputVariable, ["effective_at": .number(Double(effectiveAt.milliseconds))])
            }
            return .leave(.held)
        default: return .fail(answer.refusal)
        }
    }
}

/// Requests or completes the recovery of an account.
public struct RecoverAccountEffect: Sendable, Hashable {
    public let user: UserID
    /// The methods proved in this run.
    public let methods: [String]
}

/// The result of a request to recover an account.
public enum RecoveryDecision: Sendable, Hashable {
    /// The hold period is over and the run has restored access.
    case restored
    /// The user has provided enough proof and does not need recovery.
    case sufficient
    case held(until: Instant)
}

extension RecoverAccountEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> EffectAnswer {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        guard world.users[index].hasEffectiveRecovery else {
            return .recovery(user, .held(until: now + SimulatedWorld.hold))
        }
        world.users[index].hasEffectiveRecovery = false
        return .recovery(user, .restored)
    }
}
