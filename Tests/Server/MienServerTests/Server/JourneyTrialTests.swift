import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

/// Journeys that an administrator tries on the server, with test accounts only.
@Suite("Trials of journeys", .enabled(if: Installed.isThere, Installed.reason))
struct JourneyTrialTests {
    private static let id = JourneyID("tried")!
    private static let password = "correct horse battery"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let login: JSONValue = [
        "id": "tried", "version": 1, "title": "Tried", "start": "form",
        "steps": [
            "form": [
                "type": "login_form",
                "config": ["branches": [["id": "password"]], "output_variable": "form"],
                "on": ["password": "check"],
            ],
            "check": [
                "type": "authenticate_password",
                "config": ["username": "form.username", "password": "form.password"],
                "on": ["success": "done", "failure": "form"],
            ],
            "done": ["type": "complete_journey"],
        ],
    ]

    private static func save(
        _ definition: JSONValue, _ server: TestServer, version: Int = 1
    ) async throws {
        var members = definition.objectValue ?? [:]
        members["version"] = .number(Double(version))
        _ = try await server.admin.putJourney(
            id, version: version, definition: Array(JSONText.write(.object(members)).utf8))
    }

    private static func user(_ name: String, isTest: Bool, _ server: TestServer) async throws
        -> UserID
    {
        let made = try await server.admin.createUser(
            UserRequest(username: name, password: password, isTest: isTest))
        #expect(made.isTest == (isTest ? true : nil))
        return try #require(UserID(made.id))
    }

    private static func start(
        _ server: TestServer, user: UserID? = nil, version: Int = 1
    ) async throws -> JourneyTrialAnswer {
        try await server.admin.startTrial(
            of: id, version: version,
            StartJourneyTrialRequest(appID: "default_application", user: user?.text))
    }

    private static func answer(
        _ trial: JourneyTrialAnswer, _ name: String, _ password: String = password,
        on server: TestServer
    ) async throws -> JourneyTrialAnswer {
        try await server.admin.answerTrial(
            AnswerJourneyTrialRequest(
                state: try #require(trial.state), option: "password",
                data: ["username": .string(name), "password": .string(password)]))
    }

    private static func refusal(_ body: () async throws -> Void) async -> ProblemCode? {
        do { try await body() } catch { return (error as? MienError)?.problem?.code }
        return nil
    }

    @Test(
        "a draft runs with a test account, step by step, without a token or a secret in its trace")
    func draft() async throws {
        try await TestServer.run(in: scratch) { server in
            try await Self.save(Self.login, server)
            let user = try await Self.user("test-ada", isTest: true, server)
            let begun = try await Self.start(server)
            #expect(begun.prompt?.step == "form" && begun.turns == [TrialTurnAnswer(path: [])])
            let wrong = try await Self.answer(begun, "test-ada", "hidden-7f3a", on: server)
            #expect(
                wrong.turns.last
                    == TrialTurnAnswer(
                        option: "password",
                        path: [
                            PassedStepAnswer(step: "form", outcome: "password"),
                            PassedStepAnswer(step: "check", outcome: "failure"),
                        ]))
            let done = try await Self.answer(wrong, "test-ada", on: server)
            #expect(done.state == nil && done.turns.count == 3)
            #expect(done.completion?.user == user.text && done.completion?.amr == ["pwd"])
            for trial in [begun, wrong, done] {
                let text = String(decoding: try JSONEncoder().encode(trial), as: UTF8.self)
                #expect(!text.contains("hidden-7f3a") && !text.contains(Self.password))
                #expect(!text.contains("eyJ"), "no token")
            }
            #expect(!server.logs.text.contains("hidden-7f3a"))
            let events = try await server.admin.audit().items.filter {
                $0.event.hasPrefix("journey.trial")
            }
            #expect(events.map(\.event) == ["journey.trial-started", "journey.trial-ended"])
            #expect(events.last?.userID == user.text && events.last?.detail["end"] == "success")
            #expect(events.first?.detail["version"] == 1)
            #expect(try await server.admin.signIns(of: user).items.isEmpty)
        }
    }

    @Test("to a trial, the account of a person is unknown: no guess counts, and nobody gets mail")
    func realAccounts() async throws {
        try await TestServer.run(in: scratch) { server in
            try await Self.save(Self.login, server)
            let real = try await Self.user("ada", isTest: false, server)
            #expect(
                await Self.refusal { _ = try await Self.start(server, user: real) } == .conflict)
            var trial = try await Self.start(server)
            for password in [Self.password, "wrong horse", "wrong horse", "wrong horse", "wrong"] {
                trial = try await Self.answer(trial, "ada", password, on: server)
                #expect(trial.prompt?.step == "form" && trial.user == nil, "refused like nobody")
            }
            let authenticator = try #require(
                try await server.admin.authenticators(of: real).first)
            #expect(authenticator.totalFailures == 0)
            #expect(
                try await server.admin.audit(user: real).items.allSatisfy {
                    !$0.event.hasPrefix("password.")
                })
            // A person's account does not become a test account, nor the other way around.
            for isTest in [true, false] {
                let other = try await Self.user("other-\(isTest)", isTest: true, server)
                let id = isTest ? real : other
                #expect(
                    await Self.refusal {
                        _ = try await server.admin.updateUser(id, UserRequest(isTest: isTest))
                    } == .invalidRequest)
            }
        }
    }

    @Test("mailed codes reach a test account only")
    func codes() async throws {
        let journey: JSONValue = [
            "id": "tried", "version": 1, "title": "Tried", "start": "form",
            "steps": [
                "form": [
                    "type": "login_form",
                    "config": ["branches": [["id": "email_code"]], "output_variable": "form"],
                    "on": ["email_code": "code"],
                ],
                "code": [
                    "type": "email_otp_authentication",
                    "config": ["user_identifier": "form.user_identifier"],
                    "on": ["success": "done", "failure": "refused"],
                ],
                "done": ["type": "complete_journey"], "refused": ["type": "reject_access"],
            ],
        ]
        try await TestServer.run(in: scratch) { server in
            try await Self.save(journey, server)
            for (name, isTest) in [("ada", false), ("tester", true)] {
                _ = try await server.admin.createUser(
                    UserRequest(
                        username: name, email: "\(name)@example.org", password: Self.password,
                        isTest: isTest))
                let begun = try await Self.start(server)
                let asked = try await server.admin.answerTrial(
                    AnswerJourneyTrialRequest(
                        state: try #require(begun.state), option: "email_code",
                        data: ["user_identifier": .string("\(name)@example.org")]))
                #expect(asked.prompt?.step == "code", "asked alike")
            }
            let box = Outbox(data: server.folder)
            _ = try await box.mail(with: "Your code")
            #expect(try box.raw().count { $0.contains("Your code") } == 1)
            #expect(try box.raw().allSatisfy { !$0.contains("ada@example.org") })
        }
    }

    @Test("a sign-up makes a test account, and refuses names that somebody has")
    func signUp() async throws {
        let journey: JSONValue = [
            "id": "tried", "version": 1, "title": "Tried", "start": "create",
            "parameters": [
                "properties": ["name": ["type": "string"]], "required": ["name"],
            ],
            "steps": [
                "create": [
                    "type": "create_user", "config": ["username": "parameters.name"],
                    "on": ["success": "done", "failure": "refused"],
                ],
                "done": [
                    "type": "complete_journey", "config": ["user_auth_state": "established"],
                ],
                "refused": ["type": "reject_access"],
            ],
        ]
        try await TestServer.run(in: scratch) { server in
            try await Self.save(journey, server)
            _ = try await Self.user("ada", isTest: false, server)
            for (name, isFree) in [("ada", false), ("newcomer", true)] {
                let ended = try await server.admin.startTrial(
                    of: Self.id, version: 1,
                    StartJourneyTrialRequest(
                        appID: "default_application", parameters: ["name": .string(name)]))
                #expect((ended.completion != nil) == isFree, "\(name)")
                #expect((ended.rejection != nil) == !isFree, "\(name)")
            }
            #expect(try await server.admin.findUser("newcomer")?.isTest == true)
        }
    }

    @Test("only its administrator goes on with a trial; a client cannot")
    func owner() async throws {
        try await TestServer.run(in: scratch) { server in
            try await Self.save(Self.login, server)
            _ = try await Self.user("test-ada", isTest: true, server)
            let trial = try await Self.start(server)
            let state = try #require(trial.state)
            let (_, other) = try await server.admin(as: .owner)
            let body = AnswerJourneyTrialRequest(
                state: state, option: "password",
                data: ["username": "test-ada", "password": .string(Self.password)])
            #expect(
                await Self.refusal { _ = try await other.answerTrial(body) } == .noActiveJourney)
            let (_, auditor) = try await server.admin(as: .auditor)
            #expect(
                await Self.refusal { _ = try await auditor.answerTrial(body) } == .notPermitted)
            let client = try await server.send(
                .post, "/v1/journeys/respond", headers: ["content-type": "application/json"],
                JSONText.write([
                    "state": .string(state), "option": "password",
                    "data": ["username": "test-ada", "password": .string(Self.password)],
                ]))
            #expect(client.status == 410 && client.body["token"] == nil, "\(client)")
            // A state works once.
            #expect(try await server.admin.answerTrial(body).completion != nil)
            #expect(
                await Self.refusal { _ = try await server.admin.answerTrial(body) } != nil)
        }
    }

    @Test("an answer that the step does not accept changes nothing; a changed draft ends the trial")
    func changes() async throws {
        try await TestServer.run(in: scratch) { server in
            try await Self.save(Self.login, server)
            _ = try await Self.user("test-ada", isTest: true, server)
            let trial = try await Self.start(server)
            #expect(
                await Self.refusal {
                    _ = try await server.admin.answerTrial(
                        AnswerJourneyTrialRequest(
                            state: try #require(trial.state), option: "face"))
                } == .clientResponseNotValid)
            let again = try await Self.answer(trial, "nobody", on: server)
            #expect(again.prompt?.step == "form")
            var changed = Self.login.objectValue ?? [:]
            changed["title"] = "Changed"
            try await Self.save(.object(changed), server)
            #expect(
                await Self.refusal { _ = try await Self.answer(again, "test-ada", on: server) }
                    == .invalidState)
            // The published version runs, too, and versions that do not exist do not.
            _ = try await server.admin.publishJourney(Self.id, version: 1)
            #expect(try await Self.start(server).prompt != nil)
            #expect(
                await Self.refusal { _ = try await Self.start(server, version: 7) } == .notFound)
        }
    }

    @Test("what opens a capture or a token is hidden in what the journey asks")
    func secrets() {
        let data: JSONValue = [
            "start_token": "a", "payload": ["endpoint": "b", "session": "idv_1"],
            "list": [["registration_code": "c", "kind": "totp"]],
        ]
        #expect(
            JourneyTrials.hidingSecrets(in: data) == [
                "start_token": "‹hidden›", "payload": ["endpoint": "‹hidden›", "session": "idv_1"],
                "list": [["registration_code": "‹hidden›", "kind": "totp"]],
            ])
    }
}
