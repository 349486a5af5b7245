public import MienCore

/// Sets the user's password without asking for the current one: at a sign-up, after a recovery, or
/// for a user who signed in with something at least as strong.
struct SetPassword: JourneyStep {
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
            return .perform(.resolveUser(identifier), .resolvingUser)
        }
        return try set(acting.user, run)
    }

    private func set(_ user: UserID, _ run: StepRun) throws(StepFault) -> Move {
        .perform(
            .setPassword(SetPasswordEffect(user: user, password: try run.secret(password))),
            .settingPassword(user))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .user(let found): return try set(try run.actingUser(user, resolved: found), run)
        case .passwordSet(_, let epoch):
            run.passwordChanged(epoch)
            return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}

/// Sets or replaces a user's password. A new password ends every other sign-in.
public struct SetPasswordEffect: Sendable, Hashable {
    public let user: UserID
    public let password: Sensitive<String>
}

extension StepRun {
    /// Lets the run's own proof outlive the sign-ins that the new password ended.
    ///
    /// - Parameter epoch: The epoch that the new password started; `nil` in simulations.
    mutating func passwordChanged(_ epoch: Int?) {
        guard instance.user?.proof?.epoch != nil, let epoch else { return }
        instance.user?.proof?.epoch = epoch
    }
}

extension SetPasswordEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
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
