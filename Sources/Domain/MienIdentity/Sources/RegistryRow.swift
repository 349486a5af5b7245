/// One person of the reference registry, as the operator's file lists them.
public struct RegistryRow: Sendable, Hashable, CustomReflectable, CustomStringConvertible {
    /// The maximum length of ``id`` in UTF-8 bytes.
    public static let maxIDBytes = 200

    /// The operator's identifier of the person. A later row with it replaces this one.
    public let id: String
    public let input: PersonalDataInput
    public let marks: Set<SourceAnswer.Mark>

    public init(id: String, input: PersonalDataInput, marks: Set<SourceAnswer.Mark> = []) {
        (self.id, self.input, self.marks) = (id, input, marks)
    }

    public var description: String { "‹personal data›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
