internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// A sign-in that begins in a browser: the secrets that its cookies get, and what they replace.
///
/// Both secrets are drawn here, so that nobody can plant one in a browser and use it once an
/// administrator has signed in there.
struct BrowserSignIn: Sendable {
    let session: AdministratorSession
    private let secret: [UInt8]
    /// The browser's secret for this administrator, then those for others.
    private let browserSecrets: [[UInt8]]
    private let hash: [UInt8]
    let browserHash: [UInt8]
    /// The session that the browser had before.
    private let replaced: [UInt8]?

    /// - Parameters:
    ///   - known: The hash of the browser's secret with which this administrator has signed in
    ///     before.
    ///   - cookies: What the browser sent.
    init(
        _ admin: AdminID, _ method: AdministratorSession.Method, known: [UInt8]? = nil,
        _ cookies: PortalCookies, _ keys: StoreKeys, at now: Instant
    ) {
        var generator = SystemRandomNumberGenerator()
        session = AdministratorSession(admin: admin, method: method, signedInAt: now)
        secret = generator.bytes(AdminCookies.size)
        let own =
            cookies.browsers.first { keys.hash(ofSecret: $0) == known }
            ?? generator.bytes(AdminCookies.size)
        // Keep the secrets of other administrators who use the same browser.
        let others = cookies.browsers.filter { $0 != own }
        browserSecrets = [own] + others.prefix(AdminCookies.maxBrowserSecrets - 1)
        (hash, browserHash) = (keys.hash(ofSecret: secret), keys.hash(ofSecret: own))
        replaced = cookies.session.map { keys.hash(ofSecret: $0) }
    }

    func store(in tables: Tables, at now: Instant) throws {
        if let replaced { try tables.adminSessions.remove(replaced) }
        try tables.adminSessions.insert(session, hash: hash)
        try tables.audit.append(
            AuditEvent(
                "administrator.signed-in", actor: session.admin.text,
                detail: ["method": .string(session.method.rawValue)]), at: now)
    }

    func setCookies(_ cookies: AdminCookies, in response: inout Response) {
        response.headers.append(
            HTTPField(name: .setCookie, value: cookies.set(.session, secret)))
        response.headers.append(
            HTTPField(
                name: .setCookie, value: cookies.set(.browser, Array(browserSecrets.joined()))))
        response.headers[.cacheControl] = "no-store"
    }
}

/// The cookies that a request of the portal has.
struct PortalCookies: Sendable {
    let session: [UInt8]?
    let browsers: [[UInt8]]

    init(_ request: Request, _ cookies: AdminCookies) {
        session = cookies.secret(.session, request)
        browsers = cookies.browserSecrets(request)
    }

    /// The hashes of the browser's secrets.
    func browserHashes(_ keys: StoreKeys) -> [[UInt8]] {
        browsers.map { keys.hash(ofSecret: $0) }
    }
}
