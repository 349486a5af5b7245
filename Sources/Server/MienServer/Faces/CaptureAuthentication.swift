internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore

/// How a request about a capture proves that it may be made: an app sends the start token, and a
/// page of this server has it in a cookie that no script can read.
package struct CaptureAuthentication: Sendable {
    /// Names the capture that a page means, so that two tabs do not mix theirs.
    static let captureField = HTTPField.Name("x-mien-capture")!

    let publicURL: @Sendable () -> String

    /// The name of the cookie.
    package var cookie: String {
        publicURL().hasPrefix("https://") ? "__Host-mien_capture" : "mien_capture"
    }

    /// - Throws: ``Problem``: `.invalidCredentials` without a start token, `.captureReplaced` if another
    ///   tab of the browser has begun another capture.
    package func token(_ request: Request) throws -> String {
        if let token = request.bearer { return token }
        // A browser adds the cookie to requests of any page, but lets only pages of this server add
        // this field.
        guard let id = request.headers[Self.captureField],
            let token = request.cookie(cookie)
        else {
            throw Problem(.invalidCredentials, "Send authorization: Bearer with the start token.")
        }
        guard let parsed = BearerSecret.parse(token, CaptureKind.self), parsed.id.text == id else {
            throw Problem(
                .captureReplaced,
                "Another tab of this browser has begun another capture. Continue there.")
        }
        return token
    }
}
