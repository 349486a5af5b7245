internal import MienAPI
package import MienStore

/// Refusals that several requests share.
extension OAuthError {
    static let malformedScope = OAuthError(
        .invalidScope, "scope must be words of printable ASCII without quotes and backslashes.")
    /// RFC 6750 §3.1: a request without a token has made no error that a code could name.
    static let missingToken = OAuthError(
        .invalidToken, "Send authorization: Bearer with an access token.", scheme: "Bearer",
        isCodeShown: false)
    static let unknownResource = OAuthError(
        .invalidTarget, "resource must exactly match one of the resources in the app's settings.")

    /// - Throws: `invalid_dpop_proof` if the app's tokens are bound to keys and the request proved
    ///   none.
    package static func requireProof(_ thumbprint: String?, for app: AppRecord) throws(OAuthError) {
        guard thumbprint != nil || !app.settings.needsDPoP else {
            throw OAuthError(.invalidProof, "This app's tokens require a DPoP proof.")
        }
    }
}
