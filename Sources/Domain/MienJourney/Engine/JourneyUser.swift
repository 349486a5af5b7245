public import MienCore

/// A run's knowledge about its user.
public struct JourneyUser: Sendable, Hashable, Codable {
    /// The level of certainty. It never decreases within a run.
    public enum Level: String, Sendable, Hashable, Codable, Comparable, CaseIterable {
        /// An identifier named this user.
        case identified
        /// An earlier step showed that the client acts for this user: it created the account or
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

    /// The proof provided in this run, excluding the sign-in it started with.
    public struct Proof: Sendable, Hashable, Codable {
        /// Distinct `amr` values. Empty if the run established the user without authenticating
        /// them.
        public internal(set) var methods: [String] = []
        /// The authenticators used, without duplicates.
        public internal(set) var authenticators: [AuthenticatorID] = []
        /// The account's epoch at the time of proof. A later epoch ends the run.
        public internal(set) var epoch: Int?
        /// The time of the first successful proof.
        public let at: Instant
        /// Whether the run created the account.
        public internal(set) var isNewAccount = false

        public init(at: Instant) { self.at = at }
    }

    public let id: UserID
    public internal(set) var level: Level
    /// The distinct authentication methods in order of use, as RFC 8176 values: `pwd`, `face`,
    /// `otp`, `hwk`, …
    public internal(set) var amr: [String]
    /// The proof; `nil` until this run proves something.
    public internal(set) var proof: Proof?
    /// Whether this run restored access to the account, through a recovery code or after a
    /// recovery's hold period.
    public internal(set) var isRecovered: Bool

    public init(
        id: UserID, level: Level, amr: [String] = [], proof: Proof? = nil, isRecovered: Bool = false
    ) {
        (self.id, self.level, self.amr, self.proof, self.isRecovered) = (
            id, level, amr, proof, isRecovered
        )
    }
}

/// The authenticator used in a successful authentication.
public struct AuthenticatorUse: Sendable, Hashable, Codable {
    public let authenticator: AuthenticatorID
    /// The account's epoch when the authenticator was checked.
    public let epoch: Int

    public init(_ authenticator: AuthenticatorID, epoch: Int) {
        (self.authenticator, self.epoch) = (authenticator, epoch)
    }
}

/// An authenticator that takes the place of another.
public struct AuthenticatorReplacement: Sendable, Hashable, Codable {
    public let old, new: AuthenticatorID

    public init(of old: AuthenticatorID, with new: AuthenticatorID) {
        (self.old, self.new) = (old, new)
    }
}

/// The user that an effect concerns.
public enum UserReference: Sendable, Hashable {
    case id(UserID)
    /// User input: a user name, an email address, or an external ID. It may match nobody. Only the
    /// effect's performer finds out, and it does not reveal the result.
    case identifier(Sensitive<String>)
}
