/// The share of work that a job belongs to. A ``FairQueue`` divides its turns by share.
///
/// The owner of a share must be something the client has proved, or something it cannot choose
/// freely. Otherwise a client could take more turns by naming more owners, or use up the turns of
/// an owner that it merely names:
///
/// - ``Rank/knownDevice``: the account whose device token the client presented; the part is the
///   device.
/// - ``Rank/account``: the account whose access token, earlier factor, or administrator's
///   credential was valid; the part is the client's address.
/// - ``Rank/address``: the client's address. An account that is only named is the *part*, so the
///   name divides the turns of this address and never those of the account's owner elsewhere.
public struct WorkShare: Sendable, Hashable {
    /// The level of knowledge about the client, best first.
    public enum Rank: Int, Sendable, Hashable, CaseIterable, Comparable {
        case knownDevice, account, address

        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

        /// The number of turns for each turn of ``address`` while all three ranks have jobs
        /// waiting. No rank starves.
        public var weight: Int {
            switch self {
            case .knownDevice: 4
            case .account: 2
            case .address: 1
            }
        }
    }

    public let rank: Rank
    /// Owners of one rank take turns.
    public let owner: String
    /// The parts of one owner take turns within that owner's turns.
    public let part: String

    private init(_ rank: Rank, _ owner: String, _ part: String) {
        (self.rank, self.owner, self.part) = (rank, owner, part)
    }

    public static func knownDevice(_ device: String, of account: String) -> WorkShare {
        WorkShare(.knownDevice, account, device)
    }
    public static func account(_ account: String, from address: String) -> WorkShare {
        WorkShare(.account, account, address)
    }

    /// - Parameters:
    ///   - address: an IPv4 address, or the first half of an IPv6 address.
    ///   - name: the account that the client names, hashed if it is personal; empty if none.
    public static func address(_ address: String, naming name: String = "") -> WorkShare {
        WorkShare(.address, address, name)
    }

    /// The share for programs that serve one user. Jobs of one share run in order of arrival.
    public static let common = WorkShare(.address, "", "")
}

/// The limits of a ``FairQueue``: how many jobs may wait, and for how long.
public struct WorkLimits: Sendable, Hashable {
    public let total: Int
    /// Jobs of one owner: an account or an address.
    public let perOwner: Int
    /// Jobs of one part of an owner: a device, or the account that an address names.
    public let perPart: Int
    /// The maximum wait of a job for its turn; `nil` for no limit.
    public let wait: Duration?

    public init(total: Int, perOwner: Int, perPart: Int, wait: Duration?) {
        precondition(total >= 1 && perOwner >= 1 && perPart >= 1, "each limit must be at least 1")
        (self.total, self.perOwner, self.perPart, self.wait) = (total, perOwner, perPart, wait)
    }

    /// - Parameter total: the limit for every share.
    public init(total: Int) { self.init(total: total, perOwner: total, perPart: total, wait: nil) }
}
