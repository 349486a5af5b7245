/// A sign-up in progress: what its account still lacks, and how it ends. Pure.
///
/// Taken names and addresses do not stop a sign-up, since stopping would tell a stranger that they
/// are taken. The journey continues as for free ones, and only its end differs.
public struct SignUp: Sendable, Hashable, Codable {
    /// Whether someone else has the user name or external identifier. Such a sign-up reserves no
    /// name and never completes.
    public let isDecoy: Bool
    /// Whether a code sent to the claimed address was entered.
    public private(set) var hasProvedEmail = false

    public init(isDecoy: Bool) { self.isDecoy = isDecoy }

    /// The state of the pending account when its journey ends.
    public struct Circumstances: Sendable, Hashable {
        /// Whether it has a user name or external identifier.
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

    /// Whether a code may be mailed to the claimed address. An address in use gets a notice instead
    /// of a code.
    public func mailsCode(isEmailTaken: Bool) -> Bool { !isDecoy && !isEmailTaken }

    /// Records that a code sent to the claimed address was entered.
    public mutating func proveEmail() { hasProvedEmail = true }

    /// Returns the outcome at the end of the journey.
    public func ending(_ circumstances: Circumstances) -> Ending {
        guard !isDecoy, !circumstances.isExpired else { return .refused }
        guard hasProvedEmail else {
            return circumstances.hasName ? .active(attachesEmail: false) : .refused
        }
        return circumstances.isEmailTaken ? .refused : .active(attachesEmail: true)
    }
}
