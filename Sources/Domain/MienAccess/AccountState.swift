/// Whether an account may be used.
public enum AccountState: String, Sendable, Hashable, Codable, CaseIterable {
    case active
    /// By an administrator; every grant is refused until it is active again.
    case suspended
    /// A sign-up whose journey has not ended. It holds its user name, can sign in nowhere, and is
    /// removed when its time is over.
    case pending

    /// Whether authenticators may be added. Only its own journey can name a pending account.
    public var takesAuthenticators: Bool { self != .suspended }
}

/// Who runs an app.
public enum AppParty: String, Sendable, Hashable, Codable, CaseIterable {
    /// The operator. Its users manage their authenticators through it.
    case first
    /// Somebody else. It signs users in, and gets their identity and its own data.
    case third
    /// Made before apps had a party: treated as ``third`` until an operator decides.
    case undecided
}

/// Whether an app keeps a secret.
public enum AppType: String, Sendable, Hashable, Codable, CaseIterable {
    /// On users' devices: its id is no secret and proves nothing.
    case `public`
    /// On a server of the operator's: proves itself with a secret.
    case confidential
}
