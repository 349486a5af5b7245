/// The groups that an administrator gives to a user: sorted names, each once.
///
/// The server gives them no meaning. Apps read them in a claim, with the scope `groups`.
public struct GroupNames: Sendable, Hashable {
    public static let maxCount = 64
    public static let maxLength = 64

    public let words: [String]

    /// A user without a group.
    public static let none = GroupNames()

    private init() { words = [] }

    /// - Returns: `nil` unless these are at most ``maxCount`` names of 1 to ``maxLength`` printable
    ///   ASCII characters without commas, quotes, and backslashes, and without spaces at the ends.
    public init?(_ words: [String]) {
        guard words.allSatisfy(Self.isName) else { return nil }
        self.words = Set(words).sorted()
        guard self.words.count <= Self.maxCount else { return nil }
    }

    /// Whether a text is the name of a group.
    public static func isName(_ text: String) -> Bool {
        (1...maxLength).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x20...0x7e).contains($0) && ![0x22, 0x2c, 0x5c].contains($0)
            }
            && text.first != " " && text.last != " "
    }
}
