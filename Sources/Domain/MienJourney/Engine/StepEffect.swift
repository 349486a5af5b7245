public import MienCore

/// Work outside the journey that a step requests, such as checking a password or mailing a code.
///
/// An effect is declared in the file of its step, or in `Effects/` if several steps request it. A
/// step lists its effects in ``JourneyStep/effects``. Nothing here has a default, so that a new
/// effect does not compile until it says what it waits for and what it does to authenticators.
public protocol StepEffect: Sendable, Hashable {
    associatedtype Answer: EffectAnswer
    /// The part of the run that waits for the answer.
    associatedtype Pending: PendingState where Pending.Answer == Answer

    typealias Reply = EffectReply<Answer>

    var impact: AuthenticatorImpact { get }
}

/// The effect on a user's authenticators.
public enum AuthenticatorImpact: Sendable, Hashable {
    case none
    /// An answer shows that the user holds an authenticator of this type.
    case verifies(AuthenticatorType)
    /// The performer first requires a sign-in that is fresh and strong enough for the change.
    case adds(UserID), removes(UserID)
    /// As ``adds(_:)``, for an authenticator that signs the user in to every app.
    case addsToEveryApp(UserID)
}

/// The answer of an effect's performer, unless it refuses.
public protocol EffectAnswer: Sendable, Hashable {}

/// The performer's answer to an effect, or its refusal. Any effect can be refused.
public enum EffectReply<Answer: EffectAnswer>: Sendable, Hashable {
    case answer(Answer)
    case refused(StepErrorCode)

    public var isRefusal: Bool {
        switch self {
        case .answer: false
        case .refused: true
        }
    }
}

/// An effect that a recorded test performs without a server.
protocol SimulatedEffect: StepEffect {
    /// Returns the answer that a server would give.
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply
}

extension SimulatedEffect {
    func simulatedAnswer(in world: inout SimulatedWorld, at now: Instant) -> EffectResult.Answer {
        EffectResult.Answer(simulated(in: &world, at: now))
    }
}
