/// The result of an effect.
public struct EffectResult: Sendable, Hashable {
    /// The ticket of the effect.
    public let ticket: EffectTicket
    public let answer: Answer

    public init(ticket: EffectTicket, answer: Answer) {
        (self.ticket, self.answer) = (ticket, answer)
    }

    /// A reply to an effect of any type.
    public enum Answer: Sendable {
        case given(any EffectAnswer)
        case refused(StepErrorCode)

        public init<Given: EffectAnswer>(_ reply: EffectReply<Given>) {
            switch reply {
            case .answer(let answer): self = .given(answer)
            case .refused(let code): self = .refused(code)
            }
        }
    }
}

extension EffectResult.Answer: Hashable {
    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.given(let a), .given(let b)): AnyHashable(a) == AnyHashable(b)
        case (.refused(let a), .refused(let b)): a == b
        case (.given, .refused), (.refused, .given): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .given(let answer): hasher.combine(AnyHashable(answer))
        case .refused(let code): hasher.combine(code)
        }
    }
}

extension EffectResult.Answer {
    /// Returns whether this answers the pending effect for the same user, capture, and session. A
    /// refusal answers any effect.
    func isAnswer(to pending: Pending) -> Bool {
        switch self {
        case .given(let answer): pending.state.accepts(any: answer)
        case .refused: true
        }
    }

    /// The refusal's code. Any unexpected answer counts as an outage.
    var refusal: StepErrorCode {
        if case .refused(let code) = self { code } else { .unavailable }
    }
}
