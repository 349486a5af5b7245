public import MienCore

/// The sign-in settings of an app.
public struct AppSettings: Sendable, Hashable, Codable {
    /// The allowed redirect URIs: absolute https URLs or URIs with an app's own scheme, compared
    /// character by character.
    public var redirectURIs: [String]
    /// The addresses that the browser may return to after a logout (OpenID Connect RP-Initiated
    /// Logout), under the rules of ``redirectURIs``.
    public var postLogoutRedirectURIs: [String]
    /// The https URL that hears when a sign-in ends (OpenID Connect Back-Channel Logout).
    public var backChannelLogoutURI: String?
    /// The https URL that the user's browser opens in a frame when the user signs out (OpenID Connect
    /// Front-Channel Logout).
    public var frontChannelLogoutURI: String?
    /// Whether the frame's address names the sign-in that ended.
    public var frontChannelLogoutNeedsSession = false
    /// The sign-ins that a sign-out from the app ends.
    public var logoutScope = LogoutScope.app
    /// The journeys the app may start; `nil` for every published one.
    public var journeys: [JourneyID]?
    /// Lock policies that differ from ``AuthenticatorType/defaultLockPolicy``, by authenticator.
    public var locks: [String: LockPolicy]
    /// The minimum match score for a face, 24...72; `nil` for the server's.
    public var faceThreshold: Double?
    /// The liveness evidence that captures must provide. Missing settings come from the server's
    /// configuration.
    public var liveness: LivenessPolicy
    /// The validity of the signed token of a completed journey, in seconds, 30...3,600.
    public var tokenSeconds: Int
    /// Whether users may sign in to the app on the server's own pages.
    public var hasSignInPage: Bool
    /// The journey that the sign-in page runs; `nil` for ``standardSignInJourney``.
    public var signInJourney: JourneyID?
    /// How the server's pages look in this app.
    public var pages: PageSettings
    /// The lifetimes of access and refresh tokens.
    public var tokens: TokenLifetimes
    public var biometric: BiometricSettings
    /// Absolute URLs of services that access tokens may be issued for (RFC 8707).
    public var resources: [String]
    /// The algorithm that signs answers of the UserInfo endpoint; `nil` for answers that are not signed.
    public var userInfoAlgorithm: IDTokenAlgorithm?
    /// The app's home page, its privacy policy, and its terms, to which its pages link.
    public var clientURI, policyURI, termsURI: String?
    /// The address at which others begin a sign-in to the app (OpenID Connect Core §4).
    public var initiateLoginURI: String?
    /// Whether people may sign in to the app on devices without a browser (RFC 8628).
    public var allowsDevices = false
    /// The apps whose access tokens this app, a service, may look at (RFC 7662). A token that names
    /// other services is not among them.
    public var introspectionApps: [AppID] = []
    /// The origins of web pages that may call the API with this app's tokens, compared character
    /// by character.
    public var webOrigins: [String]
    /// The scopes that a confidential app may request in its own name; none by default.
    public var clientScopes: [String]
    /// How the app's users verify their identities.
    public var identity: IdentitySettings
    /// Whether and how the app looks for people who register their faces under several accounts;
    /// `nil` for not at all.
    public var duplicateFaces: DuplicateFaceSettings?
    /// Whether users sign in through an organization, for B2B apps.
    public var organizations: OrganizationSettings
    /// Whether every token must be bound to a key (RFC 9449).
    public var requiresDPoP: Bool
    /// Whether an authorization request needs a challenge of PKCE (RFC 7636). Only a confidential
    /// app may do without.
    public var requiresPKCE = true
    /// The algorithm of ID tokens and logout tokens.
    public var idTokenAlgorithm = IDTokenAlgorithm.es256
    /// The `typ` of access tokens.
    public var accessTokenType = AccessTokenType.accessToken
    /// How the app authenticates; `nil` for a confidential app that sends its secret in either way.
    public var authenticationMethod: ClientAuthenticationMethod?
    /// The app's public keys: a JWK set (RFC 7517).
    public var jwks: JSONValue?
    /// The https URL of the app's JWK set, instead of ``jwks``.
    public var jwksURI: String?
    /// Whether the app has to push its authorization requests (RFC 9126). Any app may.
    public var requiresPushedRequests = false
    /// Whether the app has to sign its authorization requests (RFC 9101). Any app with keys may.
    public var requiresSignedRequests = false
    /// Sets what the profile demands, whatever the other settings leave open.
    public var profile: SecurityProfile?
    /// The claims that the app reads about its users.
    public var claims = ClaimSettings()

    public init(
        redirectURIs: [String] = [], journeys: [JourneyID]? = nil,
        locks: [String: LockPolicy] = [:], faceThreshold: Double? = nil,
        liveness: LivenessPolicy = LivenessPolicy(), tokenSeconds: Int = 300,
        hasSignInPage: Bool = false, tokens: TokenLifetimes = TokenLifetimes(),
        biometric: BiometricSettings = BiometricSettings(),
        resources: [String] = [], webOrigins: [String] = [], clientScopes: [String] = [],
        requiresDPoP: Bool = false,
        postLogoutRedirectURIs: [String] = [], backChannelLogoutURI: String? = nil,
        signInJourney: JourneyID? = nil, pages: PageSettings = PageSettings(),
        identity: IdentitySettings = IdentitySettings(),
        duplicateFaces: DuplicateFaceSettings? = nil,
        organizations: OrganizationSettings = OrganizationSettings()
    ) {
        self.organizations = organizations
        self.duplicateFaces = duplicateFaces
        (self.signInJourney, self.pages, self.identity) = (signInJourney, pages, identity)
        self.webOrigins = webOrigins
        (self.postLogoutRedirectURIs, self.backChannelLogoutURI) = (
            postLogoutRedirectURIs, backChannelLogoutURI
        )
        (self.redirectURIs, self.journeys, self.locks) = (redirectURIs, journeys, locks)
        (self.faceThreshold, self.tokenSeconds, self.tokens, self.biometric) = (
            faceThreshold, tokenSeconds, tokens, biometric
        )
        self.liveness = liveness
        (self.resources, self.clientScopes, self.requiresDPoP, self.hasSignInPage) = (
            resources, clientScopes, requiresDPoP, hasSignInPage
        )
    }

    /// The journey of the sign-in page in apps that name none. The server publishes it when it
    /// starts and there is none.
    public static let standardSignInJourney = JourneyID("sign-in")!

    /// The journey that the sign-in page of this app runs; `nil` if it has none.
    public var pageJourney: JourneyID? {
        hasSignInPage ? signInJourney ?? Self.standardSignInJourney : nil
    }

    /// Whether a browser may return to `address` after a sign-in.
    public func allowsRedirect(to address: String) -> Bool {
        redirectURIs.contains { RedirectURI.matches(address, registered: $0) }
    }

    /// Whether a browser may return to `address` after a logout.
    public func allowsLogoutRedirect(to address: String) -> Bool {
        postLogoutRedirectURIs.contains { RedirectURI.matches(address, registered: $0) }
    }

    /// Whether the app may start a journey.
    public func allows(_ journey: JourneyID) -> Bool {
        journeys?.contains(journey) ?? true || journey == pageJourney
    }

    public func lockPolicy(for type: AuthenticatorType) -> LockPolicy {
        locks[type.rawValue] ?? type.defaultLockPolicy
    }

    /// The invalid settings, each with its name and a message; empty if all are valid.
    /// ``faults(of:)`` finds those that an app of a type cannot have.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        for (name, uris) in [
            ("redirect_uris", redirectURIs), ("post_logout_redirect_uris", postLogoutRedirectURIs),
        ] {
            for (index, uri) in uris.enumerated()
            where !Self.isAddress(uri) && !Self.isOwnScheme(uri) {
                faults.append(
                    (
                        "\(name)[\(index)]",
                        "must be an absolute https URL without a fragment (http only for localhost, 127.0.0.1, and [::1]), or have a scheme like com.example.app"
                    ))
            }
            if uris.count > 100 {
                faults.append((name, "must contain at most 100 addresses"))
            }
        }
        faults += logoutFaults
        for name in locks.keys.sorted() where AuthenticatorType(rawValue: name) == nil {
            let allowed = AuthenticatorType.allCases.map(\.rawValue).joined(separator: ", ")
            faults.append(("locks.\(name)", "is not an authenticator; valid are \(allowed)"))
        }
        if let faceThreshold, !(24...72).contains(faceThreshold) {
            faults.append(("face_threshold", "must be 24 to 72"))
        }
        if !(30...3600).contains(tokenSeconds) {
            faults.append(("token_seconds", "must be 30 to 3,600"))
        }
        faults += liveness.faults.map { ("liveness.\($0.setting)", $0.message) }
        faults += tokens.faults.map { ("tokens.\($0.setting)", $0.message) }
        faults += pages.faults.map { ("pages.\($0.setting)", $0.message) }
        faults += identity.faults.map { ("identity.\($0.setting)", $0.message) }
        faults += (duplicateFaces?.faults ?? []).map {
            ("duplicate_faces.\($0.setting)", $0.message)
        }
        faults += biometric.faults.map { ("biometric.\($0.setting)", $0.message) }
        faults += keyFaults + profileFaults
        faults += claims.faults.map { ("claims.\($0.setting)", $0.message) }
        for (index, resource) in resources.enumerated() where !Self.isAddress(resource) {
            faults.append(
                (
                    "resources[\(index)]",
                    "must be an absolute https URL without a fragment (http only for localhost, 127.0.0.1, and [::1])"
                ))
        }
        if resources.count > 32 {
            faults.append(("resources", "must contain at most 32 addresses"))
        }
        for (index, origin) in webOrigins.enumerated() where !WebOrigin.isValid(origin) {
            faults.append(
                (
                    "web_origins[\(index)]",
                    "must be an origin like https://app.example.org, as browsers send it: lower case, without a path, a default port, or a wildcard (http only for localhost, 127.0.0.1, and [::1])"
                ))
        }
        for (name, uri) in [
            ("initiate_login_uri", initiateLoginURI), ("client_uri", clientURI),
            ("policy_uri", policyURI), ("tos_uri", termsURI),
        ] {
            guard let uri, !Self.isAddress(uri) else { continue }
            faults.append(
                (
                    name,
                    "must be an absolute https URL without a fragment (http only for localhost, 127.0.0.1, and [::1])"
                ))
        }
        if introspectionApps.count > 100 || Set(introspectionApps).count < introspectionApps.count {
            faults.append(("introspection_apps", "must contain at most 100 different apps"))
        }
        if webOrigins.count > 32 {
            faults.append(("web_origins", "must contain at most 32 origins"))
        }
        if Scope(clientScopes.joined(separator: " "))?.words.count != clientScopes.count {
            faults.append(
                (
                    "client_scopes",
                    "must contain at most 32 different words of at most 64 printable ASCII characters, without spaces"
                ))
        }
        return faults
    }

    /// Whether a text is an address that browsers may be sent to, and that the server may call.
    public static func isAddress(_ uri: String) -> Bool {
        guard isPlain(uri), let start = uri.firstRange(of: "://")?.upperBound else { return false }
        // User names and backslashes make browsers and people see a different host than the real
        // one.
        let authority = uri[start...].prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains(where: { $0 == "@" || $0 == "\\" }) else { return false }
        let host =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let port = authority.dropFirst(host.count)
        // Pages name the host in their Content-Security-Policy.
        let isWritable = host.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || ".-_[]:".contains($0))
        }
        guard !host.isEmpty, isWritable,
            port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()) != nil)
        else { return false }
        return uri.hasPrefix("https://")
            || (uri.hasPrefix("http://") && ["localhost", "127.0.0.1", "[::1]"].contains(host))
    }

    /// Whether pages may return to an address: a web address, or one with a scheme of the app's
    /// own that ``redirectURIs`` lists, whatever follows it.
    public func mayReturn(to uri: String) -> Bool {
        if Self.isAddress(uri) { return true }
        guard Self.isOwnScheme(uri) else { return false }
        // Schemes are compared without regard to case (RFC 3986 §3.1).
        func scheme(_ uri: String) -> String { uri.prefix { $0 != ":" }.lowercased() }
        return redirectURIs.contains { scheme($0) == scheme(uri) }
    }

    /// Whether the scheme is an app's own, a reversed domain as in `com.example.app:/back` (RFC
    /// 8252 §7.1).
    public static func isOwnScheme(_ uri: String) -> Bool {
        let scheme = uri.prefix { $0 != ":" }
        return isPlain(uri) && scheme.count < uri.count && scheme.contains(".")
            && scheme.first?.isLetter == true
            && scheme.allSatisfy {
                $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" || $0 == "+"
            }
    }

    private static func isPlain(_ uri: String) -> Bool {
        uri.utf8.count <= 2048 && !uri.contains("#")
            && uri.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 32 && $0.value != 127 }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case redirectURIs = "redirect_uris", journeys, locks, faceThreshold = "face_threshold",
            liveness, tokenSeconds = "token_seconds"
        case signInJourney = "sign_in_journey", pages, identity,
            duplicateFaces = "duplicate_faces", organizations
        case hasSignInPage = "sign_in_page", tokens, biometric, resources,
            introspectionApps = "introspection_apps",
            allowsDevices = "device_authorization",
            initiateLoginURI = "initiate_login_uri",
            userInfoAlgorithm = "userinfo_signed_response_alg", clientURI = "client_uri",
            policyURI = "policy_uri", termsURI = "tos_uri", webOrigins = "web_origins",
            clientScopes = "client_scopes",
            requiresDPoP = "requires_dpop"
        case requiresPKCE = "requires_pkce", idTokenAlgorithm = "id_token_signed_response_alg",
            accessTokenType = "access_token_typ", claims,
            authenticationMethod = "token_endpoint_auth_method", jwks, jwksURI = "jwks_uri",
            requiresPushedRequests = "require_pushed_authorization_requests",
            requiresSignedRequests = "require_signed_request_object", profile
        case postLogoutRedirectURIs = "post_logout_redirect_uris", backChannelLogoutURI =
            "backchannel_logout_uri", frontChannelLogoutURI = "frontchannel_logout_uri",
            frontChannelLogoutNeedsSession = "frontchannel_logout_session_required",
            logoutScope = "logout_scope"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            redirectURIs: try values.decodeIfPresent([String].self, forKey: .redirectURIs) ?? [],
            journeys: try values.decodeIfPresent([JourneyID].self, forKey: .journeys),
            locks: try values.decodeIfPresent([String: LockPolicy].self, forKey: .locks) ?? [:],
            faceThreshold: try values.decodeIfPresent(Double.self, forKey: .faceThreshold),
            liveness: try values.decodeIfPresent(LivenessPolicy.self, forKey: .liveness)
                ?? LivenessPolicy(),
            tokenSeconds: try values.decodeIfPresent(Int.self, forKey: .tokenSeconds) ?? 300,
            hasSignInPage: try values.decodeIfPresent(Bool.self, forKey: .hasSignInPage) ?? false,
            tokens: try values.decodeIfPresent(TokenLifetimes.self, forKey: .tokens)
                ?? TokenLifetimes(),
            biometric: try values.decodeIfPresent(BiometricSettings.self, forKey: .biometric)
                ?? BiometricSettings(),
            resources: try values.decodeIfPresent([String].self, forKey: .resources) ?? [],
            webOrigins: try values.decodeIfPresent([String].self, forKey: .webOrigins) ?? [],
            clientScopes: try values.decodeIfPresent([String].self, forKey: .clientScopes) ?? [],
            requiresDPoP: try values.decodeIfPresent(Bool.self, forKey: .requiresDPoP) ?? false,
            postLogoutRedirectURIs: try values.decodeIfPresent(
                [String].self, forKey: .postLogoutRedirectURIs) ?? [],
            backChannelLogoutURI: try values.decodeIfPresent(
                String.self, forKey: .backChannelLogoutURI),
            signInJourney: try values.decodeIfPresent(JourneyID.self, forKey: .signInJourney),
            pages: try values.decodeIfPresent(PageSettings.self, forKey: .pages) ?? PageSettings(),
            identity: try values.decodeIfPresent(IdentitySettings.self, forKey: .identity)
                ?? IdentitySettings(),
            duplicateFaces: try values.decodeIfPresent(
                DuplicateFaceSettings.self, forKey: .duplicateFaces),
            organizations: try values.decodeIfPresent(
                OrganizationSettings.self, forKey: .organizations) ?? OrganizationSettings())
        requiresPKCE = try values.decodeIfPresent(Bool.self, forKey: .requiresPKCE) ?? true
        idTokenAlgorithm =
            try values.decodeIfPresent(IDTokenAlgorithm.self, forKey: .idTokenAlgorithm) ?? .es256
        accessTokenType =
            try values.decodeIfPresent(AccessTokenType.self, forKey: .accessTokenType)
            ?? .accessToken
        authenticationMethod = try values.decodeIfPresent(
            ClientAuthenticationMethod.self, forKey: .authenticationMethod)
        jwks = try values.decodeIfPresent(JSONValue.self, forKey: .jwks)
        jwksURI = try values.decodeIfPresent(String.self, forKey: .jwksURI)
        requiresPushedRequests =
            try values.decodeIfPresent(Bool.self, forKey: .requiresPushedRequests) ?? false
        requiresSignedRequests =
            try values.decodeIfPresent(Bool.self, forKey: .requiresSignedRequests) ?? false
        profile = try values.decodeIfPresent(SecurityProfile.self, forKey: .profile)
        allowsDevices = try values.decodeIfPresent(Bool.self, forKey: .allowsDevices) ?? false
        userInfoAlgorithm = try values.decodeIfPresent(
            IDTokenAlgorithm.self, forKey: .userInfoAlgorithm)
        clientURI = try values.decodeIfPresent(String.self, forKey: .clientURI)
        policyURI = try values.decodeIfPresent(String.self, forKey: .policyURI)
        termsURI = try values.decodeIfPresent(String.self, forKey: .termsURI)
        initiateLoginURI = try values.decodeIfPresent(String.self, forKey: .initiateLoginURI)
        introspectionApps =
            try values.decodeIfPresent([AppID].self, forKey: .introspectionApps) ?? []
        claims =
            try values.decodeIfPresent(ClaimSettings.self, forKey: .claims) ?? ClaimSettings()
        frontChannelLogoutURI = try values.decodeIfPresent(
            String.self, forKey: .frontChannelLogoutURI)
        frontChannelLogoutNeedsSession =
            try values.decodeIfPresent(Bool.self, forKey: .frontChannelLogoutNeedsSession) ?? false
        logoutScope = try values.decodeIfPresent(LogoutScope.self, forKey: .logoutScope) ?? .app
    }
}
