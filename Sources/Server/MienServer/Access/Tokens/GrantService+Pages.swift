internal import MienAPI
package import MienCore
internal import MienStore

/// The sign-in of a browser session, for which the server's own pages call the API.
///
/// Pages call the same routes as apps, within the process, so that they can do nothing that the
/// documented API cannot. The browser holds no access token that a script could read.
package enum PageSignIn {
    @TaskLocal static var current: GrantID?

    /// Runs `body` with requests that are made by the sign-in `grant` of this browser.
    package static func with<Output>(
        _ grant: GrantID, _ body: () async throws -> Output
    ) async rethrows -> Output { try await $current.withValue(grant, operation: body) }
}

extension GrantService {
    /// The user and app behind a page of this server.
    ///
    /// - Throws: ``OAuthError`` `invalid_token` if the sign-in has ended, `insufficient_scope`.
    func caller(of page: GrantID, needed: Need) async throws -> Caller {
        let now = clock.now
        let found = try await store.read {
            tables -> (TokenGrantRecord, AccountRecord, AppParty?)? in
            guard let grant = try tables.grants.find(page), grant.family.status(at: now) == .live,
                let account = try tables.accounts.find(grant.account), account.state == .active
            else { return nil }
            return (grant, account, try tables.apps.party(of: grant.app))
        }
        guard let (grant, account, party) = found else {
            throw OAuthError(.invalidToken, "The sign-in has ended.", scheme: "Bearer")
        }
        try await noteActivity(of: grant)
        switch needed {
        case .scope(let word): try Self.check(grant.scope, contains: word, "Bearer")
        case .fullAccess, .signIn:
            try Self.check(
                party == .first ? grant.scope : Scope(words: []), contains: Scope.full, "Bearer")
        }
        return Caller(account: account, app: grant.app, grant: grant, scope: grant.scope)
    }
}
