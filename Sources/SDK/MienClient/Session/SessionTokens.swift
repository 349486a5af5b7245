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
    /// What the server knows this client by, should the answer to a refresh get lost: stored with
    /// the tokens, so that an app that was ended in between can ask again. `nil` in what was stored
    /// without one.
    public let repeatKey: Sensitive<String>?
    /// The thumbprint (RFC 7638) of the key that the tokens are bound to. `nil` for bearer tokens.
    public let keyThumbprint: String?

    public init(
        accessToken: Sensitive<String>, expiresAt: Instant, refreshToken: Sensitive<String>?,
        idToken: Sensitive<String>?, scope: String,
        repeatKey: Sensitive<String>? = nil, keyThumbprint: String? = nil
    ) {
        (self.accessToken, self.expiresAt, self.refreshToken) = (
            accessToken, expiresAt, refreshToken
        )
        (self.idToken, self.scope, self.repeatKey, self.keyThumbprint) = (
            idToken, scope, repeatKey, keyThumbprint
        )
    }
}

/// Where a session's tokens are kept.
///
/// For apps whose users have to use their biometrics each time the app starts,
/// ``TransientTokenStorage`` is the one to take.
public protocol TokenStorage: Sendable {
    func tokens(for key: DeviceTokenKey) async throws -> SessionTokens?
    /// Replaces what was there.
    func store(_ tokens: SessionTokens, for key: DeviceTokenKey) async throws
    func remove(_ key: DeviceTokenKey) async throws
}

/// Keeps tokens and keys in memory until the process ends.
public actor TransientTokenStorage: TokenStorage, ProofKeyStorage {
    private var tokens: [DeviceTokenKey: SessionTokens] = [:]
    private var proofKeys: [DeviceTokenKey: ProofKey] = [:]

    public init() {}

    public func tokens(for key: DeviceTokenKey) -> SessionTokens? { tokens[key] }
    public func store(_ tokens: SessionTokens, for key: DeviceTokenKey) {
        self.tokens[key] = tokens
    }
    public func remove(_ key: DeviceTokenKey) { tokens[key] = nil }

    public func proofKey(for key: DeviceTokenKey) -> ProofKey? { proofKeys[key] }
    public func keepProofKey(_ new: ProofKey, for key: DeviceTokenKey) -> ProofKey {
        let kept = proofKeys[key] ?? new
        proofKeys[key] = kept
        return kept
    }
}
