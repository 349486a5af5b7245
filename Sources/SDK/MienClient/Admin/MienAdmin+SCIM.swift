public import MienAPI
public import MienCore

// MARK: Directories of organizations

extension MienAdmin {
    /// Returns the tokens with which an organization's directory manages people, the oldest first.
    public func scimTokens(of organization: OrganizationID) async throws -> [SCIMTokenAnswer] {
        try await (get("organizations", organization.text, "scim-tokens") as Page<SCIMTokenAnswer>)
            .items
    }

    /// Creates a token. ``SCIMTokenAnswer/token`` is shown this once.
    ///
    /// - Parameter domains: Domains of mail for whose addresses the directory may vouch.
    public func createSCIMToken(
        named name: String, domains: [String] = [], for organization: OrganizationID
    ) async throws -> SCIMTokenAnswer {
        try await send(
            .post, "organizations", organization.text, "scim-tokens",
            body: SCIMTokenRequest(name: name, domains: domains), isRepeatable: false)
    }

    /// Revokes a token at once.
    public func revokeSCIMToken(_ token: SCIMTokenID, of organization: OrganizationID) async throws
    {
        try await act(.delete, "organizations", organization.text, "scim-tokens", token.text)
    }
}
