package import MienStore

/// A grant type that another feature adds to the token endpoint.
package protocol ExtensionGrant: Sendable {
    /// The value of `grant_type`.
    var name: String { get }

    /// - Parameters:
    ///   - caller: The signed-in user, if the request has an access token.
    ///   - thumbprint: The thumbprint of the key that made the DPoP proof.
    /// - Returns: `nil` if the request was not for tokens and succeeded.
    func handle(
        _ form: FormBody, app: AppRecord, scope: String?, resources: [String], caller: Caller?,
        thumbprint: String?
    ) async throws -> TokenAnswer?
}
