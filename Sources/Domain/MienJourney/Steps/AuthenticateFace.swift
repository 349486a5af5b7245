public import MienCore

/// Compares the last selfie with the user's reference. Success signs the user in. Runs on the
/// server without asking the client.
struct AuthenticateFace: JourneyStep {
    static let type = StepType.authenticateFace
    static let effects: [any SimulatedEffect.Type] = [AuthenticateFaceEffect.self]
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
            AuthenticateFaceEffect(user: reference, capture: capture),
            .init(expected: reference.expected, capture: capture))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        guard case .given(let proof as AuthenticateFaceEffect.Answer) = answer else {
            return .fail(run.reported(answer.refusal, user))
        }
        try run.signIn(proof)
        return .leave(.success)
    }
}

extension StepType {
    public static let authenticateFace = StepType(declared: "authenticate_face")
}

/// Compares a capture with the user's reference.
public struct AuthenticateFaceEffect: StepEffect {
    public let user: UserReference
    public let capture: CaptureID

    public var impact: AuthenticatorImpact { .verifies(.face) }

    /// A face match and the capture it used.
    public struct Answer: AuthenticationAnswer {
        public let user: UserID
        public let capture: CaptureID
        public let amr: [String]
        public let use: AuthenticatorUse?
    }

    public struct Pending: PendingState {
        public static let name = "checkingFace"
        let expected: UserID?
        let capture: CaptureID

        private enum CodingKeys: String, CodingKey { case expected, capture = "_1" }

        public func accepts(_ answer: AuthenticateFaceEffect.Answer) -> Bool {
            answer.capture == capture && answer.concerns(expected)
        }
    }
}

extension EffectReply where Answer == AuthenticateFaceEffect.Answer {
    /// - Parameter use: the authenticator that was used; `nil` in simulations.
    public static func faceAuthenticated(
        _ user: UserID, capture: CaptureID, amr: [String], by use: AuthenticatorUse? = nil
    ) -> Self {
        .answer(Answer(user: user, capture: capture, amr: amr, use: use))
    }
}

extension AuthenticateFaceEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        let person = world.captures.removeValue(forKey: capture)?.person
        let reply = world.authenticate(user, .face, amr: "face") { user in
            person.map { user.faces.contains($0) } ?? false
        }
        switch reply {
        case .answer(let proof):
            return .faceAuthenticated(proof.user, capture: capture, amr: proof.amr)
        case .refused(let code): return .refused(code)
        }
    }
}
