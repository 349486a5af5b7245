internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Authenticates the app that sends a request to the token endpoints: `client_id` in the form, with
/// a secret there or in `Authorization: Basic` (RFC 6749 §2.3), or a JWT by the app's own key.
package struct ClientAuthentication: Sendable {
    let apps: AppCatalog
    let assertions: ClientAssertions

    /// - Throws: ``OAuthError`` `invalid_client`.
    func app(of request: Request, _ form: FormBody) async throws -> AppRecord {
        if let type = form["client_assertion_type"] ?? form["client_assertion"].map({ _ in "" }) {
            guard request.headers[.authorization]?.lowercased().hasPrefix("basic ") != true,
                form["client_secret"] == nil
            else { throw Self.twice }
            guard type == ClientAssertions.type else {
                throw OAuthError(
                    .invalidClient, "client_assertion_type must be \(ClientAssertions.type).")
            }
            return try await assertions.app(
                form.required("client_assertion"), id: form["client_id"], path: request.uri.path)
        }
        var (id, secret) = (form["client_id"], form["client_secret"])
        var scheme: String?
        if let (name, password) = try Self.basic(request) {
            guard secret == nil, id == nil || id == name else {
                throw Self.twice
            }
            (id, secret, scheme) = (name, password, "Basic")
        }
        guard let id else { throw OAuthError(.invalidClient, "client_id is missing.") }
        let app: AppRecord
        do { app = try await apps.authenticated(id: id, secret: secret) } catch let problem
            as Problem where problem.code == .invalidCredentials
        {
            throw OAuthError(.invalidClient, problem.detail, scheme: scheme)
        }
        guard
            app.type == .public
                || [nil, scheme == nil ? .post : .basic].contains(
                    app.settings.authenticationMethod)
        else {
            throw OAuthError(
                .invalidClient, "The app's setting token_endpoint_auth_method allows another way.",
                scheme: scheme)
        }
        return app
    }

    private static let twice = OAuthError(
        .invalidRequest,
        "Authenticate the app once: in the form, in the Authorization header, or with client_assertion."
    )

    private static func basic(_ request: Request) throws(OAuthError) -> (String, String)? {
        guard let text = request.headers[.authorization], text.prefix(6).lowercased() == "basic "
        else { return nil }
        guard text.utf8.count <= 2048,
            let data = Data(base64Encoded: text.dropFirst(6).trimmingCharacters(in: .whitespaces)),
            let colon = data.firstIndex(of: UInt8(ascii: ":")),
            let name = PercentEncoding.decodeForm(data[..<colon]),
            let password = PercentEncoding.decodeForm(data[data.index(after: colon)...])
        else {
            throw OAuthError(
                .invalidClient,
                "The Authorization header must be Basic with base64 of client_id:client_secret.",
                scheme: "Basic")
        }
        return (name, password)
    }
}
