internal import MienAPI
package import MienCore
package import MienStore

/// Introspection: what an app may learn about a token.
extension GrantService {
    /// Introspects a token for a confidential app (RFC 7662). Reports invalid tokens, and tokens
    /// not meant for this app, as inactive without further detail.
    ///
    /// A service asks about an access token when a client uses it, so this counts as activity.
    package func introspect(_ token: String, app: AppRecord) async throws -> JSONValue {
        let inactive: JSONValue = ["active": false]
        if let (found, grant, _, _) = try await live(token) {
            var claims = found
            guard
                claims["client_id"]?.stringValue == app.id.text
                    || Self.audience(claims).contains(where: app.settings.resources.contains)
            else {
                return inactive
            }
            if let grant { try await noteActivity(of: grant) }
            claims["active"] = true
            claims["token_type"] = claims["cnf"] == nil ? "Bearer" : "DPoP"
            return .object(claims)
        }
        let now = clock.now, keys = store.keys
        let found = try await store.read { tables in try Self.find(token, tables, keys) }
        guard let (grant, generation) = found, grant.app == app.id,
            grant.family.status(at: now) == .live, generation == grant.family.generation
        else {
            return inactive
        }
        return [
            "active": true, "token_type": "refresh_token", "sub": .string(grant.account.text),
            "client_id": .string(grant.app.text),
            "scope": .string(grant.scope.text),
            "exp": .number(Double(grant.family.expiresAt.seconds)), "iss": .string(publicURL()),
        ]
    }
}
