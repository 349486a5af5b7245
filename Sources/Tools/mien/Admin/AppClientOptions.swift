import ArgumentParser
import Foundation
import MienAPI
import MienCore

/// How an app proves itself and reads tokens, under the names of OpenID's client metadata. The
/// server checks what fits together.
struct AppClientOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help:
            "Each sign-in needs a challenge of PKCE. Without it, a code is protected by the app's secret alone, and by its nonce."
    )
    var requiresPkce: Bool?

    @Option(
        help: ArgumentHelp("What signs ID tokens: ES256 or RS256.", valueName: "alg"),
        transform: { try Word.choice($0, for: "--id-token-signed-response-alg") })
    var idTokenSignedResponseAlg: IDTokenAlgorithm?

    @Option(
        help: ArgumentHelp(
            "The typ of access tokens: at+jwt, or JWT for services that read no other.",
            valueName: "typ"), transform: { try Word.choice($0, for: "--access-token-typ") })
    var accessTokenTyp: AccessTokenType?

    @Option(
        help: ArgumentHelp(
            "How the app authenticates: client_secret_basic, client_secret_post, private_key_jwt, or none. “default” is its secret, sent in either way.",
            valueName: "method"), transform: method)
    var tokenEndpointAuthMethod: JSONValue?

    @Option(
        help: ArgumentHelp(
            "A file with the app's public keys, a JWK set, or “none”.", valueName: "file"),
        transform: keys)
    var jwks: JSONValue?

    @Option(
        help: ArgumentHelp(
            "The address of the app's public keys, or “none”. The server's webhook.hosts must list its host.",
            valueName: "url"), transform: { $0 == "none" ? .null : .string($0) })
    var jwksUri: JSONValue?

    @Flag(
        inversion: .prefixedNo,
        help: "The app has to push its authorization requests to the server (RFC 9126).")
    var requirePushedAuthorizationRequests: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "The app has to sign its authorization requests with one of its keys (RFC 9101).")
    var requireSignedRequestObject: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "People may sign in to the app on devices without a browser (RFC 8628).")
    var deviceAuthorization: Bool?

    @Option(
        help: ArgumentHelp(
            "An app whose access tokens this service may look at. Repeatable; replaces all existing ones.",
            valueName: "id"), transform: Word.app)
    var introspectionApp: [AppID] = []
    @Flag(help: "Let this service look at the tokens of no other app.")
    var noIntrospectionApps = false

    @Option(
        help: ArgumentHelp(
            "A set of demands: fapi2 (FAPI 2.0 Security Profile), or “none”.", valueName: "profile"),
        transform: profile)
    var profile: JSONValue?

    func validate() throws {
        if noIntrospectionApps, !introspectionApp.isEmpty {
            throw ValidationError(
                "--introspection-app and --no-introspection-apps cannot be combined")
        }
    }

    /// The settings that the options change, by name; `null` for the default.
    var changes: [String: JSONValue] {
        var changes: [String: JSONValue] = [:]
        changes["requires_pkce"] = requiresPkce.map { .bool($0) }
        changes["id_token_signed_response_alg"] = idTokenSignedResponseAlg.map {
            .string($0.rawValue)
        }
        changes["token_endpoint_auth_method"] = tokenEndpointAuthMethod
        changes["jwks"] = jwks
        changes["profile"] = profile
        changes["device_authorization"] = deviceAuthorization.map { .bool($0) }
        if noIntrospectionApps || !introspectionApp.isEmpty {
            changes["introspection_apps"] = .array(introspectionApp.map { .string($0.text) })
        }
        changes["require_signed_request_object"] = requireSignedRequestObject.map { .bool($0) }
        changes["require_pushed_authorization_requests"] = requirePushedAuthorizationRequests.map {
            .bool($0)
        }
        changes["jwks_uri"] = jwksUri
        changes["access_token_typ"] = accessTokenTyp.map { .string($0.rawValue) }
        return changes
    }

    @Sendable private static func method(_ text: String) throws -> JSONValue {
        if text == "default" { return .null }
        let method: ClientAuthenticationMethod = try Word.choice(
            text, for: "--token-endpoint-auth-method")
        return .string(method.rawValue)
    }

    @Sendable private static func profile(_ text: String) throws -> JSONValue {
        if text == "none" { return .null }
        let profile: SecurityProfile = try Word.choice(text, for: "--profile")
        return .string(profile.rawValue)
    }

    @Sendable private static func keys(_ path: String) throws -> JSONValue {
        if path == "none" { return .null }
        do { return try JSONText.parse([UInt8](Data(contentsOf: URL(filePath: path)))) } catch {
            throw ValidationError("--jwks must name a file with a JWK set in JSON, not “\(path)”")
        }
    }
}
