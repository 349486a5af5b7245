internal import MienAPI
package import MienStore

/// Refusals that several requests share.
extension OAuthError {
    static let malformedScope = OAuthError(
        .invalidScope, "scope must be words of printable ASCII without quotes and backslashes.")
    static let unknownResource = OAuthError(
        .invalidTarget, "resource must exactly match one of the resources in the app's settings.")

    /// - Throws: `invalid_dpop_proof` if the app's tokens are bound to keys and the request proved
    ///   none.
    package static func requireProof(_ thumbprint: String?, for app: AppRecord) throws(OAuthError) {
        guard thumbprint != nil || !app.settings.requiresDPoP else {
            throw OAuthError(.invalidProof, "This app's tokens require a DPoP proof.")
        }
    }
}
