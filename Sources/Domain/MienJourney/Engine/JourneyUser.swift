public import MienCore

/// What a run of a journey knows of its user.
public struct JourneyUser: Sendable, Hashable, Codable {
    /// How sure it is. Only ever rises.
    public enum Level: String, Sendable, Hashable, Codable, Comparable, CaseIterable {
        /// Somebody named this user.
        case identified
        /// An earlier step showed that the client acts for this user: it created the account, or
        /// verified the person's identity.
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

    /// What this run itself proved, apart from the sign-in it began with.
    public struct Proof: Sendable, Hashable, Codable {
        /// `amr` values, each once. Empty if the run established the user without authenticating
        /// them.
        public internal(set) var methods: [String] = []
        /// Every authenticator that was used, each once.
        public internal(set) var authenticators: [AuthenticatorID] = []
        /// The account's epoch when it was proved: a later epoch ends the run.
        public internal(set) var epoch: Int?
        /// When the first proof succeeded.
        public let at: Instant
        /// Whether the run created the account.
        public internal(set) var isNewAccount = false

        public init(at: Instant) { self.at = at }
    }

    public let id: UserID
    public internal(set) var level: Level
    /// How they authenticated, each once, in the order they did: RFC 8176's words, `pwd`, `face`,
    /// `otp`, `hwk` …
    public internal(set) var amr: [String]
    /// `nil` while nothing was proved in this run.
    public internal(set) var proof: Proof?
    /// Whether this run restored access to the account: by a recovery code, or after a recovery's
    /// hold.
    public internal(set) var isRecovered: Bool

    public init(
        id: UserID, level: Level, amr: [String] = [], proof: Proof? = nil, isRecovered: Bool = false
    ) {
        (self.id, self.level, self.amr, self.proof, self.isRecovered) = (
            id, level, amr, proof, isRecovered
        )
    }

    private enum CodingKeys: String, CodingKey { case id, level, amr, proof, isRecovered }

    /// Runs stored by earlier versions have neither `proof` nor `isRecovered`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(UserID.self, forKey: .id),
            level: try values.decode(Level.self, forKey: .level),
            amr: try values.decode([String].self, forKey: .amr),
            proof: try values.decodeIfPresent(Proof.self, forKey: .proof),
            isRecovered: try values.decodeIfPresent(Bool.self, forKey: .isRecovered) ?? false)
    }
}

/// The authenticator behind a successful authentication.
public struct AuthenticatorUse: Sendable, Hashable, Codable {
    public let authenticator: AuthenticatorID
    /// The account's epoch when the authenticator was checked.
    public let epoch: Int

    public init(_ authenticator: AuthenticatorID, epoch: Int) {
        (self.authenticator, self.epoch) = (authenticator, epoch)
    }
}

/// Whom an effect is about.
public enum UserReference: Sendable, Hashable {
    case id(UserID)
    /// What somebody typed: a user name, an e-mail address, an external id. May name nobody; only
    /// the effect's performer finds out, and says nothing.
    case identifier(Sensitive<String>)
}
