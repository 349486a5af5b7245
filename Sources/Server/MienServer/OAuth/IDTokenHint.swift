internal import MienAPI
internal import MienCore

/// The sign-in that an ID token names: the parameter `id_token_hint` of OpenID Connect.
struct IDTokenHint {
    struct Invalid: Error {}

    let grant: GrantID
    let account: UserID
    let app: AppID

    /// - Parameter text: An ID token of this server, expired or not.
    init(_ text: String, _ issuer: TokenIssuer) throws(Invalid) {
        guard text.utf8.count <= 8192,
            let claims = issuer.claims(ofExpired: text, as: .identity),
            // The token of a journey is no ID token.
            claims["journey"] == nil,
            let grant = claims["sid"]?.stringValue.flatMap({ GrantID($0) }),
            let account = claims["sub"]?.stringValue.flatMap({ UserID($0) }),
            let app = claims["aud"]?.stringValue.flatMap({ AppID($0) })
        else { throw Invalid() }
        (self.grant, self.account, self.app) = (grant, account, app)
        RequestFacts.note(claimed: app)
    }
}
