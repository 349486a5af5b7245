/// Whether an account may be used.
public enum AccountState: String, WireWord {
    case active
    /// Suspended by an administrator. Every grant is refused until the account is active again.
    case suspended
    /// A sign-up whose journey has not ended. It reserves its user name, cannot sign in, and is
    /// removed when its time is over.
    case pending

    /// Whether authenticators may be added. Only its own journey can name a pending account.
    public var takesAuthenticators: Bool { self != .suspended }
}
