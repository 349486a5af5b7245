public import MienCore

/// Compares the last selfie with the user's reference. Success signs the user in. Runs on the
/// server without asking the client.
struct AuthenticateFace: JourneyStep {
    static let authenticator: AuthenticatorType? = .face

    static let settings = CheckedUser.settings() + FailureSettings.settings

    let user: CheckedUser
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try CheckedUser(reader)
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts.signingIn(.face, .weak)
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
        run.discardCapture()
        return .perform(
            .authenticateFace(AuthenticateFaceEffect(user: reference, capture: capture)),
            .checkingFace(expected: reference.expected, capture: capture))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        guard case .proof(let proof) = answer else {
            return .fail(run.reported(answer.refusal, user))
        }
        try run.signIn(proof)
        return .leave(.success)
    }
}

/// Compares a capture with the user's reference.
public struct AuthenticateFaceEffect: Sendable, Hashable {
    public let user: UserReference
    public let capture: CaptureID
}

extension AuthenticateFaceEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let person = world.captures.removeValue(forKey: capture)?.person
        let reply = world.authenticate(user, .face, amr: "face") { user in
            person.map { user.faces.contains($0) } ?? false
        }
        guard case .proof(let proof) = reply else { return reply }
        return .faceAuthenticated(proof.user, capture: capture, amr: proof.amr)
    }
}
