package import Hummingbird
internal import MienAPI
internal import MienCore
package import MienStore

extension GrantService {
    /// Authenticates an app that sends a request in its own name, with an access token from
    /// `client_credentials`.
    ///
    /// - Throws: ``OAuthError`` `invalid_token`, `insufficient_scope` for the token of a user,
    ///   `invalid_dpop_proof`.
    package func app(of request: Request) async throws -> AppRecord {
        guard let (scheme, token) = request.accessToken else {
            throw OAuthError(
                .invalidToken,
                "Send authorization: Bearer with an access token from client_credentials.",
                scheme: "Bearer")
        }
        let found = try await live(token)
        if let found { try requireOwnAudience(of: found.claims, scheme) }
        guard let (claims, grant, _, _) = found,
            let id = claims["client_id"]?.stringValue.flatMap({ AppID($0) }),
            let app = try await store.read({ try $0.apps.find(id) }),
            claims[Self.appMadeAt]?.numberValue ?? Double(app.createdAt.milliseconds)
                == Double(app.createdAt.milliseconds)
        else {
            throw OAuthError(
                .invalidToken, "The access token is invalid, expired, or revoked.",
                scheme: scheme)
        }
        guard grant == nil, claims["sid"] == nil, claims["sub"]?.stringValue == id.text,
            app.type == .confidential
        else {
            throw OAuthError(
                .insufficientScope,
                "This token is a user's. Get one in the app's own name with client_credentials.",
                scheme: scheme)
        }
        if let bound = claims["cnf"]?["jkt"]?.stringValue {
            guard scheme == "DPoP", try await proofs.thumbprint(of: request, token: token) == bound
            else {
                throw OAuthError(
                    .invalidToken,
                    "This token is bound to a key. Send authorization: DPoP with a proof by that key.",
                    scheme: "DPoP")
            }
        } else if scheme == "DPoP" {
            throw OAuthError(
                .invalidToken, "This token is not bound to a key. Send authorization: Bearer.",
                scheme: "Bearer")
        }
        RequestFacts.note(app: id)
        return app
    }
}
