import MienCore

/// Checks one of the user's recovery codes and uses it up. Success signs the user in and restores
/// access at once.
struct AuthenticateRecoveryCode: JourneyStep {
    static let settings =
        CheckedUser.settings() + [
            Setting(
                "code", .secret, required: true,
                "The recovery code: a sensitive field of the preceding form.")
        ] + FailureSettings.settings

    let user: CheckedUser
    let code: JourneyExpression
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try CheckedUser(reader)
        code = try reader.required("code", try reader.expression("code"))
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts.signingIn(.other)
        facts.reads = user.reads + [StepFacts.Read("code", code, isSecret: true)]
        facts.needsUser = user.needed
        facts.add(failure, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let reference = try run.reference(user)
        return .perform(
            .authenticateRecoveryCode(user: reference, code: try run.secret(code)),
            .checkingRecoveryCode(expected: run.expected(reference)))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        guard case .authenticated(let id, let amr, let use) = answer else {
            return .fail(run.reported(answer.refusal, user))
        }
        try run.signIn(id, amr: amr, by: use)
        run.recover()
        return .leave(.success)
    }
}
