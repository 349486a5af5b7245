import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@Suite(
    "State tokens, expiry, and uniform answers", .enabled(if: Installed.isThere, Installed.reason))
struct JourneyProtocolTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    static func start(_ server: TestServer, _ journey: String = "password-login") async throws -> (
        status: Int, body: JSONValue
    ) {
        try await server.send(
            .post, "/v1/journeys/\(journey)/start", #"{"client_id": "default_application"}"#)
    }

    private static func respond(
        _ server: TestServer, _ state: JSONValue?, _ name: String, _ password: String
    ) async throws -> (
        status: Int, body: JSONValue
    ) {
        let body: JSONValue = [
            "state": state ?? .null, "option": "password",
            "data": ["username": .string(name), "password": .string(password)],
        ]
        return try await server.send(.post, "/v1/journeys/respond", JSONText.write(body))
    }

    private struct Answer: Sendable {
        let status: Int
        let body: String
    }

    @Test(
        "many submissions of one token advance the run once; a repeated one gets the same answer, another is refused"
    )
    func race() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let state = try await Self.start(server).body["state"]
            let answers = try await withThrowingTaskGroup(of: Answer.self) { tasks in
                for i in 0..<20 {
                    tasks.addTask {
                        let password =
                            i % 2 == 0 ? "a password nobody has" : "another password \(i)"
                        let answer = try await Self.respond(server, state, "ada", password)
                        return Answer(status: answer.status, body: JSONText.write(answer.body))
                    }
                }
                var answers: [Answer] = []
                for try await answer in tasks { answers.append(answer) }
                return answers
            }
            let bodies = Set(answers.filter { $0.status == 200 }.map(\.body))
            #expect(
                bodies.count == 1, "one submission won, and its repetitions got the same answer")
            #expect(answers.allSatisfy { $0.status == 200 || $0.status == 409 })
            let repeated = answers.count { $0.status == 200 }
            #expect(repeated == 1 || repeated == 10, "\(repeated)")
            let guesses = try await server.admin.audit().items.count {
                $0.event.hasPrefix("password.")
            }
            #expect(guesses == 1, "one guess was checked")
        }
    }

    @Test(
        "unknown, suspended, and locked users and wrong passwords get answers that differ only in their tokens"
    )
    func sameness() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser("ada")
            try await server.makeUser("locked")
            let suspended = try await server.makeUser("suspended")
            _ = try await server.admin.updateUser(suspended, UserRequest(state: .suspended))
            for _ in 1...5 {
                _ = try await Self.respond(
                    server, Self.start(server).body["state"], "locked", "wrong password")
            }
            var forms: Set<String> = []
            for (name, password) in [
                ("nobody", "a password nobody has"), ("ada", "wrong password"),
                ("locked", "a password nobody has"),
                ("suspended", "a password nobody has"),
            ] {
                let answer = try await Self.respond(
                    server, Self.start(server).body["state"], name, password)
                var body = try #require(answer.body.objectValue)
                #expect(body["state"]?.stringValue != nil)
                body["state"] = nil
                forms.insert("\(answer.status) \(JSONText.write(.object(body)))")
            }
            #expect(forms.count == 1)
        }
    }

    @Test("foreign, used, invented, and expired tokens are refused")
    func tokens() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let first = try await Self.start(server).body["state"],
                second = try await Self.start(server).body["state"]
            let parts = try #require(first?.stringValue).split(separator: "."),
                others = try #require(second?.stringValue).split(separator: ".")
            let mixed = JSONValue.string("\(parts[0]).\(others[1])")
            let foreign = try await [
                Self.respond(server, mixed, "ada", "x").status,
                Self.respond(server, "made up", "ada", "x").status,
            ]
            #expect(foreign.allSatisfy { $0 == 409 })
            let next = try await Self.respond(server, first, "ada", "wrong password").body["state"]
            _ = try await Self.respond(server, next, "ada", "wrong password")
            let old = try await Self.respond(server, first, "ada", "wrong password").status
            #expect(old == 409, "two answers ago")
            server.time.advance(.seconds(3601))
            let expired = try await Self.respond(server, second, "ada", "a password nobody has")
                .status
            await server.server.sweep()
            let swept = try await Self.respond(server, second, "ada", "a password nobody has")
                .status
            #expect(expired == 410 && swept == 410)
        }
    }

    @Test(
        "the error for invalid input says what is wrong and where",
        arguments: [
            (#"{"client_id": "default_application", "extra": 1}"#, 400, "extra"),
            (#"{"client_id": 5}"#, 400, "client_id"), ("[]", 400, ""),
            ("{", 400, ""),
            (#"{"client_id": "nope"}"#, 401, ""),
            (#"{"client_id":"default_application","client_id":"x"}"#, 400, ""),
            (
                #"{"client_id":"default_application","additional_params":"#
                    + String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
                    + "}", 400,
                ""
            ),
        ])
    func badInput(body: String, status: Int, field: String) async throws {
        try await TestServer.run(in: scratch) { server in
            let answer = try await server.send(.post, "/v1/journeys/password-login/start", body)
            #expect(answer.status == status)
            #expect(
                answer.body["detail"]?.stringValue?.isEmpty == false
                    && answer.body["code"]?.stringValue != nil)
            if !field.isEmpty {
                #expect(answer.body["errors"]?.arrayValue?.first?["field"]?.stringValue == field)
            }
        }
    }

    @Test("wrong methods, types, sizes, and addresses have their own errors")
    func edges() async throws {
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_BODY_BYTES": "2000"]) {
            server in
            let unknownJourney = try await server.status(
                .post, "/v1/journeys/nope/start", #"{"client_id": "default_application"}"#)
            #expect(unknownJourney == 404)
            let otherType = try await server.status(
                .post, "/v1/journeys/respond", headers: ["content-type": "text/plain"], "{}")
            #expect(otherType == 415)
            let large = try await server.status(
                .post, "/v1/journeys/respond", String(repeating: "x", count: 3000))
            #expect(large == 413)
            let nowhere = try await server.status(.get, "/nothing/here")
            #expect(nowhere == 404)
            let stranger = try await server.status(.get, "/v1/users")
            #expect(stranger == 401)
            let noToken = try await server.status(
                .post, "/v1/capture/frames", headers: ["content-type": "image/jpeg"], "x")
            #expect(noToken == 401)
        }
    }

    @Test("no secrets or personal data reach the log")
    func logs() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser("margarethe")
            let state = try #require(try await Self.start(server).body["state"]?.stringValue)
            _ = try await Self.respond(server, .string(state), "margarethe", "a wrong password")
            _ = try await server.send(
                .post, "/v1/journeys/password-login/start", #"{"client_id": "margarethe"}"#)
            let log = server.logs.text
            let credential = server.credential.use { $0 }
            for secret in [
                "margarethe", "a wrong password", "a password nobody has", state, credential,
                "example.org",
            ] {
                #expect(
                    !log.contains(secret),
                    "the log contains one of the \(secret.count)-character secrets")
            }
        }
    }

    @Test(
        "a second start keeps the credential, data, and keys of the first, and prints no new credential"
    )
    func restart() async throws {
        let time = HandClock()
        nonisolated(unsafe) var credential: Sensitive<String>?, keys: JSONValue = .null
        try await TestServer.run(in: scratch, time: time) { server in
            try await server.makeUser()
            unsafe credential = server.credential
            unsafe keys = try await server.send(.get, "/.well-known/jwks.json").body
        }
        let (known, before) = unsafe (credential, keys)
        // The password cost is higher now. The old hash still works and is replaced.
        try await TestServer.run(
            in: scratch, settings: ["MIEN_PASSWORD_PASSES": "2"], time: time, credential: known
        ) { server in
            #expect(server.server.firstStart == nil)
            let keys = try await server.send(.get, "/.well-known/jwks.json").body
            #expect(keys == before)
            let answer = try await Self.respond(
                server, Self.start(server).body["state"], "ada", "a password nobody has")
            #expect(answer.body["journey_step_id"] == "success")
            server.time.advance(.seconds(31 * 86_400))
            await server.server.sweep()
            let rotated = try await server.send(.get, "/.well-known/jwks.json").body["keys"]?
                .arrayValue?.count
            #expect(rotated == 1 || rotated == 2)
            let after = try await server.send(.get, "/.well-known/jwks.json").body
            #expect(after != before)
        }
    }

    @Test("a key that others can read is refused")
    func wideKey() async throws {
        let time = HandClock()
        try await TestServer.run(in: scratch, time: time) { _ in }
        let key = scratch("server").appending(path: "master.key").path
        #expect(
            try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
                == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        await #expect(throws: (any Error).self) {
            try await TestServer.run(in: scratch, time: time) { _ in }
        }
    }
}
