public import MienCore

/// How an app proves itself, and what that excludes.
extension AppSettings {
    /// How an app of this type authenticates; `nil` for a secret in either way.
    public func authentication(of type: AppType) -> ClientAuthenticationMethod? {
        type == .public ? .unauthenticated : authenticationMethod
    }

    /// Whether an app of this type has a secret.
    public func hasSecret(_ type: AppType) -> Bool {
        type == .confidential && authenticationMethod != .privateKey
    }

    /// Whether the app has keys with which it signs.
    public var hasKeys: Bool { jwks != nil || jwksURI != nil }

    /// What is wrong with the app's keys, apart from the keys themselves.
    var keyFaults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if jwks != nil, jwksURI != nil {
            faults.append(("jwks_uri", "cannot be combined with jwks"))
        }
        if let jwksURI, !Self.isAddress(jwksURI) {
            faults.append(
                (
                    "jwks_uri",
                    "must be an absolute https URL without a fragment (http only for localhost, 127.0.0.1, and [::1])"
                ))
        }
        if requiresSignedRequests, !hasKeys {
            faults.append(
                (
                    "require_signed_request_object",
                    "needs the app's public keys: set jwks or jwks_uri"
                ))
        }
        if authenticationMethod == .privateKey, !hasKeys {
            faults.append(
                ("token_endpoint_auth_method", "needs the app's public keys: set jwks or jwks_uri"))
        }
        return faults
    }

    /// The settings that an app of this type cannot have, each with its name and a message.
    public func faults(of type: AppType) -> [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if type == .public, !requiresPKCE {
            faults.append(
                (
                    "requires_pkce",
                    "must be true for a public app: anybody could redeem its codes. Create a confidential app, whose secret protects them"
                ))
        }
        let isPublic = type == .public
        if let method = authenticationMethod, (method == .unauthenticated) != isPublic {
            faults.append(
                (
                    "token_endpoint_auth_method",
                    isPublic
                        ? "must be none for a public app, which can keep no secret and no key"
                        : "must not be none for a confidential app; create a public one"
                ))
        }
        return faults
    }
}
