public import MienCore

/// Records a user's consent.
public struct RecordConsentEffect: StepEffect {
    public let user: UserID
    public let text: ConsentText

    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = Done

    public struct Pending: PendingState {
        public static let name = "recordingConsent"
        let user: UserID
        let textVersion: String

        private enum CodingKeys: String, CodingKey { case user = "_0", textVersion }

        public func accepts(_ answer: Done) -> Bool { true }
    }
}

/// Checks whether the user has consented and not withdrawn.
public struct FindConsentEffect: StepEffect {
    public let user: UserID
    public let textVersion: String

    public var impact: AuthenticatorImpact { .none }

    public struct Answer: EffectAnswer { public let isGiven: Bool }

    public struct Pending: PendingState {
        public static let name = "findingConsent"
        let user: UserID
        let textVersion: String

        private enum CodingKeys: String, CodingKey { case user = "_0", textVersion }

        public func accepts(_ answer: Answer) -> Bool { true }
    }
}

public struct ConsentText: Sendable, Hashable {
    public let version: String
    /// The text shown to the person, if this journey showed it.
    public let text: String?
    /// Whether it names the search for duplicates.
    public let namesSearch: Bool

    init(version: String, text: String?, namesSearch: Bool = false) {
        (self.version, self.text, self.namesSearch) = (version, text, namesSearch)
    }
}

extension EffectReply where Answer == FindConsentEffect.Answer {
    public static func consent(_ isGiven: Bool) -> Self { .answer(Answer(isGiven: isGiven)) }
}

extension RecordConsentEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        world.users[index].consents.append(text.version)
        return .done
    }
}

extension FindConsentEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        .consent(
            world.index(of: user).map { world.users[$0].consents.contains(textVersion) } ?? false)
    }
}
