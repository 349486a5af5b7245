public import MienCore

/// What a run of a journey knows of its user.
public struct JourneyUser: Sendable, Hashable, Codable {
    /// How sure it is. Only ever rises.
    public enum Level: String, Sendable, Hashable, Codable, Comparable, CaseIterable {
        /// Somebody named this user.
        case identified
        /// An earlier step showed that the client acts for this user: it created the account, or verified the person's identity.
        case established
        /// The user has signed in.
        case authenticated

        public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

        private var rank: Int {
            switch self {
            case .identified: 0
            case .established: 1
            case .authenticated: 2
            }
        }
    }

    public let id: UserID
    public internal(set) var level: Level
    /// How they authenticated, each once, in the order they did: RFC 8176's words, `pwd`, `face`, `otp`, `hwk` …
    public internal(set) var amr: [String]

    public init(id: UserID, level: Level, amr: [String] = []) { (self.id, self.level, self.amr) = (id, level, amr) }
}

/// Whom an effect is about.
public enum UserReference: Sendable, Hashable {
    case id(UserID)
    /// What somebody typed: a user name, an e-mail address, an external id. May name nobody; only the effect's performer finds out, and says nothing.
    case identifier(Sensitive<String>)
}
