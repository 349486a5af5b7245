public import MienCore

/// Sets the user's password without asking for the current one: at a sign-up, after a recovery, or
/// for a user who signed in with something at least as strong.
struct SetPassword: JourneyStep {
    static let type = StepType.setPassword
    static let effects: [any SimulatedEffect.Type] = [
        ResolveUserEffect.self, SetPasswordEffect.self,
    ]
    static let settings =
        [newPassword("password")] + ActingUser.settings + FailureSettings.settings

    static func newPassword(_ name: String) -> Setting {
        Setting(
            name, .secret, required: true,
            "The new password: a sensitive field of the preceding form.")
    }

    let password: JourneyExpression
    let user: ActingUser
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        password = try reader.required("password", try reader.expression("password"))
        user = try ActingUser(reader)
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.outcomes = [StepFacts.OutcomeFacts(.success)]
        facts.reads = user.reads + [StepFacts.Read("password", password, isSecret: true)]
        facts.needsUser = user.needed
        facts.setsPassword = true
        facts.add(failure, nil)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let acting = try run.actingUser(user)
        if let identifier = acting.unresolved {
            return .perform(ResolveUserEffect(identifier: identifier), .init())
        }
        return try set(acting.user, run)
    }

    private func set(_ user: UserID, _ run: StepRun) throws(StepFault) -> Move {
        .perform(
            SetPasswordEffect(user: user, password: try run.secret(password)), .init(user: user))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .given(let found as ResolveUserEffect.Answer):
            return try set(try run.actingUser(user, resolved: found.user), run)
        case .given(let set as SetPasswordEffect.Answer):
            run.passwordChanged(set)
            return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}

extension StepType {
    public static let setPassword = StepType(declared: "set_password")
}

/// Sets or replaces a user's password. A new password ends every other sign-in.
public struct SetPasswordEffect: StepEffect {
    public let user: UserID
    public let password: Sensitive<String>

    public init(user: UserID, password: Sensitive<String>) {
        (self.user, self.password) = (user, password)
    }

    public var impact: AuthenticatorImpact { .addsToEveryApp(user) }

    public struct Answer: EffectAnswer {
        public let user: UserID
        /// The epoch that the new password started; `nil` in simulations.
        public let epoch: Int?
    }

    public struct Pending: PendingState {
        public static let name = "settingPassword"
        let user: UserID

        private enum CodingKeys: String, CodingKey { case user = "_0" }

        public func accepts(_ answer: SetPasswordEffect.Answer) -> Bool { answer.user == user }
    }
}

extension EffectReply where Answer == SetPasswordEffect.Answer {
    public static func passwordSet(_ user: UserID, epoch: Int?) -> Self {
        .answer(Answer(user: user, epoch: epoch))
    }
}

extension StepRun {
    /// Lets the run's own proof outlive the sign-ins that the new password ended.
    mutating func passwordChanged(_ answer: SetPasswordEffect.Answer) {
        guard instance.user?.proof?.epoch != nil, let epoch = answer.epoch else { return }
        instance.user?.proof?.epoch = epoch
    }
}

extension SetPasswordEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        let names = world.users[index].names
        // Two of the server's password rules.
        guard password.use({ $0.count >= 8 && !names.contains($0.lowercased()) }) else {
            return .refused(.passwordRefused)
        }
        guard !world.users[index].locked.contains(.password) else { return .refused(.notAllowed) }
        world.users[index].password = password.use { $0 }
        world.users[index].failures[.password] = 0
        return .passwordSet(user, epoch: nil)
    }
}
