/// One person of the reference registry, as the operator's file lists them.
public struct RegistryRow: Sendable, Hashable, CustomReflectable, CustomStringConvertible {
    /// The maximum length of ``id`` in UTF-8 bytes.
    public static let maxIDBytes = 200

    /// The operator's identifier of the person. A later row with it replaces this one.
    public let id: String
    public let input: PersonalDataInput
    public let marks: Set<SourceAnswer.Mark>
    /// The line of the file on which the row begins, counted from 1; 0 for a row from elsewhere. Equal
    /// rows may have different ones.
    public let fileLine: Int

    public init(
        id: String, input: PersonalDataInput, marks: Set<SourceAnswer.Mark> = [], line: Int = 0
    ) {
        (self.id, self.input, self.marks, fileLine) = (id, input, marks, line)
    }

    public static func == (a: Self, b: Self) -> Bool {
        (a.id, a.input, a.marks) == (b.id, b.input, b.marks)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    public var description: String { "‹personal data›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
