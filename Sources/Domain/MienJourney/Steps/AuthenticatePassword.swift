public import MienCore

/// Checks a password. Success signs the user in.
struct AuthenticatePassword: JourneyStep {
    static let authenticator: AuthenticatorType? = .password
    static let settings = SecretCheck.settings(
        user: "username", secret: "password",
        "The password: a sensitive field of the preceding form.")

    let check: SecretCheck

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        check = try SecretCheck(reader, user: "username", secret: "password")
    }

    var failure: FailureSettings? { check.failure }
    var facts: StepFacts { check.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let (user, password) = try check.subject(run)
        return .perform(
            .authenticatePassword(AuthenticatePasswordEffect(user: user, password: password)),
            .checkingPassword(expected: user.expected))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        try check.resume(answer, &run)
    }
}

/// The parts shared by the steps that check a secret from a form.
struct SecretCheck: Sendable {
    let user: CheckedUser
    /// The name of the setting that reads the secret.
    let name: String
    let secret: JourneyExpression
    let failure: FailureSettings?

    static func settings(user: String, secret: String, _ about: String) -> [Setting] {
        CheckedUser.settings(user) + [Setting(secret, .secret, required: true, about)]
            + FailureSettings.settings
    }

    init(_ reader: SettingReader, user: String, secret: String) throws(JourneyDefinitionError) {
        self.user = try CheckedUser(reader, user)
        name = secret
        self.secret = try reader.required(secret, try reader.expression(secret))
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts.signingIn(.other, .restoring)
        facts.reads = user.reads + [StepFacts.Read(name, secret, isSecret: true)]
        facts.needsUser = user.needed
        facts.userSetting = user.name
        facts.add(failure, nil)
        return facts
    }

    /// Returns the user and the secret to check.
    func subject(_ run: StepRun) throws(StepFault) -> (UserReference, Sensitive<String>) {
        (try run.reference(user), try run.secret(secret))
    }

    func resume(_ answer: EffectAnswer, _ run: inout StepRun) throws(StepFault) -> Move {
        guard case .proof(let proof) = answer else {
            return .fail(run.reported(answer.refusal, user))
        }
        try run.signIn(proof)
        return .leave(.success)
    }
}

/// Checks a password.
public struct AuthenticatePasswordEffect: Sendable, Hashable {
    public let user: UserReference
    public let password: Sensitive<String>
}

extension AuthenticatePasswordEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        world.authenticate(user, .password, amr: "pwd") { user in
            password.use { $0 == user.password }
        }
    }
}
