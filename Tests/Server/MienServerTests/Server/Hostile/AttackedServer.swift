import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// A real `mien serve` for attacks: a host name that browsers accept, high limits, and emails in a
/// folder.
struct AttackedServer: ServerUnderTest {
    static let password = "a password nobody has"
    static let app = AppID("default_application")!

    let process: ServeProcess
    let credential: Sensitive<String>
    let admin: MienAdmin
    let issuer: String
    let outbox: URL

    var address: String { process.address }
    var adminAddress: String { process.adminAddress }
    var now: Instant { process.now }
    var tokens: TokenClient { TokenClient(server: self) }

    func client(
        _ devices: any DeviceTokenStorage = MemoryDeviceTokens(),
        app: String = "default_application"
    ) throws -> JourneyClient {
        try process.client(devices, app: app)
    }

    /// High limits, so that the tests show what holds without them.
    static let limits = [
        "MIEN_LIMIT_GUESSES_PER_MINUTE": "100000", "MIEN_LIMIT_STARTS_PER_MINUTE": "1000000",
        "MIEN_LIMIT_REQUESTS_PER_MINUTE": "1000000",
    ]

    static func start(
        in scratch: ScratchFolder, _ settings: [String: String] = [:],
        publicURL: String? = SoftwarePasskey.origin,
        credential: Sensitive<String>? = nil, clock: ProcessClock? = nil,
        program: URL = ServeProcess.program
    ) async throws -> AttackedServer {
        let outbox = scratch("outbox")
        var all = limits.merging(["MIEN_MAIL_OUTBOX": outbox.path]) { $1 }
        all["MIEN_PUBLIC_URL"] = publicURL
        let process = try await ServeProcess.start(
            in: scratch, all.merging(settings) { $1 }, clock: clock, program: program)
        let credential = try #require(process.credential ?? credential)
        return AttackedServer(
            process: process, credential: credential, admin: try process.admin(credential),
            issuer: publicURL ?? process.address, outbox: outbox)
    }

    @discardableResult
    func makeUser(_ name: String, password: String = password) async throws -> UserID {
        let user = try await admin.createUser(
            UserRequest(username: name, email: "\(name)@example.org", password: password))
        return try #require(UserID(user.id))
    }

    /// Returns the tokens of a new sign-in.
    func signIn(_ name: String, app: String = "default_application", key: SoftwareSigner? = nil)
        async throws -> TokenClient.Answer
    {
        let tokens = try await TokenClient(server: self, app: app, key: key).signIn(
            name, password: Self.password)
        try #require(tokens.status == 200, "\(tokens.body)")
        return tokens
    }

    /// Returns the token of a completed journey, before it is exchanged.
    func journeyToken(_ name: String, app: String = "default_application") async throws -> String {
        let journey = try await client(app: app).start("password-login")
        try await journey.respond(
            "password", ["username": .string(name), "password": .string(Self.password)])
        guard case .success(let token) = await journey.outcome() else { throw CancellationError() }
        return token.use { $0 }
    }

    // MARK: Journeys over the wire

    func start(_ journey: String, app: String = "default_application") async throws -> (
        status: Int, body: JSONValue
    ) {
        try await sendJSON(
            .post, "/v1/journeys/\(journey)/start", body: #"{"client_id": "\#(app)"}"#)
    }

    static func response(_ state: String, _ option: String, _ data: [String: JSONValue] = [:])
        -> String
    {
        var body: [String: JSONValue] = ["state": .string(state), "option": .string(option)]
        if !data.isEmpty { body["data"] = .object(data) }
        return JSONText.write(.object(body))
    }

    func respond(_ state: String, _ option: String, _ data: [String: JSONValue] = [:]) async throws
        -> (status: Int, body: JSONValue)
    {
        try await sendJSON(.post, "/v1/journeys/respond", body: Self.response(state, option, data))
    }

    /// Publishes the only version of a journey.
    func publish(_ id: String, start: String = "form", needsUser: Bool = false, steps: String)
        async throws
    {
        let text =
            #"{"id": "\#(id)", "version": 1, "title": "\#(id)", "start": "\#(start)", "requires_user": \#(needsUser), "steps": {\#(steps)}}"#
        _ = try await admin.putJourney(JourneyID(id)!, version: 1, definition: Array(text.utf8))
        _ = try await admin.publishJourney(JourneyID(id)!, version: 1)
    }

    /// Publishes journeys whose last step requests a mailed code or an OTP token's code.
    func publishCodeJourneys() async throws {
        let end = #""done": {"type": "complete_journey"}, "no": {"type": "reject_access"}"#
        func steps(_ step: String) -> String {
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "email_code"}], "output_variable": "form"}, "on": {"email_code": "code"}},
            "code": {"type": "\(step)", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}}, \(end)
            """
        }
        try await publish("mailed-code", steps: steps("email_otp_authentication"))
        try await publish("token-code", steps: steps("authenticate_otp"))
    }

    /// Starts one of ``publishCodeJourneys()`` and returns its state at the code step.
    func waitingForCode(_ journey: String, of name: String) async throws -> String {
        let state = try #require(try await start(journey).body["state"]?.stringValue)
        let asked = try await respond(state, "email_code", ["user_identifier": .string(name)])
        return try #require(asked.body["state"]?.stringValue, "\(asked.body)")
    }

    /// The server ended while a client waited for it.
    struct Ended: Error {}

    /// Waits for an email to `name` and returns the code in it.
    ///
    /// - Throws: ``Ended`` if the server ends before it has sent the email, as when a test kills it.
    func mailedCode(to name: String) async throws -> String {
        let code = try await Patience.see {
            try takeCode(to: name)
        } until: {
            $0 != nil || !process.isRunning
        }
        if code == nil, !process.isRunning { throw Ended() }
        return try #require(code, "no email to \(name) has a code")
    }

    private func takeCode(to name: String) throws -> String? {
        let mails =
            (try? FileManager.default.contentsOfDirectory(
                at: outbox, includingPropertiesForKeys: nil)) ?? []
        for mail in mails where mail.pathExtension == "eml" {
            // Another test client may have removed the file.
            guard let text = try? String(contentsOf: mail, encoding: .utf8) else { continue }
            if !text.contains("Your code is") {
                // Delete notices, because they pile up and every reader reads every email.
                try? FileManager.default.removeItem(at: mail)
                continue
            }
            guard text.contains("\(name)@example.org"),
                let code = text.firstMatch(of: /Your code is (\d+)/)?.1
            else { continue }
            try? FileManager.default.removeItem(at: mail)
            return String(code)
        }
        return nil
    }

    // MARK: The sign-in page

    static let redirect = "https://app.example.org/back"
    static let verifier = String(repeating: "v", count: 43)

    /// Creates an app whose users sign in on the page.
    func makePageApp(_ id: String) async throws {
        _ = try await admin.createApp(
            AppRequest(
                id: id, name: id,
                settings: ["redirect_uris": [.string(Self.redirect)], "sign_in_page": true]))
    }

    static func authorization(_ app: String, _ changed: [String: String?] = [:]) -> String {
        var all: [String: String?] = [
            "response_type": "code", "client_id": app, "redirect_uri": redirect,
            "scope": "openid offline_access",
            "code_challenge": Base64URL.encode(SHA256.hash(data: Data(verifier.utf8))),
            "code_challenge_method": "S256",
        ]
        all.merge(changed) { $1 }
        return "/oauth2/authorize?"
            + all.compactMap { name, value in
                value.map {
                    "\(name)=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
                }
            }
            .sorted().joined(separator: "&")
    }

    /// Submits the sign-in page of ``makePageApp(_:)``.
    func authorizationCode(_ name: String, app: String) async throws -> String {
        let back = try await PageBrowser(address).signIn(
            Self.authorization(app), name: name, password: Self.password)
        return try #require(back.parameters["code"], "\(back.status)")
    }

    func events(_ event: String, of user: UserID? = nil) async throws -> Int {
        var count = 0, after = 0
        while true {
            let page = try await admin.audit(after: after, user: user)
            count += page.items.count { $0.event == event }
            guard let next = page.next.flatMap({ Int($0) }) else { return count }
            after = next
        }
    }
}
