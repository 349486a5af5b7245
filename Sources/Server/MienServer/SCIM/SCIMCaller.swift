internal import MienAPI
internal import MienCore
internal import MienStore

/// The directory of an organization, which a token speaks for.
struct SCIMCaller: Sendable {
    let token: SCIMTokenRecord
    /// The address of the routes, without a slash at the end.
    let base: String

    var organization: OrganizationID { token.organization }
    /// The actor that the audit log records.
    var actor: String { token.id.text }

    /// Requires that the token has not been revoked, and that the organization is active.
    func require(in tables: Tables) throws {
        guard try tables.scimTokens.all(of: organization).contains(where: { $0.id == token.id })
        else { throw SCIMError.refused }
        guard try tables.organizations.find(organization)?.state == .active else {
            throw SCIMError(403, nil, "The organization is suspended.")
        }
    }

    /// Whether the operator lets this directory vouch for an address.
    func vouches(for address: LoginName) -> Bool {
        guard let at = address.normal.lastIndex(of: "@") else { return false }
        return token.domains.contains(String(address.normal[address.normal.index(after: at)...]))
    }
}

extension SCIMError {
    static let refused = SCIMError(
        401, nil,
        "Send authorization: Bearer with a token of the organization: mien admin organization scim-token create."
    )
    static let noSuchUser = SCIMError(404, nil, "There is no such person in this directory.")
    static let noSuchGroup = SCIMError(404, nil, "There is no such group in this directory.")
    static let taken = SCIMError(
        409, .uniqueness,
        "The name or the address belongs to somebody else, in this directory or on this server.")
    static let changed = SCIMError(
        412, nil, "The resource has changed since it was read. Read it again.")

    /// The same error as `problem`.
    init(_ problem: Problem) {
        let fields = (problem.errors ?? []).map { "\($0.field) \($0.message)" }
            .joined(separator: "; ")
        self.init(
            problem.status, problem.status == 400 ? .invalidValue : nil,
            fields.isEmpty ? problem.detail : fields)
    }
}

extension SCIMTokenRecord {
    static let maxPerOrganization = 10
    static let maxDomains = 20
}
