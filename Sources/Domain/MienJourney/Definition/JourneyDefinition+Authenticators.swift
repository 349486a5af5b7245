public import MienCore

extension JourneyDefinition {
    /// The authenticators that this journey's steps use.
    public var authenticatorsAsked: Set<AuthenticatorType> {
        Set(steps.values.compactMap { $0.step.asked })
    }
}
