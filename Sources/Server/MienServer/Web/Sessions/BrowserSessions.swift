internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Keeps the sessions of browsers: who is signed in where, and which names a browser remembers.
///
/// A browser is told apart by a random cookie; a session has a random secret of its own that begins
/// with each sign-in, so that nobody can plant one. Only hashes are stored.
struct BrowserSessions: Sendable {
    /// The most people that a browser remembers.
    static let maxRemembered = 5
    /// How often the use of a session is noted.
    private static let touchInterval = Duration.seconds(300)

    let store: Store
    let grants: GrantService
    let clock: ServerClock
    let publicURL: @Sendable () -> String

    var cookies: BrowserCookies { BrowserCookies(isSecure: publicURL().hasPrefix("https://")) }

    // MARK: The browser

    /// A browser, new or known.
    struct Browser: Sendable {
        /// The value of its cookie.
        let secret: String
        let isNew: Bool
    }

    func browser(_ request: Request) -> Browser {
        if let known = cookies.value(.browser, request), Base64URL.decode(known)?.count == 24 {
            return Browser(secret: known, isNew: false)
        }
        var generator = SystemRandomNumberGenerator()
        return Browser(secret: Base64URL.encode(generator.bytes(24)), isNew: true)
    }

    /// Identifies a browser in stored records.
    func mark(of browser: Browser) -> String {
        Base64URL.encode(store.keys.hash(ofSecret: Array("browser \(browser.secret)".utf8)))
    }

    /// Proves that a form comes from a page that this browser got from this server.
    func csrf(of browser: Browser) -> String {
        Base64URL.encode(store.keys.hash(ofSecret: Array("csrf \(browser.secret)".utf8)))
    }

    /// Whether a request comes from a page of this server in this browser.
    ///
    /// - Parameter token: What the form or the script sent.
    func isOwn(_ request: Request, token: String?) -> Bool {
        guard let known = cookies.value(.browser, request), let token else { return false }
        let browser = Browser(secret: known, isNew: false)
        if let site = request.headers[HTTPField.Name("sec-fetch-site")!],
            !["same-origin", "none"].contains(site)
        {
            return false
        }
        if let origin = request.headers[.origin], origin != "null",
            origin != Self.origin(publicURL())
        {
            return false
        }
        return isSame(Array(token.utf8), Array(csrf(of: browser).utf8))
    }

    /// The origin of an address.
    static func origin(_ address: String) -> String {
        address.split(separator: "/", omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "/")
    }

    // MARK: Sessions

    /// A session that holds: its user is active, and nothing it rests on has changed.
    struct Found: Sendable {
        let hash: [UInt8]
        var session: BrowserSession
        let account: AccountRecord
    }

    func find(_ request: Request) async throws -> Found? {
        guard let hash = hash(request) else { return nil }
        let now = clock.now
        let found = try await store.read { tables -> (BrowserSession, AccountRecord)? in
            guard let record = try tables.web.find(.session, hash, at: now),
                let session = try? record.content.use({
                    try JSONDecoder().decode(BrowserSession.self, from: Data($0))
                }), session.expiresAt > now,
                let account = try tables.accounts.find(session.account), account.state == .active,
                try session.standing.holds(in: tables)
            else { return nil }
            return (session, account)
        }
        guard let (stored, account) = found else { return nil }
        var session = stored
        if now - session.usedAt > Self.touchInterval {
            session.usedAt = now
            try await write(session, hash)
        }
        return Found(hash: hash, session: session, account: account)
    }

    /// Begins a session, in place of the one that the browser had.
    ///
    /// - Parameter isGood: Evaluated in the transaction that begins the sign-in.
    /// - Returns: The value of its cookie.
    func begin(
        _ proof: PageProof, app: AppRecord, _ request: Request,
        where isGood: @escaping @Sendable (Tables) throws -> Bool = { _ in true }
    ) async throws -> String {
        // A third-party app must not hear of people who have not let it know them, not even when
        // they sign out.
        let holder = app.isFirstParty ? app : try await firstParty() ?? app
        let grant = try await makeGrant(proof, holder, keepsAlive: true, where: isGood)
        _ = try await end(nil, request)
        var generator = SystemRandomNumberGenerator()
        let secret = generator.bytes(32), now = clock.now
        try await write(
            BrowserSession(
                proof: proof, app: app.id, createdAt: now, usedAt: now, grant: grant,
                grants: [holder.id.text: grant]), store.keys.hash(ofSecret: secret))
        return cookies.set(.session, Base64URL.encode(secret))
    }

    private func firstParty() async throws -> AppRecord? {
        try await store.read { try $0.apps.all() }.first {
            $0.isFirstParty && $0.settings.hasSignInPage
        }
    }

    /// Ends the browser's session, and the sign-ins of its account pages.
    ///
    /// - Parameter account: Whose session to end; `nil` for anybody's.
    /// - Returns: Whether there was one.
    func end(_ account: UserID?, _ request: Request) async throws -> Bool {
        guard let hash = hash(request) else { return false }
        let now = clock.now
        let record = try await store.read { try $0.web.find(.session, hash, at: now) }
        guard let record,
            let session = try? record.content.use({
                try JSONDecoder().decode(BrowserSession.self, from: Data($0))
            }), account.map({ $0 == session.account }) ?? true
        else { return false }
        try await store.write { try $0.web.delete(.session, hash) }
        for (app, grant) in session.grants {
            guard let app = AppID(app) else { continue }
            try await grants.end(grant, of: session.account, app: app)
        }
        return true
    }

    /// Returns the grant with which the account pages of an app act for the user, making one if
    /// there is none.
    func grant(_ found: Found, app: AppRecord) async throws -> GrantID {
        let now = clock.now
        if let known = found.session.grants[app.id.text],
            try await store.read({ tables in
                try tables.grants.find(known)?.family.status(at: now) == .live
            })
        {
            return known
        }
        let session = found.session
        let id = try await makeGrant(session.proof, app, keepsAlive: false)
        var changed = session
        changed.grants[app.id.text] = id
        try await write(changed, found.hash)
        return id
    }

    /// Keeps the session in which the user changed the password, or ended all other sign-ins.
    ///
    /// - Parameter grant: The sign-in that made the change, which did not end.
    func keep(_ found: Found, grant: GrantID, app: AppID) async throws {
        let user = found.session.account
        guard
            let epoch = try await store.read({ try $0.accounts.standing(of: user)?.epoch })
        else { return }
        var session = found.session
        (session.proof.epoch, session.grant, session.grants) = (epoch, grant, [app.text: grant])
        try await write(session, found.hash)
    }

    /// - Parameter keepsAlive: Whether the grant outlives access tokens, for the session itself.
    private func makeGrant(
        _ proof: PageProof, _ app: AppRecord, keepsAlive: Bool,
        where isGood: @escaping @Sendable (Tables) throws -> Bool = { _ in true }
    ) async throws -> GrantID {
        var generator = SystemRandomNumberGenerator()
        let id = GrantID.random(using: &generator)
        var words = [Scope.openID, Scope.full]
        if keepsAlive { words.append(Scope.offline) }
        _ = try await grants.tokens(
            for: SignIn(
                account: proof.account, app: app, methods: proof.methods, at: proof.at,
                scope: Scope(words: words), epoch: proof.epoch, authenticator: proof.passkey,
                authenticators: proof.authenticators, isRecovery: proof.isRecovery, isPage: true),
            id: id, where: isGood)
        return id
    }

    private func hash(_ request: Request) -> [UInt8]? {
        cookies.value(.session, request).flatMap { Base64URL.decode($0) }.flatMap {
            $0.count == 32 ? store.keys.hash(ofSecret: $0) : nil
        }
    }

    private func write(_ session: BrowserSession, _ hash: [UInt8]) async throws {
        let record = WebRecord(
            .session, hash, account: session.account,
            content: Sensitive([UInt8](try JSONEncoder().encode(session))),
            expiresAt: session.createdAt + BrowserSession.lifetime)
        try await store.write(.process) { try $0.web.put(record) }
    }

    // MARK: Remembered people

    /// Remembers that a user signed in in this browser and wants to be offered again.
    func remember(_ account: UserID, _ browser: Browser) async throws {
        var accounts = try await remembered(browser).filter { $0 != account }
        accounts.insert(account, at: 0)
        try await write(Array(accounts.prefix(Self.maxRemembered)), browser)
    }

    func forget(_ account: UserID, _ browser: Browser) async throws {
        try await write(try await remembered(browser).filter { $0 != account }, browser)
    }

    private func remembered(_ browser: Browser) async throws -> [UserID] {
        let hash = store.keys.hash(ofSecret: Array("names \(browser.secret)".utf8)),
            now = clock.now
        let record = try await store.read { try $0.web.find(.browser, hash, at: now) }
        guard let record else { return [] }
        return (try? record.content.use { try JSONDecoder().decode([UserID].self, from: Data($0)) })
            ?? []
    }

    private func write(_ accounts: [UserID], _ browser: Browser) async throws {
        let record = WebRecord(
            .browser, store.keys.hash(ofSecret: Array("names \(browser.secret)".utf8)),
            content: Sensitive([UInt8](try JSONEncoder().encode(accounts))),
            expiresAt: clock.now + .seconds(Int64(BrowserCookies.Name.browser.seconds)))
        try await store.write(.process) { try $0.web.put(record) }
    }

    /// The people that this browser remembers and that still exist. Only IDs are stored, so an
    /// account that is deleted leaves no name behind.
    func people(_ browser: Browser) async throws -> [(id: UserID, name: String)] {
        guard !browser.isNew else { return [] }
        let accounts = try await remembered(browser)
        guard !accounts.isEmpty else { return [] }
        return try await store.read { tables in
            try accounts.compactMap { id in
                guard let account = try tables.accounts.find(id), account.state == .active else {
                    return nil
                }
                return account.shownName.map { (id, $0) }
            }
        }
    }
}

extension AccountRecord {
    /// The name by which a user knows the account: the user name or the verified address.
    var shownName: String? { profile.use { $0.username ?? $0.email ?? $0.externalID } }
}
