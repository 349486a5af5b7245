import MienAPI
import MienClient
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienServer

/// Requests that reach one of two whole servers while the other one changes what both keep in memory.
@Suite(
    "Requests on what another server has changed", .timeLimit(.minutes(10)),
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason),
    .enabled(if: OpenSSL.isThere, OpenSSL.reason))
struct SharedRequestTests {
    private static let app = AppID("default_application")!, journey = JourneyID("hello")!

    /// Publishes a journey of three pages, each of which shows the version.
    private static func publish(_ version: Int, at server: TestServer) async throws {
        let pages = (1...3).map { page in
            """
            "p\(page)": {"type": "information", "config": {"text": "\(version).\(page)"},
              "on": {"next": "\(page == 3 ? "done" : "p\(page + 1)")"}}
            """
        }
        let text = """
            {"id": "hello", "version": \(version), "title": "Hello", "start": "p1", "steps": {
              \(pages.joined(separator: ",")),
              "done": {"type": "complete_journey", "config": {"user_auth_state": "none"}}}}
            """
        _ = try await server.admin.putJourney(
            journey, version: version, definition: Array(text.utf8))
        _ = try await server.admin.publishJourney(journey, version: version)
    }

    private static func start(_ server: TestServer) async throws -> (status: Int, body: JSONValue) {
        try await server.send(
            .post, "/v1/journeys/hello/start", #"{"client_id": "default_application"}"#)
    }

    private static func respond(_ answer: JSONValue, _ server: TestServer) async throws -> (
        status: Int, body: JSONValue
    ) {
        try await server.send(
            .post, "/v1/journeys/respond",
            JSONText.write(["state": answer["state"] ?? .null, "option": "client_input"]))
    }

    private static func page(_ answer: JSONValue) -> String? {
        answer["data"]?["text"]?.stringValue
    }

    @Test("a journey that one server publishes or withdraws starts so at the other at once")
    func journeys() async throws {
        try await WholeServers().run { first, second in
            for version in 1...4 {
                try await Self.publish(version, at: version % 2 == 0 ? first : second)
                for server in [second, first, second] {
                    try await #expect(Self.page(Self.start(server).body) == "\(version).1")
                }
            }
            _ = try await first.admin.retireJourney(Self.journey, version: 4, force: true)
            try await #expect(Self.start(second).status == 404)
        }
    }

    @Test("a run goes on at any server, and each state counts once")
    func runs() async throws {
        try await WholeServers().run { first, second in
            try await Self.publish(1, at: first)
            let began = try await Self.start(second).body
            // The second server keeps the run as it was.
            let stepped = try await Self.respond(began, first).body
            #expect(Self.page(stepped) == "1.2")
            let repeated = try await Self.respond(began, second).body
            #expect(repeated == stepped, "the same answer, byte for byte")
            let onward = try await Self.respond(stepped, second).body
            #expect(Self.page(onward) == "1.3")
            // The first one keeps an older revision than the second.
            let other = try await first.send(
                .post, "/v1/journeys/respond",
                JSONText.write(["state": stepped["state"] ?? .null, "option": "cancel"]))
            #expect(other.status == 400 || other.status == 409, "\(other)")
            let ends = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        try await Self.respond(onward, [first, second][index % 2]).body
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let done = ends.filter { $0["journey_step_id"] == "success" }
            #expect(!done.isEmpty && done.allSatisfy { $0["token"] == done[0]["token"] })
        }
    }

    @Test("an app that one server deletes gets nothing from the other")
    func apps() async throws {
        try await WholeServers().run { first, second in
            try await Self.publish(1, at: first)
            let run = try await Self.start(second).body
            try await second.makeUser()
            let client = TokenClient(server: second)
            var tokens = try await client.signIn()
            for _ in 0..<3 {
                tokens = try await client.refresh(tokens["refresh_token"])
                #expect(tokens.status == 200, "\(tokens.body)")
            }
            try await first.admin.deleteApp(Self.app)
            let refused = try await client.refresh(tokens["refresh_token"])
            #expect(refused.status == 401 && refused.error == "invalid_client", "\(refused.body)")
            try await #expect(Self.start(second).status == 401)
            try await #expect(Self.respond(run, second).status >= 400)
        }
    }

    @Test("a refresh token that two servers get at once has one successor, and later use ends all")
    func refreshes() async throws {
        try await WholeServers().run { first, second in
            try await first.makeUser()
            let clients = [TokenClient(server: first), TokenClient(server: second)]
            let begun = try await clients[0].signIn()
            let token = begun["refresh_token"]
            let answers = try await withThrowingTaskGroup(of: TokenClient.Answer.self) { group in
                for index in 0..<8 {
                    group.addTask { try await clients[index % 2].refresh(token) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.body))")
            #expect(Set(answers.map { $0["refresh_token"] }).count == 1)
            let next = try await clients[1].refresh(answers[0]["refresh_token"])
            #expect(next.status == 200)
            #expect(try await clients[0].refresh(token).error == "invalid_grant")
            #expect(try await clients[1].refresh(next["refresh_token"]).error == "invalid_grant")
            let events = try await first.admin.audit().items.filter { $0.event == "tokens.reused" }
            #expect(!events.isEmpty)
        }
    }
}
