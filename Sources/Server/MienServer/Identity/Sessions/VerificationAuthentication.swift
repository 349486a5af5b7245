package import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity

/// How a request about a verification session proves that it may be made: an app sends the start
/// token, and a page of this server has it in a cookie that no script can read.
package struct VerificationAuthentication: Sendable {
    /// Names the session that a page means, so that two tabs do not mix theirs.
    package static let sessionField = HTTPField.Name("x-mien-verification")!

    let publicURL: @Sendable () -> String

    /// The name of the cookie.
    package var cookie: String {
        publicURL().hasPrefix("https://") ? "__Host-mien_verification" : "mien_verification"
    }

    /// - Throws: ``Problem``: `.invalidCredentials` without a start token, `.captureReplaced` if another
    ///   tab of the browser has opened another session.
    package func token(_ request: Request) throws -> String {
        if let token = request.bearer { return token }
        // A browser adds the cookie to requests of any page, but lets only pages of this server add
        // this field.
        guard let id = request.headers[Self.sessionField], let token = request.cookie(cookie) else {
            throw Problem(.invalidCredentials, "Send authorization: Bearer with the start token.")
        }
        guard let parsed = BearerSecret.parse(token, IdentityAttemptKind.self),
            parsed.id.text == id
        else {
            throw Problem(
                .captureReplaced,
                "Another tab of this browser has opened another verification. Continue there.")
        }
        return token
    }
}
