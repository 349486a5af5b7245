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
    /// Whether this run restored access to the account: by a recovery code, or after a recovery's hold.
    public internal(set) var isRecovered: Bool

    public init(id: UserID, level: Level, amr: [String] = [], isRecovered: Bool = false) {
        (self.id, self.level, self.amr, self.isRecovered) = (id, level, amr, isRecovered)
    }

    private enum CodingKeys: String, CodingKey { case id, level, amr, isRecovered }

    /// Runs stored by earlier versions do not have `isRecovered`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(UserID.self, forKey: .id), level: try values.decode(Level.self, forKey: .level),
            amr: try values.decode([String].self, forKey: .amr), isRecovered: try values.decodeIfPresent(Bool.self, forKey: .isRecovered) ?? false)
    }
}

/// Whom an effect is about.
public enum UserReference: Sendable, Hashable {
    case id(UserID)
    /// What somebody typed: a user name, an e-mail address, an external id. May name nobody; only the effect's performer finds out, and says nothing.
    case identifier(Sensitive<String>)
}
