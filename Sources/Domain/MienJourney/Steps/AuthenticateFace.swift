import MienCore

/// Compares the last selfie with the user's reference. Success signs the user in. Runs on the
/// server without asking the client.
/// the client is not asked.
struct AuthenticateFace: JourneyStep {
    static let settings = CheckedUser.settings() + FailureSettings.settings

    let user: CheckedUser
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try CheckedUser(reader)
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts.signingIn(.face)
        facts.outcomes[0].capture = false
        facts.reads = user.reads
        facts.needsUser = user.needed
        facts.needsCapture = true
        facts.add(failure, client) { $0.capture = false }
        return facts
    }

    /// Uses the capture up, so that one selfie cannot be tried on several users.
    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let reference = try run.reference(user)
        guard let capture = run.instance.capture else { throw StepFault(.captureMissing) }
        run.instance.capture = nil
        return .perform(
            .authenticateFace(user: reference, capture: capture),
            .checkingFace(expected: run.expected(reference), capture))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        guard case .faceAuthenticated(let id, capture: _, let amr, let use) = answer else {
            return .fail(run.reported(answer.refusal, user))
        }
        try run.signIn(id, amr: amr, by: use)
        return .leave(.success)
    }
}
