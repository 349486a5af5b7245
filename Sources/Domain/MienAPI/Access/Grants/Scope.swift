/// The scope of tokens (RFC 6749 §3.3).
public struct Scope: Sendable, Hashable, Codable {
    public static let openID = "openid", offline = "offline_access", full = "full-access",
        profile = "profile", email = "email", address = "address", phone = "phone",
        groups = "groups"
    /// The scope values that this server knows.
    public static let known = [openID, offline, full, profile, email, address, phone, groups]
    /// The default scope of biometric login.
    public static let standard = Scope(words: [openID, offline, full])

    /// Sorted, without duplicates.
    public let words: [String]

    public init(words: some Sequence<String>) { self.words = Set(words).sorted() }

    /// - Returns: `nil` if a word is not a valid scope token, or if there are more than 32.
    public init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count <= 32,
            words.allSatisfy({ $0.utf8.count <= 64 && $0.utf8.allSatisfy(Self.isAllowed) })
        else { return nil }
        self.init(words: words)
    }

    /// Returns the scope values that this server knows among those of `text`. The others are ignored
    /// (OpenID Connect Core §3.1.2.1): many apps always ask for some that only other servers have.
    ///
    /// - Returns: `nil` if a word is not a valid scope token.
    public static func known(in text: String) -> Scope? { of(known, in: text) }

    /// Returns the words of `allowed` among those of `text`.
    public static func of(_ allowed: some Sequence<String>, in text: String) -> Scope? {
        let words = text.split(separator: " ").map(String.init)
        guard words.allSatisfy({ $0.utf8.allSatisfy(isAllowed) }) else { return nil }
        return Scope(words: Set(words).intersection(allowed))
    }

    public var text: String { words.joined(separator: " ") }
    public func contains(_ word: String) -> Bool { words.contains(word) }
    public func isSubset(of other: Scope) -> Bool { Set(words).isSubset(of: other.words) }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
    }
}
