/// A sign-up in progress: what its account still lacks, and what the end of the journey makes of
/// it. Pure.
///
/// Taken names and addresses do not stop a sign-up, since stopping would tell a stranger that they
/// are taken. The journey goes on as for free ones, and only its end differs.
public struct SignUp: Sendable, Hashable, Codable {
    /// Someone else has the user name or external id. This sign-up holds no name and never
    /// completes.
    public let isDecoy: Bool
    /// A code sent to the claimed address was entered.
    public private(set) var hasProvedEmail = false

    public init(isDecoy: Bool) { self.isDecoy = isDecoy }

    /// The state of the pending account when its journey ends.
    public struct Circumstances: Sendable, Hashable {
        /// The user name or external id it holds.
        public var hasName: Bool
        /// Whether another account has the claimed address, verified.
        public var isEmailTaken: Bool
        /// Whether the sign-up's time is over.
        public var isExpired: Bool

        public init(hasName: Bool, isEmailTaken: Bool, isExpired: Bool) {
            (self.hasName, self.isEmailTaken, self.isExpired) = (hasName, isEmailTaken, isExpired)
        }
    }

    public enum Ending: Sendable, Hashable {
        /// The account becomes active, with the claimed address attached if it was proved.
        case active(attachesEmail: Bool)
        /// The account is removed.
        case refused
    }

    /// Whether a code may be mailed to the claimed address. An address in use gets a notice
    /// instead, and no code.
    public func mailsCode(isEmailTaken: Bool) -> Bool { !isDecoy && !isEmailTaken }

    /// Records that a code sent to the claimed address was entered.
    public mutating func proveEmail() { hasProvedEmail = true }

    /// The end of the journey, reached.
    public func ending(_ circumstances: Circumstances) -> Ending {
        guard !isDecoy, !circumstances.isExpired else { return .refused }
        guard hasProvedEmail else {
            return circumstances.hasName ? .active(attachesEmail: false) : .refused
        }
        return circumstances.isEmailTaken ? .refused : .active(attachesEmail: true)
    }
}
