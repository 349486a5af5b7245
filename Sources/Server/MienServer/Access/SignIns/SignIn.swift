package import MienAPI
package import MienCore
package import MienStore

/// A user's proven sign-in, from which tokens are issued.
package struct SignIn: Sendable {
    let account: UserID
    let app: AppRecord
    /// The values of `amr`.
    let methods: [String]
    let at: Instant
    let scope: Scope
    /// The account's epoch at the time of the proof. If the epoch has advanced since, the sign-in
    /// is refused.
    let epoch: Int
    /// The services that the tokens are for; empty for this server.
    var resources: [String] = []
    /// The device key or passkey that signed in directly.
    var authenticator: AuthenticatorID?
    /// Every authenticator that was used, in a journey or directly.
    var authenticators: [AuthenticatorID] = []
    /// Whether the user recovered the account: see ``SignInProof/isRecovery``.
    var isRecovery = false
    /// The OpenID Connect nonce, returned in the ID token.
    var nonce: String?
    /// The thumbprint of the key that the tokens are bound to.
    var thumbprint: String?
    /// The organization through which the user signs in.
    var organization: OrganizationWish
    /// Claims that the tokens tell besides those of the scope.
    var claims = GrantClaims()
    /// The sign-in of the browser that led to this one, if a page of this server did.
    var browser: GrantID?

    package init(
        account: UserID, app: AppRecord, methods: [String], at: Instant, scope: Scope, epoch: Int,
        resources: [String] = [], authenticator: AuthenticatorID? = nil,
        authenticators: [AuthenticatorID] = [], isRecovery: Bool = false, nonce: String? = nil,
        thumbprint: String? = nil, organization: OrganizationWish = .open,
        claims: GrantClaims = GrantClaims(), browser: GrantID? = nil
    ) {
        (self.organization, self.claims, self.browser) = (organization, claims, browser)
        (self.account, self.app, self.methods, self.at, self.scope) = (
            account, app, methods, at, scope
        )
        (self.epoch, self.resources, self.authenticator, self.authenticators, self.isRecovery) = (
            epoch, resources, authenticator, authenticators, isRecovery
        )
        (self.nonce, self.thumbprint) = (nonce, thumbprint)
    }
}

/// A token response: RFC 6749 §5.1.
package struct TokenAnswer: Codable, Sendable {
    var accessToken: String
    var tokenType: String
    var expiresIn: Int
    package var refreshToken: String?
    var idToken: String?
    var scope: String
    /// RFC 8693 §2.2.1.
    package var issuedTokenType: String?
    /// A new device token, for a client that sent one that does not belong to the user in this app.
    package var deviceToken: String?

    package enum CodingKeys: String, CodingKey {
        case accessToken = "access_token", tokenType = "token_type", expiresIn = "expires_in",
            refreshToken = "refresh_token"
        case idToken = "id_token", scope, issuedTokenType = "issued_token_type", deviceToken =
            "device_token"
    }
}

/// Hides the values, because all of them are secret.
extension TokenAnswer: CustomStringConvertible, CustomReflectable {
    package var description: String { "tokens" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The user and app behind a request with a valid access token.
package struct Caller: Sendable {
    package let account: AccountRecord
    package let app: AppID
    package let grant: TokenGrantRecord
    package let scope: Scope
}
