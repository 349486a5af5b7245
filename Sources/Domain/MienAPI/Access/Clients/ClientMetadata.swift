public import MienCore

/// An app as it describes itself to a server: RFC 7591 §2, and OpenID Connect Dynamic Client
/// Registration 1.0 §2.
///
/// Members that the server does not know are ignored, as the specifications require. Values that it
/// knows and does not offer are refused, so that no app relies on something that it does not get.
public struct ClientMetadata: Sendable {
    /// Why a description is refused: RFC 7591 §3.2.2.
    public struct Invalid: Error, Sendable, Hashable {
        public enum Code: String, Sendable {
            case redirectURI = "invalid_redirect_uri"
            case metadata = "invalid_client_metadata"
        }

        public let code: Code
        /// The fault. Repeats nothing of the description.
        public let reason: String

        public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
    }

    public static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    /// The grants that a registered app can have.
    public static let grantTypes = ["authorization_code", "refresh_token", deviceGrant]

    /// The app's name: `client_name`.
    public let name: String
    public let type: AppType
    /// The address of the app's picture, which the server has to fetch.
    public let logoURI: String?
    private let members: [String: JSONValue]
    private let method: ClientAuthenticationMethod?
    private let grants: [String]

    /// - Throws: ``Invalid``.
    public init(_ value: JSONValue) throws(Invalid) {
        guard let all = value.objectValue else {
            throw Invalid(.metadata, "The body must be a JSON object.")
        }
        let members = all.filter { !$0.value.isNull }
        self.members = members
        func refuse(_ name: String, _ rule: String) -> Invalid {
            Invalid(.metadata, "\(name) \(rule).")
        }
        let method: ClientAuthenticationMethod?
        if let given = members["token_endpoint_auth_method"] {
            guard
                let known = given.stringValue.flatMap({ ClientAuthenticationMethod(rawValue: $0) })
            else {
                let all = ClientAuthenticationMethod.allCases.map(\.rawValue)
                throw refuse(
                    "token_endpoint_auth_method", "must be \(all.joined(separator: ", "))")
            }
            method = known
        } else {
            method = .basic
        }
        self.method = method
        type = method == .unauthenticated ? .public : .confidential
        grants =
            try Self.list("grant_types", members, among: Self.grantTypes) ?? [
                "authorization_code"
            ]
        let responses = try Self.list("response_types", members, among: ["code"])
        if grants.contains("authorization_code"), responses?.isEmpty == true {
            throw refuse("response_types", "must contain code for the grant authorization_code")
        }
        for (name, allowed) in Self.choices {
            guard let given = members[name] else { continue }
            guard let text = given.stringValue, allowed.contains(text) else {
                throw refuse(name, "must be \(allowed.joined(separator: " or "))")
            }
        }
        for name in Self.unsupported where members[name] != nil {
            throw refuse(name, "is not offered by this server")
        }
        for name in Self.flags {
            guard let given = members[name] else { continue }
            guard given.boolValue != nil else { throw refuse(name, "must be true or false") }
        }
        for name in Self.addresses {
            guard let given = members[name] else { continue }
            guard let text = given.stringValue, AppSettings.isAddress(text) else {
                throw refuse(name, "must be an absolute https URL without a fragment")
            }
        }
        logoURI = members["logo_uri"]?.stringValue
        for name in ["redirect_uris", "post_logout_redirect_uris"] {
            guard let given = members[name] else { continue }
            guard given.arrayValue?.allSatisfy({ $0.stringValue != nil }) == true else {
                throw Invalid(
                    name == "redirect_uris" ? .redirectURI : .metadata,
                    "\(name) must be a list of URIs.")
            }
        }
        let redirects = (members["redirect_uris"]?.arrayValue ?? []).compactMap(\.stringValue)
        if grants.contains("authorization_code"), redirects.isEmpty {
            throw Invalid(
                .redirectURI,
                "redirect_uris must name at least one URI for the grant authorization_code.")
        }
        if let given = members["client_name"] {
            // The name stands in mails of this server, in which it must not lead anywhere.
            guard let text = given.stringValue, (1...100).contains(text.unicodeScalars.count),
                text.isPrintable, !text.contains(where: { "/@:".contains($0) })
            else {
                throw refuse(
                    "client_name", "must be one line of 1 to 100 characters, without /, @, and :")
            }
            name = text
        } else {
            let host = redirects.first.map {
                $0.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
            }
            name = host.flatMap { $0.isEmpty || $0.count > 100 ? nil : String($0) } ?? "App"
        }
        let settings = settings(from: Self.base)
        if let fault = settings.faults.first {
            throw Invalid(
                fault.setting.hasPrefix("redirect_uris") ? .redirectURI : .metadata,
                "\(fault.setting) \(fault.message).")
        }
        if let fault = settings.faults(of: type).first {
            throw refuse(fault.setting, fault.message)
        }
    }

    /// The settings of an app that registers: people sign in on the server's pages.
    public static var base: AppSettings {
        var settings = AppSettings()
        settings.hasSignInPage = true
        return settings
    }

    /// Values of which there are few.
    private static let choices: [(String, [String])] = [
        ("application_type", ["web", "native"]), ("subject_type", ["public"]),
        ("id_token_signed_response_alg", IDTokenAlgorithm.allCases.map(\.rawValue)),
        ("userinfo_signed_response_alg", IDTokenAlgorithm.allCases.map(\.rawValue)),
        ("token_endpoint_auth_signing_alg", signatures), ("request_object_signing_alg", signatures),
    ]
    private static let signatures = ["ES256", "RS256", "EdDSA"]
    private static let flags = [
        "require_auth_time", "require_signed_request_object",
        "require_pushed_authorization_requests", "dpop_bound_access_tokens",
        "backchannel_logout_session_required", "frontchannel_logout_session_required",
    ]
    private static let addresses = [
        "jwks_uri", "initiate_login_uri", "backchannel_logout_uri", "client_uri", "policy_uri",
        "tos_uri", "logo_uri",
    ]
    /// Members that would change answers, which the server sends in the usual form only.
    private static let unsupported = [
        "id_token_encrypted_response_alg", "id_token_encrypted_response_enc",
        "userinfo_encrypted_response_alg", "userinfo_encrypted_response_enc",
        "request_object_encryption_alg", "request_object_encryption_enc", "default_max_age",
        "sector_identifier_uri", "tls_client_certificate_bound_access_tokens",
    ]

    private static func list(
        _ name: String, _ members: [String: JSONValue], among allowed: [String]
    ) throws(Invalid) -> [String]? {
        guard let given = members[name] else { return nil }
        guard let items = given.arrayValue,
            items.allSatisfy({ $0.stringValue.map(allowed.contains) ?? false })
        else {
            throw Invalid(
                .metadata, "\(name) must be a list of \(allowed.joined(separator: ", ")).")
        }
        return items.compactMap(\.stringValue)
    }

    /// Returns the settings that the description asks for. What it cannot tell stays as in `base`.
    public func settings(from base: AppSettings) -> AppSettings {
        func text(_ name: String) -> String? { members[name]?.stringValue }
        func flag(_ name: String) -> Bool { members[name]?.boolValue ?? false }
        func texts(_ name: String) -> [String] {
            (members[name]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        var settings = base
        settings.redirectURIs = texts("redirect_uris")
        settings.postLogoutRedirectURIs = texts("post_logout_redirect_uris")
        settings.backChannelLogoutURI = text("backchannel_logout_uri")
        settings.frontChannelLogoutURI = text("frontchannel_logout_uri")
        settings.frontChannelLogoutNeedsSession = flag("frontchannel_logout_session_required")
        settings.initiateLoginURI = text("initiate_login_uri")
        (settings.clientURI, settings.policyURI, settings.termsURI) = (
            text("client_uri"), text("policy_uri"), text("tos_uri")
        )
        settings.authenticationMethod = type == .public ? .unauthenticated : method
        (settings.jwks, settings.jwksURI) = (members["jwks"], text("jwks_uri"))
        // OpenID Connect Dynamic Client Registration §2: RS256 is the default.
        settings.idTokenAlgorithm =
            text("id_token_signed_response_alg").flatMap { IDTokenAlgorithm(rawValue: $0) }
            ?? .rs256
        settings.userInfoAlgorithm =
            text("userinfo_signed_response_alg").flatMap { IDTokenAlgorithm(rawValue: $0) }
        settings.allowsDevices = grants.contains(Self.deviceGrant)
        // What an administrator demands, a description does not lift.
        settings.requiresSignedRequests =
            base.requiresSignedRequests || flag("require_signed_request_object")
        settings.requiresPushedRequests =
            base.requiresPushedRequests || flag("require_pushed_authorization_requests")
        settings.requiresDPoP = base.requiresDPoP || flag("dpop_bound_access_tokens")
        if type == .public { settings.requiresPKCE = true }
        return settings
    }

    /// Describes an app in the same terms.
    public static func members(
        name: String, type: AppType, settings: AppSettings
    ) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "client_name": .string(name),
            "redirect_uris": list(settings.redirectURIs),
            "grant_types": list(
                (settings.redirectURIs.isEmpty ? [] : ["authorization_code"]) + ["refresh_token"]
                    + (settings.allowsDevices ? [deviceGrant] : [])),
            "response_types": list(settings.redirectURIs.isEmpty ? [] : ["code"]),
            "token_endpoint_auth_method": .string(
                (settings.authentication(of: type) ?? .basic).rawValue),
            "id_token_signed_response_alg": .string(settings.idTokenAlgorithm.rawValue),
            "subject_type": "public",
            "require_signed_request_object": .bool(settings.requiresSignedRequests),
            "require_pushed_authorization_requests": .bool(settings.needsPushedRequests),
            "dpop_bound_access_tokens": .bool(settings.needsDPoP),
        ]
        if !settings.postLogoutRedirectURIs.isEmpty {
            members["post_logout_redirect_uris"] = list(settings.postLogoutRedirectURIs)
        }
        for (name, text) in [
            ("backchannel_logout_uri", settings.backChannelLogoutURI),
            ("frontchannel_logout_uri", settings.frontChannelLogoutURI),
            ("initiate_login_uri", settings.initiateLoginURI), ("jwks_uri", settings.jwksURI),
            ("client_uri", settings.clientURI), ("policy_uri", settings.policyURI),
            ("tos_uri", settings.termsURI),
            ("userinfo_signed_response_alg", settings.userInfoAlgorithm?.rawValue),
        ] { members[name] = text.map { .string($0) } }
        if settings.frontChannelLogoutURI != nil {
            members["frontchannel_logout_session_required"] = .bool(
                settings.frontChannelLogoutNeedsSession)
        }
        members["jwks"] = settings.jwks
        return members
    }

    private static func list(_ texts: [String]) -> JSONValue {
        .array(texts.map { .string($0) })
    }
}
