public import MienCore

/// Finds the user with this identifier.
public struct ResolveUserEffect: StepEffect {
    public let identifier: Sensitive<String>

    public var impact: AuthenticatorImpact { .none }

    public struct Answer: EffectAnswer {
        /// The user; `nil` if the identifier matches nobody.
        public let user: UserID?
    }

    public struct Pending: PendingState {
        public static let name = "resolvingUser"
        public func accepts(_ answer: Answer) -> Bool { true }
    }
}

extension EffectReply where Answer == ResolveUserEffect.Answer {
    public static func user(_ user: UserID?) -> Self { .answer(Answer(user: user)) }
}

extension ResolveUserEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        .user(identifier.use { world.user($0) }?.id)
    }
}
