public import MienCore

/// What a sign-in brought. Never prints.
public struct SessionTokens: Sendable {
    public let accessToken: Sensitive<String>
    /// When the access token ends, by this device's clock.
    public let expiresAt: Instant
    /// Good once; `nil` without the scope `offline_access`.
    public let refreshToken: Sensitive<String>?
    /// About the user, for the app.
    public let idToken: Sensitive<String>?
    public let scope: String
    /// What the server knows this client by, should the answer to a refresh get lost: stored with the tokens, so that an app that was ended in
    /// between can ask again. `nil` in what was stored without one.
    public let repeatKey: Sensitive<String>?

    public init(
        accessToken: Sensitive<String>, expiresAt: Instant, refreshToken: Sensitive<String>?, idToken: Sensitive<String>?, scope: String,
        repeatKey: Sensitive<String>? = nil
    ) {
        (self.accessToken, self.expiresAt, self.refreshToken) = (accessToken, expiresAt, refreshToken)
        (self.idToken, self.scope, self.repeatKey) = (idToken, scope, repeatKey)
    }
}

/// Where a session's tokens are kept.
///
/// For apps whose users have to use their biometrics each time the app starts, ``TransientTokenStorage`` is the one to take.
public protocol TokenStorage: Sendable {
    func tokens(for key: DeviceTokenKey) async throws -> SessionTokens?
    /// Replaces what was there.
    func store(_ tokens: SessionTokens, for key: DeviceTokenKey) async throws
    func remove(_ key: DeviceTokenKey) async throws
}

/// In memory, until the process ends.
public actor TransientTokenStorage: TokenStorage {
    private var tokens: [DeviceTokenKey: SessionTokens] = [:]

    public init() {}

    public func tokens(for key: DeviceTokenKey) -> SessionTokens? { tokens[key] }
    public func store(_ tokens: SessionTokens, for key: DeviceTokenKey) { self.tokens[key] = tokens }
    public func remove(_ key: DeviceTokenKey) { tokens[key] = nil }
}

/// In a file that its owner alone may read (0600), replaced whole.
///
/// For command lines and desktops; on phones the keychain is the place, through a ``TokenStorage`` of the app's own.
public actor PersistentTokenStorage: TokenStorage {
    private struct Entry: Codable {
        let server, application, accessToken, scope: String
        let expiresAt: Int64
        let refreshToken, idToken, repeatKey: String?
    }

    private let file: PrivateFile<[Entry]>

    /// - Parameter path: of the file; made when there is something to keep. Its folder exists.
    public init(path: String) { file = PrivateFile(path: path) }

    public func tokens(for key: DeviceTokenKey) throws -> SessionTokens? {
        try entries().first { $0.server == key.server && $0.application == key.application }.map { entry in
            SessionTokens(
                accessToken: Sensitive(entry.accessToken), expiresAt: Instant(milliseconds: entry.expiresAt),
                refreshToken: entry.refreshToken.map { Sensitive($0) }, idToken: entry.idToken.map { Sensitive($0) }, scope: entry.scope,
                repeatKey: entry.repeatKey.map { Sensitive($0) })
        }
    }

    public func store(_ tokens: SessionTokens, for key: DeviceTokenKey) throws {
        let entry = Entry(
            server: key.server, application: key.application, accessToken: tokens.accessToken.use { $0 }, scope: tokens.scope,
            expiresAt: tokens.expiresAt.milliseconds, refreshToken: tokens.refreshToken?.use { $0 }, idToken: tokens.idToken?.use { $0 },
            repeatKey: tokens.repeatKey?.use { $0 })
        try file.write(others(key) + [entry])
    }

    public func remove(_ key: DeviceTokenKey) throws { try file.write(others(key)) }

    private func entries() throws -> [Entry] { try file.read() ?? [] }
    private func others(_ key: DeviceTokenKey) throws -> [Entry] {
        try entries().filter { $0.server != key.server || $0.application != key.application }
    }
}
