import MienCore

/// Replaces the signed-in user's password, after checking the current one.
///
/// The current password passes the lock gate like any other guess, and counts as a sign-in of this
/// run.
struct ChangePassword: JourneyStep {
    static let settings =
        [
            Setting(
                "current_password", .secret, required: true,
                "The current password: a sensitive field of the preceding form."),
            SetPassword.newPassword("new_password"),
        ] + FailureSettings.settings

    let current, new: JourneyExpression
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        current = try reader.required(
            "current_password", try reader.expression("current_password"))
        new = try reader.required("new_password", try reader.expression("new_password"))
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.outcomes = [StepFacts.OutcomeFacts(.success)]
        facts.reads = [
            StepFacts.Read("current_password", current, isSecret: true),
            StepFacts.Read("new_password", new, isSecret: true),
        ]
        facts.needsUser = .authenticated
        facts.proof = .restoring
        facts.add(failure, nil)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        guard let user = run.instance.user, user.level == .authenticated else {
            throw StepFault(.userMissing)
        }
        // A missing new password must not cost a guess.
        _ = try run.secret(new)
        return .perform(
            .authenticatePassword(
                AuthenticatePasswordEffect(user: .id(user.id), password: try run.secret(current))),
            .checkingPassword(expected: user.id))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .proof(let proof):
            try run.signIn(proof)
            return .perform(
                .setPassword(SetPasswordEffect(user: proof.user, password: try run.secret(new))),
                .settingPassword(proof.user))
        case .passwordSet(_, let epoch):
            run.passwordChanged(epoch)
            return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}
