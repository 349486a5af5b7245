public import MienCore

/// Locks or unlocks one of the user's authenticators.
struct SetAuthenticatorLock<Direction: AuthenticatorLockDirection>: JourneyStep {
    static var type: StepType { Direction.isLocked ? .lockAuthenticator : .unlockAuthenticator }
    static var effects: [any SimulatedEffect.Type] {
        [ResolveUserEffect.self, SetAuthenticatorLockEffect<Direction>.self]
    }
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
        return acting.unresolved.map { .perform(ResolveUserEffect(identifier: $0), .init()) }
            ?? act(acting.user)
    }

    private func act(_ user: UserID) -> Move {
        .perform(
            SetAuthenticatorLockEffect<Direction>(user: user, authenticator: authenticator),
            .init())
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .given(let found as ResolveUserEffect.Answer):
            return act(try run.actingUser(user, resolved: found.user))
        case .given(is Done): return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}

extension StepType {
    public static let lockAuthenticator = StepType(declared: "lock_authenticator")
    public static let unlockAuthenticator = StepType(declared: "unlock_authenticator")
}

/// Whether a step locks or unlocks.
public protocol AuthenticatorLockDirection: Sendable {
    static var isLocked: Bool { get }
}

public enum Locking: AuthenticatorLockDirection { public static let isLocked = true }
public enum Unlocking: AuthenticatorLockDirection { public static let isLocked = false }

/// Locks or unlocks all of the user's authenticators of one type.
public struct SetAuthenticatorLockEffect<Direction: AuthenticatorLockDirection>: StepEffect {
    public let user: UserID
    public let authenticator: AuthenticatorType

    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = Done

    public struct Pending: PendingState {
        public static var name: String {
            Direction.isLocked ? "lockingAuthenticator" : "unlockingAuthenticator"
        }
        public func accepts(_ answer: Done) -> Bool { true }
    }
}

extension SetAuthenticatorLockEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        if Direction.isLocked {
            world.users[index].locked.insert(authenticator)
        } else {
            world.users[index].locked.remove(authenticator)
        }
        world.users[index].failures[authenticator] = 0
        return .done
    }
}
