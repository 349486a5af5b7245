internal import MienAccess
internal import MienCore
internal import MienStore

/// A user has proved who they are: what tokens are made from.
struct SignIn: Sendable {
    let account: UserID
    let app: AppRecord
    /// `amr`.
    let methods: [String]
    let at: Instant
    let scope: Scope
    /// The account's epoch when the user proved who they are: a later epoch refuses the sign-in.
    let epoch: Int
    /// Services the tokens are for; none for this server.
    var resources: [String] = []
    /// The device key or passkey that signed in directly.
    var authenticator: AuthenticatorID?
    /// Every authenticator that was used, in a journey or directly.
    var authenticators: [AuthenticatorID] = []
    /// Whether the user restored their access: see ``SignInProof/isRecovery``.
    var isRecovery = false
    /// OpenID Connect: comes back in the ID token.
    var nonce: String?
    /// The key the tokens are bound to.
    var thumbprint: String?
}

/// RFC 6749 §5.1.
struct TokenAnswer: Codable, Sendable {
    var accessToken: String
    var tokenType: String
    var expiresIn: Int
    var refreshToken: String?
    var idToken: String?
    var scope: String
    /// RFC 8693 §2.2.1.
    var issuedTokenType: String?
    /// For a client that sent a device token which is not one of the user's in this app.
    var deviceToken: String?

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token", tokenType = "token_type", expiresIn = "expires_in",
            refreshToken = "refresh_token"
        case idToken = "id_token", scope, issuedTokenType = "issued_token_type", deviceToken =
            "device_token"
    }
}

/// Holds nothing but secrets.
extension TokenAnswer: CustomStringConvertible, CustomReflectable {
    var description: String { "tokens" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whoever sent a request with an access token of ours.
struct Caller: Sendable {
    let account: AccountRecord
    let app: AppID
    let grant: TokenGrantRecord
    let scope: Scope
}
