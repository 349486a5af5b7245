internal import MienJourney

/// An effect that this server performs. Every effect of ``StepType`` conforms, each in the file of
/// its family; `PerformedEffectTests` checks that none is missing.
protocol PerformedEffect: StepEffect {
    /// - Throws: An error that keeps the effect from being performed, such as a store failure or a
    ///   full queue. The run then does not advance.
    func performed(by performer: EffectPerformer, _ context: EffectContext) async throws -> Reply
}
