/// The purpose of a sealed record. A record can be opened only for the purpose it was sealed for.
public struct SealPurpose: Sendable, Hashable {
    /// 1…64 ASCII characters, constant in the program and never reused for another meaning.
    public let label: String

    /// - Precondition: `label` is 1…64 ASCII characters.
    public init(label: StaticString) {
        self.label = "\(label)"
        precondition(
            (1...64).contains(self.label.utf8.count) && self.label.utf8.allSatisfy { $0 < 128 },
            "a purpose must have 1…64 ASCII characters")
    }
}
