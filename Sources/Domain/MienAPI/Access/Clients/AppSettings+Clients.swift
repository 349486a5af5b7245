public import MienCore

/// How an app proves itself, and what that excludes.
extension AppSettings {
    /// How an app of this type authenticates; `nil` for a secret in either way.
    public func authentication(of type: AppType) -> ClientAuthenticationMethod? {
        type == .public ? .unauthenticated : confidentialMethod
    }

    private var confidentialMethod: ClientAuthenticationMethod? {
        profile == .fapi2 ? .privateKey : authenticationMethod
    }

    /// Whether requests have to be pushed, by the setting or the profile.
    public var needsPushedRequests: Bool { requiresPushedRequests || profile == .fapi2 }

    /// Whether tokens have to be bound to a key, by the setting or the profile.
    public var needsDPoP: Bool { requiresDPoP || profile == .fapi2 }

    /// The address that opens the app in a browser, where it begins a sign-in at this server; `nil`
    /// for an app that has none.
    public func loginAddress(issuer: String) -> String? {
        initiateLoginURI.map {
            "\($0)\($0.contains("?") ? "&" : "?")iss=\(PercentEncoding.encode(issuer))"
        }
    }

    /// The settings that contradict the profile.
    var profileFaults: [(setting: String, message: String)] {
        guard profile == .fapi2 else { return [] }
        var faults: [(String, String)] = []
        if !requiresPKCE { faults.append(("requires_pkce", "must be true with profile fapi2")) }
        if allowsDevices {
            faults.append(("device_authorization", "must be false with profile fapi2"))
        }
        if idTokenAlgorithm != .es256 {
            faults.append(("id_token_signed_response_alg", "must be ES256 with profile fapi2"))
        }
        if ![nil, .privateKey].contains(authenticationMethod) {
            faults.append(
                ("token_endpoint_auth_method", "must be private_key_jwt with profile fapi2"))
        }
        for (index, uri) in redirectURIs.enumerated() where !uri.hasPrefix("https://") {
            faults.append(("redirect_uris[\(index)]", "must be https with profile fapi2"))
        }
        return faults
    }

    /// Whether an app of this type has a secret.
    public func hasSecret(_ type: AppType) -> Bool {
        type == .confidential && confidentialMethod != .privateKey
    }

    /// Whether the app has keys with which it signs.
    public var hasKeys: Bool { jwks != nil || jwksURI != nil }

    /// The settings that do not fit the app's keys. The keys themselves are not looked at.
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
        if allowsDevices, !hasSignInPage {
            faults.append(
                (
                    "device_authorization",
                    "needs the sign-in page, on which people sign in: set sign_in_page"
                ))
        }
        if requiresSignedRequests, !hasKeys {
            faults.append(
                (
                    "require_signed_request_object",
                    "needs the app's public keys: set jwks or jwks_uri"
                ))
        }
        if confidentialMethod == .privateKey, !hasKeys {
            faults.append(
                (
                    profile == nil ? "token_endpoint_auth_method" : "profile",
                    "needs the app's public keys: set jwks or jwks_uri"
                ))
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
        if isPublic, !introspectionApps.isEmpty {
            faults.append(
                (
                    "introspection_apps",
                    "is for confidential apps: a public app cannot prove that it is the service"
                ))
        }
        if isPublic, profile != nil {
            faults.append(("profile", "is for confidential apps, which can keep a key"))
        }
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
