/// The roles of a member of an organization: sorted words, each once.
///
/// The server gives a meaning to ``admin`` only. The other words are the apps' own, and reach them
/// in the claim `org_roles`.
public struct MemberRoles: Sendable, Hashable {
    /// The role of an organization administrator.
    public static let admin = "admin"
    public static let maxCount = 16
    public static let maxLength = 64

    public let words: [String]

    /// A member without a role.
    public static let none = MemberRoles()

    private init() { words = [] }

    /// - Returns: `nil` unless these are at most ``maxCount`` words of 1 to ``maxLength``
    ///   characters of `a-z`, `0-9`, `_`, `-`, and `.`.
    public init?(_ words: [String]) {
        guard words.allSatisfy(Self.isWord) else { return nil }
        self.words = Set(words).sorted()
        guard self.words.count <= Self.maxCount else { return nil }
    }

    /// Whether the member administers the organization.
    public var isAdmin: Bool { words.contains(Self.admin) }

    private static func isWord(_ word: String) -> Bool {
        (1...maxLength).contains(word.utf8.count)
            && word.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: ".")
            }
    }
}
