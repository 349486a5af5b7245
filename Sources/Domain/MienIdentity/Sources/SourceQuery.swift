/// A person whom a source is asked about.
public struct SourceQuery: Sendable, Hashable, CustomReflectable, CustomStringConvertible {
    /// Identifies the attempt: a source that receives it twice can answer as before.
    public let attempt: IdentityAttemptID
    public let person: PersonalData
    /// ``person`` as it was typed, or as a document states it.
    public let input: PersonalDataInput

    public init(attempt: IdentityAttemptID, person: PersonalData, input: PersonalDataInput) {
        (self.attempt, self.person, self.input) = (attempt, person, input)
    }

    public var description: String { "‹personal data›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
