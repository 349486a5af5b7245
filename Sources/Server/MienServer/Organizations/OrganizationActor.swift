package import MienAPI
package import MienCore
internal import MienStore

/// The reader or author of a change of an organization.
package struct OrganizationActor: Sendable {
    /// The ID that the audit log records.
    package let id: String
    /// The account, if it is an administrator of the organization; `nil` for one of the server.
    package var account: UserID?
    /// Evaluated in the transaction that reads or writes, so that what somebody lost a moment ago
    /// counts no longer.
    var check: @Sendable (OrganizationID, Tables) throws -> Void = { _, _ in }
}

extension Problem {
    /// The same for an organization of others as for none, so that nobody learns of organizations
    /// by guessing IDs.
    package static let noSuchOrganization = Problem(
        .notFound, "There is no such organization.")
    static let noSuchMember = Problem(.notFound, "This organization has no such member.")
}
