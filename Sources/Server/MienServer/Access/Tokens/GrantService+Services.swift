internal import MienAPI
package import MienCore
package import MienStore

/// Access tokens for services: other programs than this server, which ask it about a token.
extension GrantService {
    /// Introspects a token for a confidential app (RFC 7662). Reports invalid tokens, and tokens
    /// not meant for this app, as inactive without further detail.
    ///
    /// A service asks about an access token when a client uses it, so this counts as activity.
    package func introspect(_ token: String, app: AppRecord) async throws -> JSONValue {
        let inactive: JSONValue = ["active": false]
        if let (found, grant, account, _) = try await live(token) {
            var claims = found
            guard mayLook(at: claims, app) else { return inactive }
            if let grant { try await noteActivity(of: grant) }
            claims["active"] = true
            claims["token_type"] = claims["cnf"] == nil ? "Bearer" : "DPoP"
            claims["username"] = account.flatMap { Self.name(of: $0, for: app, claims) }
            return .object(claims)
        }
        guard let grant = try await usable(refreshToken: token), grant.app == app.id else {
            return inactive
        }
        return [
            "active": true, "token_type": "refresh_token", "sub": .string(grant.account.text),
            "client_id": .string(app.id.text),
            "scope": .string(grant.scope.text),
            "exp": .number(Double(grant.family.expiresAt.seconds)), "iss": .string(publicURL()),
        ]
    }

    /// Whether an app may look at an access token: its own, one for a service that the app is, or
    /// one of an app that an administrator has named. A token that names other services is only
    /// for them.
    private func mayLook(at claims: [String: JSONValue], _ app: AppRecord) -> Bool {
        let audience = Self.audience(claims)
        guard let client = claims["client_id"]?.stringValue else { return false }
        return client == app.id.text || audience.contains(where: app.settings.resources.contains)
            || (app.type == .confidential && audience == [publicURL()]
                && app.settings.introspectionApps.contains { $0.text == client })
    }

    /// The user's name for a service that the operator runs. Services of others learn it only if
    /// the token's scopes tell it.
    private static func name(
        of account: AccountRecord, for app: AppRecord, _ claims: [String: JSONValue]
    ) -> JSONValue? {
        let scope = claims["scope"]?.stringValue.flatMap { Scope($0) } ?? Scope(words: [])
        guard app.isFirstParty || scope.contains(Scope.profile) || scope.contains(Scope.email)
        else { return nil }
        let profile = account.profile.use { $0 }
        return (profile.username ?? profile.email).map { .string($0) }
    }

    /// Refuses an access token that is for services, and not for this server.
    ///
    /// - Throws: ``OAuthError`` `invalid_token`, which names the services.
    func requireOwnAudience(of claims: [String: JSONValue], _ scheme: String) throws(OAuthError) {
        let audience = Self.audience(claims)
        guard !audience.contains(publicURL()) else { return }
        throw OAuthError(
            .invalidToken,
            "The access token is for \(audience.joined(separator: ", ")) (aud), not for this server, \(publicURL()). Ask for a token without resource.",
            scheme: scheme)
    }
}
