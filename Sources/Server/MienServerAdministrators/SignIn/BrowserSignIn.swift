internal import HTTPTypes
internal import Hummingbird
internal import MienAccess
internal import MienCore
internal import MienServerAccess
internal import MienStore

/// A sign-in that begins in a browser: the secrets that its cookies get, and what they replace.
///
/// Both secrets are drawn here, so that nobody can plant one in a browser and use it once an
/// administrator has signed in there.
struct BrowserSignIn: Sendable {
    let session: AdministratorSession
    private let secret, browser: [UInt8]
    private let hash: [UInt8]
    let browserHash: [UInt8]
    /// The session that the browser had before.
    private let replaced: [UInt8]?

    /// - Parameter knownBrowser: The secret in the browser's cookie, if this administrator has
    ///   signed in with it before.
    init(
        _ admin: AdminID, _ method: AdministratorSession.Method, knownBrowser: [UInt8]?,
        replacing replaced: [UInt8]?, _ keys: StoreKeys, at now: Instant
    ) {
        var generator = SystemRandomNumberGenerator()
        session = AdministratorSession(admin: admin, method: method, signedInAt: now)
        secret = generator.bytes(AdminCookies.size)
        browser = knownBrowser ?? generator.bytes(AdminCookies.size)
        (hash, browserHash) = (keys.hash(ofSecret: secret), keys.hash(ofSecret: browser))
        self.replaced = replaced.map { keys.hash(ofSecret: $0) }
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
            HTTPField(name: .setCookie, value: cookies.set(.browser, browser)))
        response.headers[.cacheControl] = "no-store"
    }
}

/// The cookies that a request of the portal has.
struct PortalCookies: Sendable {
    let session, browser: [UInt8]?

    init(_ request: Request, _ cookies: AdminCookies) {
        session = cookies.secret(.session, request)
        browser = cookies.secret(.browser, request)
    }
}
