/// Whether an account may be used.
public enum AccountState: String, Sendable, Hashable, Codable, CaseIterable {
    case active
    /// Suspended by an administrator. Every grant is refused until the account is active again.
    case suspended
    /// A sign-up whose journey has not ended. It reserves its user name, cannot sign in, and is
    /// removed when its time is over.
    case pending

    /// Whether authenticators may be added. Only its own journey can name a pending account.
    public var takesAuthenticators: Bool { self != .suspended }
}

/// The party that runs an app.
public enum AppParty: String, Sendable, Hashable, Codable, CaseIterable {
    /// The operator. Its users manage their authenticators through it.
    case first
    /// Another party. The app signs users in, and gets their identity and its own data.
    case third
    /// An app created before apps had a party: treated as ``third`` until an operator decides.
    case undecided
}

/// Whether an app keeps a secret.
public enum AppType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Runs on users' devices: its identifier is public and proves nothing.
    case `public`
    /// Runs on a server of the operator and proves itself with a secret.
    case confidential
}
