import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienStore
import Synchronization
import Testing

@testable import MienServer

/// A browser with the admin portal open: it keeps cookies, and sends what the portal's pages send.
final class PortalBrowser: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let body: JSONValue

        var code: String? { body["code"]?.stringValue }
    }

    let server: TestServer
    private let kept = Mutex<[String: String]>([:])

    init(_ server: TestServer) { self.server = server }

    var cookies: [String: String] {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    /// The header `cookie` that the browser would send.
    var cookieHeader: String {
        cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    /// - Parameter headers: In place of those that the portal's pages send.
    @discardableResult
    func send(
        _ method: HTTPTransportRequest.Method, _ path: String, _ body: JSONValue? = nil,
        headers: [String: String] = ["mien-portal": "1", "sec-fetch-site": "same-origin"]
    ) async throws -> Answer {
        var headers = headers
        if body != nil { headers["content-type"] = "application/json" }
        if !cookies.isEmpty { headers["cookie"] = cookieHeader }
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: server.adminAddress + path, headers: headers,
                body: body.map { Array(JSONText.write($0).utf8) } ?? [], timeout: .seconds(60)))
        for match in (answer.headers["set-cookie"] ?? "").matches(
            of: /(?:^|, )([a-zA-Z_-]+)=([^;]*);[^,]*?Max-Age=(\d+)/)
        {
            let (name, value) = (String(match.1), String(match.2))
            kept.withLock { $0[name] = match.3 == "0" ? nil : value }
        }
        return Answer(
            status: answer.status, headers: answer.headers,
            body: answer.body.isEmpty
                ? .null
                : try JSONText.parse(answer.body, limits: .init(maxBytes: 1 << 20, maxDepth: 32)))
    }

    // MARK: Setting up

    static let password = "correct horse battery"

    /// The code of a link, after `#`.
    static func code(of link: Sensitive<String>) -> String {
        link.use { String($0.split(separator: "#").last ?? "") }
    }

    /// Sets up a password and an authenticator app with a code, and returns the app's secret.
    @discardableResult
    func setUp(_ kind: String = "setup", code: String, name: String? = nil) async throws
        -> OTPSecret
    {
        let options = try await send(
            .post, "/v1/administrator/\(kind)/options", ["code": .string(code)])
        let secret = try OTPSecret(
            base32: try #require(options.body["authenticator_app"]?["secret"]?.stringValue))
        var body: [String: JSONValue] = [
            "code": .string(code), "password": .string(Self.password),
            "one_time_code": .string(try oneTimeCode(secret)),
        ]
        if let name { body["name"] = .string(name) }
        let answer = try await send(.post, "/v1/administrator/\(kind)", .object(body))
        try #require(answer.status == 204, "\(answer)")
        return secret
    }

    func oneTimeCode(_ secret: OTPSecret) throws -> String {
        try TOTP().code(at: server.time.now, with: secret).text
    }

    func signIn(
        _ name: String, _ secret: OTPSecret, password: String = PortalBrowser.password,
        code: String? = nil
    ) async throws -> Answer {
        try await send(
            .post, "/v1/administrator/session",
            [
                "name": .string(name), "password": .string(password),
                "code": .string(try code ?? oneTimeCode(secret)),
            ])
    }

    /// The status of a request for who is signed in.
    func me() async throws -> Int { try await send(.get, "/v1/administrator").status }
}

extension TestServer {
    /// The code of the first start.
    var setupCode: String {
        get throws { PortalBrowser.code(of: try #require(server.firstStart).setupCode.link) }
    }

    /// A browser in which the first administrator has set up a password and an authenticator app.
    func owner(named name: String = "Ada") async throws -> (PortalBrowser, OTPSecret) {
        let browser = PortalBrowser(self)
        let secret = try await browser.setUp(code: try setupCode, name: name)
        // The code that set the app up signs nobody in.
        time.advance(.seconds(30))
        return (browser, secret)
    }

    /// A browser in which an invited administrator has accepted.
    func invited(_ name: String, as role: AdminRole) async throws -> (PortalBrowser, OTPSecret) {
        let made = try await admin.inviteAdministrator(name, as: role)
        let browser = PortalBrowser(self)
        let secret = try await browser.setUp(
            "invitation", code: PortalBrowser.code(of: Sensitive(try #require(made.link))))
        time.advance(.seconds(30))
        return (browser, secret)
    }

    /// Creates an administrator with a credential, and a client that uses it.
    func admin(as role: AdminRole) async throws -> (AdministratorAnswer, MienAdmin) {
        let made = try await admin.createAdministrator("Another", as: role)
        let client = try MienAdmin(
            MienOptions(serverPath: adminAddress, retry: RetryPolicy(attempts: 1)),
            credential: Sensitive(try #require(made.credential)))
        return (made, client)
    }

    /// The cookies of a new session of an administrator with a role, who is made for it if there is
    /// none yet.
    func session(of role: AdminRole, age: Duration = .zero) async throws -> [String: String] {
        let name = "Cookie \(role.rawValue)", now = time.now
        let store = server.parts.store
        let id = AdminID("adm_cookie_\(role.rawValue)")!
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let session = AdministratorSession(
            admin: id, method: .passkey, signedInAt: now - age, usedAt: now)
        let hash = store.keys.hash(ofSecret: secret)
        try await store.write { tables in
            if try tables.admins.find(id) == nil {
                try tables.admins.insert(
                    AdminRecord(id: id, name: name, role: role, createdAt: now), tokenHash: nil)
            }
            try tables.adminSessions.insert(session, hash: hash)
        }
        return ["mien-admin": Base64URL.encode(secret)]
    }

    /// The events of administrators in the audit log, with the reason of refusals.
    func administratorEvents() async throws -> [String] {
        try await admin.audit().items.filter { $0.event.hasPrefix("administrator.") }.map {
            [$0.event, $0.detail["reason"]?.stringValue].compactMap { $0 }.joined(separator: " ")
        }
    }
}
