import MienCore

/// Checks a password. Success signs the user in.
struct AuthenticatePassword: JourneyStep {
    static let settings =
        CheckedUser.settings("username") + [
            Setting(
                "password", .secret, required: true,
                "The password: a sensitive field of the preceding form.")
        ]
        + FailureSettings.settings

    let user: CheckedUser
    let password: JourneyExpression
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try CheckedUser(reader, "username")
        password = try reader.required("password", try reader.expression("password"))
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts.signingIn(.other)
        facts.reads = user.reads + [StepFacts.Read("password", password, isSecret: true)]
        facts.needsUser = user.needed
        facts.add(failure, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let reference = try run.reference(user)
        return .perform(
            .authenticatePassword(user: reference, password: try run.secret(password)),
            .checkingPassword(expected: run.expected(reference)))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        guard case .authenticated(let id, let amr, let use) = answer else {
            return .fail(run.reported(answer.refusal, user))
        }
        try run.signIn(id, amr: amr, by: use)
        return .leave(.success)
    }
}

extension StepFacts {
    /// Returns the facts of a step whose success signs the user in.
    static func signingIn(_ method: Method) -> StepFacts {
        var facts = StepFacts()
        facts.method = method
        var success = OutcomeFacts(.success)
        success.user = .authenticated
        facts.outcomes = [success]
        return facts
    }
}
