import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// The steps with which things begin to wait, and are answered.
struct WaitingSteps: Sendable {
    static let password = "a password nobody has"

    let server: TestServer

    var outbox: Outbox { Outbox(data: server.folder) }

    /// Publishes a journey that mails a code, one that waits after a password or a code, and one that
    /// asks a phone to approve a transaction.
    func publish() async throws {
        let form = """
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}, {"id": "email_code"}],
              "output_variable": "form"}, "on": {"password": "check", "email_code": "code"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
              "failure_behavior": "abort"}, "on": {"success": "NEXT"}},
            "code": {"type": "email_otp_authentication", "config": {"user_identifier": "form.user_identifier",
              "failure_behavior": "abort"}, "on": {"success": "NEXT"}},
            "page": {"type": "information", "config": {"text": "Wait"}, "on": {"next": "done"}},
            "done": {"type": "complete_journey"}
            """
        let ask = """
            , "ask": {"type": "transaction_approval_otp", "config": {"approval_data": {"amount": "'120.50'"}},
              "on": {"success": "done", "failure": "no"}}, "no": {"type": "reject_access"}
            """
        for (id, next) in [("code", "done"), ("wait", "page"), ("pay", "ask")] {
            let text =
                #"{"id": "\#(id)", "version": 1, "title": "T", "start": "form", "steps": {"#
                + form.replacing("NEXT", with: next) + (next == "ask" ? ask : "") + "}}"
            let journey = JourneyID(id)!
            _ = try await server.admin.putJourney(
                journey, version: 1, definition: Array(text.utf8))
            _ = try await server.admin.publishJourney(journey, version: 1)
        }
    }

    func start(_ journey: String, in app: String, organization: String? = nil)
        async throws -> String
    {
        var body: [String: JSONValue] = ["client_id": .string(app)]
        body["organization"] = organization.map { .string($0) }
        let started = try await server.send(
            .post, "/v1/journeys/\(journey)/start", JSONText.write(.object(body)))
        return try #require(started.body["state"]?.stringValue, "\(started)")
    }

    func respond(_ state: String, _ option: String, _ data: JSONValue = .null)
        async throws -> JSONValue
    {
        try await server.send(
            .post, "/v1/journeys/respond",
            JSONText.write(["state": .string(state), "option": .string(option), "data": data])
        ).body
    }

    /// Answers a form with a name and the password.
    func password(
        _ journey: String, in app: String, of name: String = "ada", organization: String? = nil
    ) async throws -> JSONValue {
        try await respond(
            start(journey, in: app, organization: organization), "password",
            ["username": .string(name), "password": .string(Self.password)])
    }

    /// A code that was mailed, and the state of the run that waits for it.
    struct Mailed: Sendable {
        let state, code: String
    }

    /// Lets a code be mailed to the user of a name.
    func beginCode(_ journey: String, in app: String, of name: String = "ada") async throws
        -> Mailed
    {
        // Mails of the same millisecond have no order.
        server.time.advance(.seconds(1))
        let earlier = try codes().count
        let asked = try await respond(
            start(journey, in: app), "email_code", ["user_identifier": .string(name)])
        try await eventually { try codes().count > earlier }
        return Mailed(
            state: try #require(asked["state"]?.stringValue, "\(asked)"),
            code: try #require(codes().last))
    }

    /// The codes in the mails that were sent, in their order.
    func codes() throws -> [String] {
        try outbox.mails().compactMap { $0.text.firstMatch(of: /Your code is (\d+)/) }
            .map { String($0.1) }
    }

    /// Makes recovery codes, which mails a link with which they are removed.
    ///
    /// - Returns: The link's code; `nil` if the sign-in is too weak for that.
    func removalLink(_ access: String?) async throws -> String? {
        // Mails of the same millisecond have no order.
        server.time.advance(.seconds(1))
        let words = "A set of recovery codes was added"
        let earlier = try outbox.mails().count { $0.text.contains(words) }
        let made = try await server.sendJSON(
            .post, "/v1/me/recovery-codes", body: "{}", access: access)
        guard made.status < 300 else { return nil }
        return try Outbox.code(in: await outbox.mail(with: words, earlier))
    }

    /// Follows such a link.
    ///
    /// - Returns: Whether it removed the codes.
    func follow(_ link: String) async throws -> Bool {
        try await TokenClient(server: server).post("/notices", [("code", link)]).status == 200
    }

    func enter(_ mailed: Mailed) async throws -> JSONValue {
        try await respond(mailed.state, "client_input", ["passcode": .string(mailed.code)])
    }

    /// Leaves the page on which a run waits.
    func goOn(_ answer: JSONValue) async throws -> JSONValue {
        try await respond(answer["state"]?.stringValue ?? "", "client_input")
    }

    func journeyToken(in app: String, of name: String = "ada", organization: String? = nil)
        async throws -> String
    {
        let answer = try await password(
            "password-login", in: app, of: name, organization: organization)
        return try #require(answer["token"]?.stringValue, "\(answer)")
    }

    /// Returns the account that a completed journey signed in.
    func signedIn(_ answer: JSONValue) throws -> UserID? {
        guard let token = answer["token"]?.stringValue else { return nil }
        return try TokenClient.claims(token)["sub"]?.stringValue.flatMap { UserID($0) }
    }

    func exchange(_ token: String, in app: String) async throws -> UserID? {
        try await account(
            of: TokenClient(server: server, app: app).token(
                TokenClient.exchange,
                [("subject_token", token), ("subject_token_type", TokenClient.jwt)]))
    }

    func redeem(_ code: String?, in app: String = "guest") async throws -> UserID? {
        guard let code else { return nil }
        return try await account(of: tokens(code, in: app))
    }

    /// Exchanges an authorization code.
    func tokens(_ code: String, in app: String) async throws -> TokenClient.Answer {
        try await TokenClient(server: server, app: app).token(
            "authorization_code",
            [
                ("code", code), ("redirect_uri", PagesTests.redirect),
                ("code_verifier", String(repeating: "v", count: 43)),
            ])
    }

    func account(of answer: TokenClient.Answer) throws -> UserID? {
        guard let token = answer["access_token"] else { return nil }
        return try TokenClient.claims(token)["sub"]?.stringValue.flatMap { UserID($0) }
    }

    /// Lets an administrator of an organization invite a name.
    ///
    /// - Returns: The invitation's ID; `nil` if the organization cannot invite the name.
    func invite(_ name: String, to organization: OrganizationID, by boss: String = "boss")
        async throws -> String?
    {
        try await OrganizationVisitor(boss, server).send(
            .post, "/organizations/\(organization.text)/invitations",
            ["identifier": .string(name)]
        ).body["id"]?.stringValue
    }

    /// Lets everybody try to accept an invitation.
    func accept(_ invitation: String) async throws -> UserID? {
        for account in try await server.admin.users().items {
            let visitor = try await OrganizationVisitor(account.username ?? "", server)
            if try await visitor.status(.post, "/invitations/\(invitation)") == 200 {
                return UserID(account.id)
            }
        }
        return nil
    }
}
