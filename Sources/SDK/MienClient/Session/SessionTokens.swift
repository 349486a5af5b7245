public import MienCore

/// The tokens of a sign-in. Never printed.
public struct SessionTokens: Sendable {
    public let accessToken: Sensitive<String>
    /// The time at which the access token was received, by this device's clock. `nil` in tokens that
    /// were stored without one.
    public let issuedAt: Instant?
    /// The time at which the access token expires, by this device's clock.
    public let expiresAt: Instant
    /// A single-use refresh token; `nil` without the scope `offline_access`.
    public let refreshToken: Sensitive<String>?
    /// Describes the user to the app.
    public let idToken: Sensitive<String>?
    public let scope: String
    /// Identifies this client to the server if the response to a refresh is lost. It is stored with
    /// the tokens, so that an app that was terminated in between can ask again. `nil` in tokens
    /// that were stored without one.
    public let repeatKey: Sensitive<String>?
    /// The thumbprint (RFC 7638) of the key that the tokens are bound to. `nil` for bearer tokens.
    public let keyThumbprint: String?

    public init(
        accessToken: Sensitive<String>, issuedAt: Instant? = nil, expiresAt: Instant,
        refreshToken: Sensitive<String>?,
        idToken: Sensitive<String>?, scope: String,
        repeatKey: Sensitive<String>? = nil, keyThumbprint: String? = nil
    ) {
        (self.accessToken, self.refreshToken) = (accessToken, refreshToken)
        (self.issuedAt, self.expiresAt) = (issuedAt, expiresAt)
        (self.idToken, self.scope, self.repeatKey, self.keyThumbprint) = (
            idToken, scope, repeatKey, keyThumbprint
        )
    }
}

/// Storage for a session's tokens.
///
/// Use ``TransientTokenStorage`` in apps whose users confirm with biometrics at each start.
public protocol TokenStorage: Sendable {
    func tokens(for key: DeviceTokenKey) async throws -> SessionTokens?
    /// Stores tokens and replaces earlier ones.
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
