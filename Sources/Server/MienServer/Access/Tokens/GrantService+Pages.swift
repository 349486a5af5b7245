internal import MienAPI
package import MienCore
package import MienStore

/// A browser's sign-in, with which the server's own pages call the API.
///
/// Pages call the same routes as apps, within the process, so that they can do nothing that the
/// documented API cannot. The browser holds no access token that a script could read.
package struct PageSignIn: Sendable {
    @TaskLocal static var current: PageSignIn?

    package let grant: GrantID
    /// The app whose users the page serves. It decides which faces, devices, and journeys there are.
    package let app: AppID

    package init(grant: GrantID, app: AppID) { (self.grant, self.app) = (grant, app) }

    /// Runs `body` with requests that are made by this sign-in.
    package func run<Output>(_ body: () async throws -> Output) async rethrows -> Output {
        try await Self.$current.withValue(self, operation: body)
    }
}

extension GrantService {
    /// How long the sign-in of a browser lasts, and how long without use.
    package static let browserLifetime = Duration.seconds(12 * 3600),
        browserIdle = Duration.seconds(3600)

    /// Begins the sign-in of a browser itself. It opens apps and the account pages, and has no
    /// tokens.
    ///
    /// - Parameters:
    ///   - former: The browser's previous sign-in and its user. It ends, and the sign-ins of apps stay.
    ///   - isGood: Evaluated in the transaction that stores the sign-in.
    /// - Throws: ``OAuthError`` `invalid_grant` if the account changed since the proof.
    package func begin(
        _ grant: TokenGrantRecord, epoch: Int, inPlaceOf former: (id: GrantID, account: UserID)?,
        where isGood: @escaping @Sendable (Tables) throws -> Bool = { _ in true }
    ) async throws {
        let now = clock.now
        try await store.write { tables in
            guard try isGood(tables), try tables.account(grant.account, ofEpoch: epoch) != nil,
                try tables.insert(
                    grant, epoch: epoch, "browser.signed_in", actor: "user", at: now)
            else { throw Self.refused }
            guard let former, try tables.grants.revoke(former.id, of: former.account, at: now)
            else { return }
            try tables.audit.append(
                AuditEvent(
                    "browser.signed_out", actor: "user", account: former.account, app: nil,
                    detail: ["grant": .string(former.id.text)]), at: now)
        }
    }

    /// The lifetimes of a sign-in that begins now.
    ///
    /// A sign-in without refresh tokens ends with its access token. One from a browser is remembered
    /// for as long as the browser's own, so that a sign-out reaches the app, whose own session has
    /// no reason to end with a token.
    static func lifetimes(of signIn: SignIn, _ settings: AppSettings) -> TokenLifetimes {
        guard !signIn.scope.contains(Scope.offline) else { return settings.tokens }
        var lifetimes = settings.tokens.withoutRefresh
        if signIn.browser != nil {
            lifetimes.refreshSeconds = max(
                lifetimes.refreshSeconds, Int(browserLifetime.components.seconds))
        }
        return lifetimes
    }

    /// The user and app behind a page of this server.
    ///
    /// - Throws: ``OAuthError`` `invalid_token` if the sign-in has ended, `insufficient_scope`.
    func caller(of page: PageSignIn, needed: Need) async throws -> Caller {
        let now = clock.now
        let found = try await store.read {
            tables -> (TokenGrantRecord, AccountRecord, AppParty?)? in
            guard let grant = try tables.grants.find(page.grant),
                grant.family.status(at: now) == .live,
                let account = try tables.accounts.find(grant.account), account.state == .active
            else { return nil }
            return (grant, account, try tables.apps.party(of: page.app))
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
        return Caller(account: account, app: page.app, grant: grant, scope: grant.scope)
    }
}
