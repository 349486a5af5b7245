import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

@Suite("Runs of deleted accounts", .enabled(if: Installed.isThere, Installed.reason))
struct DeletedAccountRunTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let password = "a password nobody has"

    /// Publishes a journey that stops after the password, and after a name that nobody has proved.
    private static func publish(by admin: MienAdmin) async throws {
        let text = """
            {"id": "wait", "version": 1, "title": "Wait", "start": "form", "steps": {
              "form": {"type": "login_form", "config": {"branches": [{"id": "password"}, {"id": "email_code"}],
                "output_variable": "form"}, "on": {"password": "check", "email_code": "code"}},
              "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
                "failure_behavior": "abort"}, "on": {"success": "page"}},
              "code": {"type": "email_otp_authentication", "config": {"user_identifier": "form.user_identifier"},
                "on": {"success": "page", "failure": "no"}},
              "page": {"type": "information", "config": {"text": "Wait"}, "on": {"next": "done"}},
              "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}
            """
        _ = try await admin.putJourney(
            JourneyID("wait")!, version: 1, definition: Array(text.utf8))
        _ = try await admin.publishJourney(JourneyID("wait")!, version: 1)
    }

    private static func respond(
        _ server: TestServer, _ state: String, _ option: String, _ data: JSONValue = .null
    ) async throws -> (status: Int, body: JSONValue) {
        try await server.send(
            .post, "/v1/journeys/respond",
            JSONText.write(["state": .string(state), "option": .string(option), "data": data]))
    }

    /// Starts a run and gives the first answer.
    ///
    /// - Returns: Its ID, and the state after the answer.
    private static func begin(_ server: TestServer, _ option: String, _ data: JSONValue)
        async throws -> (InstanceID, String)
    {
        let started = try await server.send(
            .post, "/v1/journeys/wait/start", #"{"client_id": "default_application"}"#)
        let first = try #require(started.body["state"]?.stringValue, "\(started)")
        let next = try await respond(server, first, option, data)
        let state = try #require(next.body["state"]?.stringValue, "\(next)")
        let id = try #require(state.split(separator: ".").first.flatMap { InstanceID(String($0)) })
        return (id, state)
    }

    @Test(
        "a run of a signed-in user ends with the account, in the store and in memory",
        arguments: [true, false])
    func deleted(byUser: Bool) async throws {
        try await TestServer.run(in: scratch) { server in
            try await Self.publish(by: server.admin)
            let made = try await server.admin.createUser(
                UserRequest(
                    username: "ada", email: "ada@example.org", password: Self.password))
            let user = try #require(UserID(made.id)), store = server.server.parts.store
            let (run, state) = try await Self.begin(
                server, "password",
                ["username": "ada", "password": .string(Self.password)])
            #expect(try await store.read { try $0.runs.find(run) }?.account == user)
            let exported = try await store.read { tables in
                try tables.export.counts(of: user)["journey_runs"]
            }
            #expect(exported == 1)
            if byUser {
                let tokens = try await TokenClient(server: server).signIn(
                    "ada", password: Self.password)
                let access = try #require(tokens["access_token"])
                #expect(
                    try await server.status(
                        .delete, "/v1/me", headers: ["authorization": "Bearer \(access)"]) == 204)
            } else {
                try await server.admin.deleteUser(user)
            }
            #expect(try await store.read { try $0.runs.find(run) } == nil)
            let answer = try await Self.respond(server, state, "next")
            #expect(
                answer.status == 410 && answer.body["code"] == "no_active_journey", "\(answer)")
            await server.server.sweep()
            #expect(!server.server.parts.journeys.recent.ids.contains(run))
        }
    }

    /// Otherwise, a stranger who guesses a name would learn from the end of the run that it existed.
    @Test("a run in which a stranger only named the account goes on as for an unknown name")
    func named() async throws {
        try await TestServer.run(in: scratch) { server in
            try await Self.publish(by: server.admin)
            let made = try await server.admin.createUser(
                UserRequest(username: "ada", email: "ada@example.org"))
            let user = try #require(UserID(made.id)), store = server.server.parts.store
            let (known, state) = try await Self.begin(
                server, "email_code", ["user_identifier": "ada@example.org"])
            let (unknown, other) = try await Self.begin(
                server, "email_code", ["user_identifier": "eve@example.org"])
            #expect(try await store.read { try $0.runs.find(known) }?.account == nil)
            try await server.admin.deleteUser(user)
            var answers: [(Int, JSONValue?)] = []
            for state in [state, other] {
                let answer = try await Self.respond(
                    server, state, "client_input", ["passcode": "000000"])
                answers.append((answer.status, answer.body["journey_step_id"]))
            }
            #expect(answers[0] == answers[1], "\(answers)")
            for run in [known, unknown] {
                #expect(try await store.read { try $0.runs.find(run) } != nil)
            }
        }
    }
}
