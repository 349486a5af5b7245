public import MienCore

/// Checks one of the user's recovery codes and uses it up. Success signs the user in and restores
/// access at once.
struct AuthenticateRecoveryCode: JourneyStep {
    static let type = StepType.recoveryCodeAuthentication
    static let effects: [any SimulatedEffect.Type] = [AuthenticateRecoveryCodeEffect.self]
    static let settings = SecretCheck.settings(
        user: "user_identifier", secret: "code",
        "The recovery code: a sensitive field of the preceding form.")

    let check: SecretCheck

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        check = try SecretCheck(reader, user: "user_identifier", secret: "code")
    }

    var failure: FailureSettings? { check.failure }
    var facts: StepFacts { check.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let (user, code) = try check.subject(run)
        return .perform(
            AuthenticateRecoveryCodeEffect(user: user, code: code),
            .init(expected: user.expected))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        let move = try check.resume(answer, &run)
        if case .leave = move { run.recover() }
        return move
    }
}

extension StepType {
    public static let recoveryCodeAuthentication = StepType(
        declared: "recovery_code_authentication")
}

/// Checks a recovery code and uses it up.
public struct AuthenticateRecoveryCodeEffect: StepEffect {
    public let user: UserReference
    public let code: Sensitive<String>

    public var impact: AuthenticatorImpact { .verifies(.recoveryCode) }

    public typealias Answer = Authentication

    public struct Pending: PendingState {
        public static let name = "checkingRecoveryCode"
        let expected: UserID?

        public func accepts(_ answer: Authentication) -> Bool { answer.concerns(expected) }
    }
}

extension AuthenticateRecoveryCodeEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        let reply = world.authenticate(user, .recoveryCode, amr: "x_recovery_code") { user in
            code.use { user.recoveryCodes.contains($0) }
        }
        if case .answer(let proof) = reply, let index = world.index(of: proof.user) {
            world.users[index].recoveryCodes.removeAll { known in code.use { $0 == known } }
        }
        return reply
    }
}
