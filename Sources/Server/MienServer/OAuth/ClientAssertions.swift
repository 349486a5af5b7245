internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienKeys
package import MienStore

/// Authenticates apps by a JWT that their own key has signed: `private_key_jwt` of OpenID Connect
/// Core §9, RFC 7523 §3.
package struct ClientAssertions: Sendable {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// How far ahead an assertion may expire. Its `jti` is kept until then.
    private static let longest = Duration.seconds(3600)
    /// The maximum deviation of a client's clock. FAPI 2.0 §5.3.2.1 asks for 10 to 60 s.
    private static let tolerance = Duration.seconds(30)
    private static let maxIdentifierBytes = 255

    let store: Store
    let apps: AppCatalog
    let keys: ClientKeys
    let clock: ServerClock
    let publicURL: @Sendable () -> String

    package init(
        store: Store, apps: AppCatalog, keys: ClientKeys, clock: ServerClock,
        publicURL: @escaping @Sendable () -> String
    ) {
        (self.store, self.apps, self.keys) = (store, apps, keys)
        (self.clock, self.publicURL) = (clock, publicURL)
    }

    /// - Parameters:
    ///   - text: `client_assertion`.
    ///   - id: `client_id`, if the request has it.
    ///   - path: The request's path. Many clients name the endpoint as the audience.
    /// - Throws: ``OAuthError`` `invalid_client`.
    func app(_ text: String, id: String?, path: String) async throws -> AppRecord {
        let payload = (try? JWS.parse(compact: text))?.unverifiedPayload
        let name = payload.flatMap { try? JSONText.parse($0) }?["sub"]?.stringValue
        guard let name, id == nil || id == name, let appID = AppID(name),
            let app = try? await apps.find(appID),
            app.settings.authentication(of: app.type) == .privateKey
        else {
            throw Self.refused(
                "sub must name an app whose token_endpoint_auth_method is private_key_jwt, and equal client_id."
            )
        }
        let message: ClientKeys.Message
        do {
            message = try await keys.message(
                text, of: app, by: app.settings.signatureAlgorithms)
        } catch let error as ClientKeys.Refused {
            throw Self.refused("The client_assertion is invalid: \(error.reason).")
        }
        let end = try check(message, of: app, path: path)
        let hash = store.keys.hash(
            ofSecret: Array("\(name) \(message.claims["jti"]?.stringValue ?? "")".utf8))
        guard
            try await store.write(
                .process,
                { try $0.spent.spend(.assertion, hash, until: end + Self.tolerance) })
        else { throw Self.refused("This client_assertion was already used.") }
        RequestFacts.note(app: appID)
        return app
    }

    /// - Returns: The time at which it expires.
    private func check(_ message: ClientKeys.Message, of app: AppRecord, path: String)
        throws(OAuthError) -> Instant
    {
        let claims = message.claims, now = clock.now
        guard ["JWT", "client-authentication+jwt", nil].contains(message.type) else {
            throw Self.refused("typ must be JWT or client-authentication+jwt.")
        }
        guard claims["iss"]?.stringValue == app.id.text else {
            throw Self.refused("iss must be the app's ID.")
        }
        guard isForThisServer(claims["aud"], of: app, path: path) else {
            throw Self.refused("aud must be \(publicURL()).")
        }
        guard (1...Self.maxIdentifierBytes).contains(claims["jti"]?.stringValue?.utf8.count ?? 0)
        else {
            throw Self.refused("jti must have 1 to \(Self.maxIdentifierBytes) bytes.")
        }
        guard let end = ClientKeys.instant(claims["exp"]), now < end + Self.tolerance,
            end <= now + Self.longest
        else { throw Self.refused("exp must be a time within the next hour.") }
        for name in ["iat", "nbf"] where claims[name] != nil {
            guard let time = ClientKeys.instant(claims[name]), time <= now + Self.tolerance else {
                throw Self.refused("\(name) must not be in the future.")
            }
        }
        return end
    }

    /// The profile of FAPI accepts nothing but the issuer, so that no other server can use an
    /// assertion that it got.
    private func isForThisServer(_ audience: JSONValue?, of app: AppRecord, path: String) -> Bool {
        let issuer = publicURL(), known = [issuer, issuer + "/oauth2/token", issuer + path]
        guard app.settings.profile == nil else { return audience?.stringValue == issuer }
        if let text = audience?.stringValue { return known.contains(text) }
        return audience?.arrayValue?.contains { known.contains($0.stringValue ?? "") } ?? false
    }

    private static func refused(_ reason: String) -> OAuthError {
        OAuthError(.invalidClient, reason)
    }
}

extension ClientKeys {
    /// A time in seconds since 1970.
    static func instant(_ value: JSONValue?) -> Instant? {
        guard let seconds = value?.numberValue, seconds.isFinite, abs(seconds) < 1e12 else {
            return nil
        }
        return Instant(seconds: Int64(seconds))
    }
}
