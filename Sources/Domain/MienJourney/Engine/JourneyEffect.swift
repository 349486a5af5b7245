/// Work that a journey requests. The caller performs it and returns `.performed(effect.result(…))`.
public struct JourneyEffect: Sendable, Hashable {
    /// Identifies the step visit that the effect belongs to. A result with another ticket is
    /// rejected.
    public let ticket: EffectTicket
    public let work: StepEffect

    /// Returns a result with this effect's ticket.
    public func result(_ answer: EffectAnswer) -> EffectResult {
        EffectResult(ticket: ticket, answer: answer)
    }
}

/// Identifies one visit of one step.
public struct EffectTicket: Sendable, Hashable, Codable {
    public let step: StepID
    /// The effect's number within the run; never reused.
    public let turn: Int

    public init(step: StepID, turn: Int) { (self.step, self.turn) = (step, turn) }
}

/// The result of an effect.
public struct EffectResult: Sendable, Hashable {
    /// The ticket of the effect.
    public let ticket: EffectTicket
    public let answer: EffectAnswer

    public init(ticket: EffectTicket, answer: EffectAnswer) {
        (self.ticket, self.answer) = (ticket, answer)
    }
}
