/// Whether an account may be used.
public enum AccountState: String, Sendable, Hashable, Codable, CaseIterable {
    case active
    /// By an administrator; every grant is refused until it is active again.
    case suspended
}

/// Whether an app keeps a secret.
public enum AppType: String, Sendable, Hashable, Codable, CaseIterable {
    /// On users' devices: its id is no secret and proves nothing.
    case `public`
    /// On a server of the operator's: proves itself with a secret.
    case confidential
}
