internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The signed-in user of the pages at `/organization`.
package struct OrganizationCaller: Sendable {
    /// How old a sign-in may be that gives somebody access: as for administrators of the server.
    static let freshness = AdministratorSession.freshness

    let account: AccountRecord
    let signedInAt: Instant
    /// The standing that the browser's session rests on.
    let standing: SignInStanding

    /// Requires that the user has just signed in. A browser left open must not be a way to give
    /// somebody access.
    ///
    /// - Throws: ``Problem`` `.insufficientUserAuthentication`.
    func requireFresh(at now: Instant) throws(Problem) {
        guard now < signedInAt + Self.freshness else {
            throw Problem(
                .insufficientUserAuthentication, "Sign in again before this change.",
                maxAge: Int(Self.freshness.milliseconds / 1000))
        }
    }

    /// - Throws: ``Problem`` `.invalidCredentials` if the sign-in has ended since the request began.
    func require(in tables: Tables) throws {
        guard try standing.holds(in: tables),
            try tables.accounts.standing(of: account.id)?.state == .active
        else { throw Self.refused }
    }

    static let refused = Problem(
        .invalidCredentials, "Nobody is signed in in this browser. Open /organization to sign in.")

    /// The user as an administrator of the organization that a request names. Others are told
    /// nothing: not even that the organization exists, unless they are members.
    var administrator: OrganizationActor {
        OrganizationActor(id: account.id.text, account: account.id) { id, tables in
            try require(in: tables)
            guard let member = try tables.organizationMembers.find(account.id, in: id),
                let record = try tables.organizations.find(id)
            else { throw Problem.noSuchOrganization }
            guard member.roles.isAdmin else {
                throw Problem(
                    .notPermitted, "Only administrators of the organization may do this.")
            }
            guard record.state == .active else {
                throw Problem(
                    .notPermitted,
                    "The organization is suspended. An administrator of the server can change that."
                )
            }
        }
    }
}

/// The sessions of browsers, which the pages of the server keep.
package struct OrganizationSessions: Sendable {
    /// Returns the user of a request's session, if it may manage accounts.
    let find: @Sendable (Request) async throws -> OrganizationCaller?
    /// Ends the session of a request. Returns values of `Set-Cookie`.
    let end: @Sendable (Request) async throws -> [String]

    /// - Throws: ``Problem`` `.notPermitted` for a request of another page than ours,
    ///   `.invalidCredentials` without a session.
    func require(_ request: Request) async throws -> OrganizationCaller {
        // The same rule as for administrators of the server: a header that pages of other origins
        // cannot send.
        try AdminCookies.requirePortal(request)
        guard let caller = try await find(request) else { throw OrganizationCaller.refused }
        return caller
    }
}
