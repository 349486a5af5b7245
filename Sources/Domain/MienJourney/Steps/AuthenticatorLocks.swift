public import MienCore

/// Locks or unlocks one of the user's authenticators.
struct SetAuthenticatorLock<Direction: AuthenticatorLockDirection>: JourneyStep {
    static var settings: [Setting] {
        [
            Setting(
                "authenticator", .choice(AuthenticatorType.allCases.map(\.rawValue)),
                required: true, "Which one.")
        ] + ActingUser.settings + FailureSettings.settings
    }

    let authenticator: AuthenticatorType
    let user: ActingUser
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        authenticator = try reader.choice("authenticator", default: .face)
        user = try ActingUser(reader)
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.outcomes = [StepFacts.OutcomeFacts(.success)]
        facts.reads = user.reads
        facts.needsUser = user.needed
        facts.unlocks = !Direction.isLocked
        facts.add(failure, nil)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let acting = try run.actingUser(user)
        return acting.unresolved.map { .perform(.resolveUser($0), .resolvingUser) }
            ?? act(acting.user)
    }

    private func act(_ user: UserID) -> Move {
        .perform(
            .setAuthenticatorLock(
                SetAuthenticatorLockEffect(
                    user: user, authenticator: authenticator, isLocked: Direction.isLocked)),
            .settingLock)
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .user(let found): return act(try run.actingUser(user, resolved: found))
        case .done: return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}

/// Whether a step locks or unlocks.
protocol AuthenticatorLockDirection: Sendable {
    static var isLocked: Bool { get }
}

enum Locking: AuthenticatorLockDirection { static let isLocked = true }
enum Unlocking: AuthenticatorLockDirection { static let isLocked = false }

/// Locks or unlocks all of the user's authenticators of one type.
public struct SetAuthenticatorLockEffect: Sendable, Hashable {
    public let user: UserID
    public let authenticator: AuthenticatorType
    public let isLocked: Bool
}

extension SetAuthenticatorLockEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        if isLocked {
            world.users[index].locked.insert(authenticator)
        } else {
            world.users[index].locked.remove(authenticator)
        }
        world.users[index].failures[authenticator] = 0
        return .done
    }
}
