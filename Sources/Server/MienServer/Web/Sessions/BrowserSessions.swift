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
        let expiresAt: Instant
    }

    func find(_ request: Request) async throws -> Found? {
        guard let hash = hash(request) else { return nil }
        let now = clock.now
        let found = try await store.read {
            tables -> (BrowserSession, AccountRecord, TokenGrantRecord)? in
            guard let record = try tables.web.find(.session, hash, at: now),
                let session = Self.session(record),
                let grant = try tables.grants.find(session.proof.grant),
                grant.family.status(at: now) == .live,
                let account = try tables.accounts.find(session.account), account.state == .active,
                try session.standing.holds(in: tables)
            else { return nil }
            return (session, account, grant)
        }
        guard let (session, account, grant) = found else { return nil }
        try await grants.noteActivity(of: grant)
        return Found(
            hash: hash, session: session, account: account, expiresAt: grant.family.expiresAt)
    }

    private static func session(_ record: WebRecord) -> BrowserSession? {
        try? record.content.use { try JSONDecoder().decode(BrowserSession.self, from: Data($0)) }
    }

    /// Begins a session, in place of the one that the browser had.
    ///
    /// - Parameters:
    ///   - app: The app whose journey signed the user in.
    ///   - isGood: Evaluated in the transaction that begins the sign-in.
    /// - Returns: The value of its cookie.
    func begin(
        _ proof: PageProof, app: AppID, _ browser: Browser, _ request: Request,
        where isGood: @escaping @Sendable (Tables) throws -> Bool = { _ in true }
    ) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let secret = generator.bytes(32), now = clock.now
        let former = try await held(request)
        let family = RefreshFamily(
            generation: 0, createdAt: now, expiresAt: now + GrantService.browserLifetime,
            usedAt: now, idle: GrantService.browserIdle, revokedAt: nil)
        let grant = TokenGrantRecord(
            id: proof.grant, account: proof.account, app: nil, authenticator: proof.passkey,
            nonce: generator.bytes(16), scope: Scope(words: [Scope.openID, Scope.full]),
            resources: [], methods: proof.methods, keyThumbprint: nil, signedInAt: proof.at,
            family: family, authenticators: proof.authenticators,
            newestProof: SignInProof(
                methods: proof.methods, at: proof.at, isRecovery: proof.isRecovery),
            browserMark: mark(of: browser, for: proof.account))
        try await grants.begin(
            grant, epoch: proof.epoch,
            inPlaceOf: former.map { ($0.session.proof.grant, $0.session.account) },
            where: isGood)
        if let former { try await store.write { try $0.web.delete(.session, former.hash) } }
        try await write(
            BrowserSession(proof: proof, app: app), store.keys.hash(ofSecret: secret),
            until: family.expiresAt)
        return cookies.set(.session, Base64URL.encode(secret))
    }

    /// Identifies a browser among the sign-ins of one account. Nothing tells that another account
    /// uses the same browser.
    private func mark(of browser: Browser, for account: UserID) -> [UInt8] {
        store.keys.hash(ofSecret: Array("sign-ins \(account.text) \(browser.secret)".utf8))
    }

    /// Ends the session of a browser and its own sign-in. The sign-ins of apps stay.
    ///
    /// - Returns: Whether there was one.
    func end(_ request: Request) async throws -> Bool {
        guard let (hash, session) = try await held(request) else { return false }
        try await store.write { try $0.web.delete(.session, hash) }
        _ = try await grants.end(
            SignOut(
                account: session.account, app: nil, grant: nil, browser: session.proof.grant,
                isOfBrowser: false))
        return true
    }

    /// The session of a request's cookie, even if its sign-in has ended.
    func held(_ request: Request) async throws -> (hash: [UInt8], session: BrowserSession)? {
        guard let hash = hash(request) else { return nil }
        let now = clock.now
        return try await store.read { try $0.web.find(.session, hash, at: now) }
            .flatMap { Self.session($0) }.map { (hash, $0) }
    }

    /// Keeps the session in which the user changed the password, or ended all other sign-ins.
    func keep(_ found: Found) async throws {
        let user = found.session.account
        guard
            let epoch = try await store.read({ try $0.accounts.standing(of: user)?.epoch })
        else { return }
        var session = found.session
        session.proof.epoch = epoch
        try await write(session, found.hash, until: found.expiresAt)
    }

    /// Notes that the user is about to prove more, for the account page of an app.
    func noteStepUp(for app: AppID, _ request: Request) async throws {
        guard let found = try await find(request), found.session.stepUpApp != app else { return }
        var session = found.session
        session.stepUpApp = app
        try await write(session, found.hash, until: found.expiresAt)
    }

    private func hash(_ request: Request) -> [UInt8]? {
        cookies.value(.session, request).flatMap { Base64URL.decode($0) }.flatMap {
            $0.count == 32 ? store.keys.hash(ofSecret: $0) : nil
        }
    }

    private func write(_ session: BrowserSession, _ hash: [UInt8], until end: Instant) async throws
    {
        let record = WebRecord(
            .session, hash, account: session.account,
            content: Sensitive([UInt8](try JSONEncoder().encode(session))), expiresAt: end)
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
