public import MienCore

/// Checks one of the user's recovery codes and uses it up. Success signs the user in and restores
/// access at once.
struct AuthenticateRecoveryCode: JourneyStep {
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
            .authenticateRecoveryCode(AuthenticateRecoveryCodeEffect(user: user, code: code)),
            .checkingRecoveryCode(expected: user.expected))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        let move = try check.resume(answer, &run)
        if case .leave = move { run.recover() }
        return move
    }
}

/// Checks a recovery code and uses it up.
public struct AuthenticateRecoveryCodeEffect: Sendable, Hashable {
    public let user: UserReference
    public let code: Sensitive<String>
}

extension AuthenticateRecoveryCodeEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let reply = world.authenticate(user, .recoveryCode, amr: "x_recovery_code") { user in
            code.use { user.recoveryCodes.contains($0) }
        }
        if case .proof(let proof) = reply, let index = world.index(of: proof.user) {
            world.users[index].recoveryCodes.removeAll { known in code.use { $0 == known } }
        }
        return reply
    }
}
