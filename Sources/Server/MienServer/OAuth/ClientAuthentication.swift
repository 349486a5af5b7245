internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Authenticates the app that sends a request to the token endpoints: `client_id` in the form, with
/// a secret there or in `Authorization: Basic` (RFC 6749 §2.3).
package struct ClientAuthentication: Sendable {
    let apps: AppCatalog

    /// - Throws: ``OAuthError`` `invalid_client`.
    func app(of request: Request, _ form: FormBody) async throws -> AppRecord {
        var (id, secret) = (form["client_id"], form["client_secret"])
        var scheme: String?
        if let (name, password) = try Self.basic(request) {
            guard secret == nil, id == nil || id == name else {
                throw OAuthError(
                    .invalidRequest,
                    "Authenticate the app once: in the form or in the Authorization header.")
            }
            (id, secret, scheme) = (name, password, "Basic")
        }
        guard let id else { throw OAuthError(.invalidClient, "client_id is missing.") }
        do { return try await apps.authenticated(id: id, secret: secret) } catch let problem
            as Problem where problem.code == .invalidCredentials
        {
            throw OAuthError(.invalidClient, problem.detail, scheme: scheme)
        }
    }

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
