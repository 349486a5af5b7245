internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienStore

/// Requests that apps send to this server before they send the browser here: RFC 9126. No address
/// contains them, and the app has authenticated.
extension AuthorizationService {
    /// The maximum size of a pushed request in bytes.
    static let maxPushedBytes = 16 * 1024
    /// How long the browser has to come.
    static let pushedLifetime = Duration.seconds(90)
    private static let pushedPrefix = "urn:ietf:params:oauth:request_uri:"
    /// Parameters of the app's authentication.
    private static let own: Set<String> = [
        "client_secret", "client_assertion", "client_assertion_type",
    ]

    /// Checks and stores a request.
    ///
    /// - Parameter thumbprint: The key of the request's proof, to which the code is bound.
    /// - Returns: The `request_uri`.
    /// - Throws: ``OAuthError`` that a redirect would have brought to the app.
    func push(_ form: FormBody, app: AppRecord, thumbprint: String?) async throws -> String {
        guard form["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "A pushed request must not have request_uri.")
        }
        let named = form["dpop_jkt"]
        guard thumbprint == nil || named == nil || thumbprint == named else {
            throw OAuthError(.invalidProof, "dpop_jkt must be the key of the DPoP proof.")
        }
        var fields = form.fields.filter { !Self.own.contains($0.name) && $0.name != "client_id" }
        fields.append(.init("client_id", app.id.text))
        if let thumbprint, named == nil { fields.append(.init("dpop_jkt", thumbprint)) }
        var generator = SystemRandomNumberGenerator()
        let id = generator.bytes(32), hash = store.keys.hash(ofSecret: id)
        do {
            let text = FormFields(fields).text
            var parameters = try await unwrapped(FormBody(text), text)
            if parameters.isSigned, let thumbprint {
                parameters = try Self.bound(parameters, to: thumbprint)
            }
            parameters.pushed = hash
            _ = try await request(parameters)
            let content = Sensitive([UInt8](try JSONEncoder().encode(parameters)))
            let record = WebRecord(
                .pushed, hash, app: app.id, content: content,
                expiresAt: clock.now + Self.pushedLifetime)
            try await store.write(.process) { try $0.web.put(record) }
        } catch Fault.page(let words) {
            throw OAuthError(.invalidRequest, words)
        } catch Fault.answer(let answer) {
            throw answer.error
        }
        return Self.pushedPrefix + Base64URL.encode(id)
    }

    /// Binds the code of a signed request to the key of the proof, which no object can name.
    private static func bound(_ parameters: AuthorizationParameters, to thumbprint: String) throws
        -> AuthorizationParameters
    {
        let form = try FormBody(parameters.text)
        guard form["dpop_jkt"] == nil || form["dpop_jkt"] == thumbprint else {
            throw OAuthError(.invalidProof, "dpop_jkt must be the key of the DPoP proof.")
        }
        var bound = AuthorizationParameters(
            text: FormFields(
                form.fields.filter { $0.name != "dpop_jkt" } + [.init("dpop_jkt", thumbprint)]
            ).text)
        bound.isSigned = parameters.isSigned
        return bound
    }

    /// Returns the parameters of a request that a browser brings, which may name a pushed one or
    /// hold a signed one.
    ///
    /// - Throws: ``Fault``.
    package func parameters(_ query: String) async throws -> AuthorizationParameters {
        let form = try FormBody(query)
        guard let uri = form["request_uri"], uri.hasPrefix(Self.pushedPrefix) else {
            return try await unwrapped(form, query)
        }
        guard let id = Base64URL.decode(String(uri.dropFirst(Self.pushedPrefix.count))),
            id.count == 32, let found = try await pushed(store.keys.hash(ofSecret: id)),
            found.app?.text == form["client_id"]
        else {
            throw Fault.page(
                "invalid_request_uri: request_uri is unknown, has expired, was used, or is another app's. Begin again in the app."
            )
        }
        return try found.content.use {
            try JSONDecoder().decode(AuthorizationParameters.self, from: Data($0))
        }
    }

    /// Finds a pushed request that has led to no code. The browser may come again before.
    private func pushed(_ hash: [UInt8]) async throws -> WebRecord? {
        let now = clock.now
        return try await store.read {
            guard try !$0.spent.contains(.request, hash) else { return nil }
            return try $0.web.find(.pushed, hash, at: now)
        }
    }
}

extension AuthorizationAnswer {
    /// The error of the answer, for an app that reads it itself.
    fileprivate var error: OAuthError {
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        return OAuthError(
            value("error").flatMap { OAuthError.Code(rawValue: $0) } ?? .invalidRequest,
            value("error_description") ?? "The request is invalid.")
    }
}
