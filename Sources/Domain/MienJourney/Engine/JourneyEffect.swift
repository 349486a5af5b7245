/// Work that a journey requests. The caller performs it and returns `.performed(effect.result(…))`.
public struct JourneyEffect: Sendable {
    /// Identifies the step visit that the effect belongs to. A result with another ticket is
    /// rejected.
    public let ticket: EffectTicket
    public var work: any StepEffect { simulated }
    let simulated: any SimulatedEffect

    init(ticket: EffectTicket, work: any SimulatedEffect) {
        (self.ticket, simulated) = (ticket, work)
    }

    /// Returns a result with this effect's ticket.
    public func result(_ answer: EffectResult.Answer) -> EffectResult {
        EffectResult(ticket: ticket, answer: answer)
    }

    /// Returns a result with this effect's ticket.
    public func result<Answer: EffectAnswer>(_ reply: EffectReply<Answer>) -> EffectResult {
        result(EffectResult.Answer(reply))
    }
}

extension JourneyEffect: Hashable {
    public static func == (a: Self, b: Self) -> Bool {
        a.ticket == b.ticket && AnyHashable(a.simulated) == AnyHashable(b.simulated)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ticket)
        hasher.combine(AnyHashable(simulated))
    }
}

/// Identifies one visit of one step.
public struct EffectTicket: Sendable, Hashable, Codable {
    public let step: StepID
    /// The effect's number within the run; never reused.
    public let turn: Int

    public init(step: StepID, turn: Int) { (self.step, self.turn) = (step, turn) }
}
