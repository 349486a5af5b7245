import MienCore
import Testing

@testable import MienJourney

@Suite("Rehearsals of journeys")
struct JourneyRehearsalTests {
    /// Returns the request that plays a case of an example's recorded test.
    private static func requests(_ name: String) throws -> [(request: JSONValue, ends: JSONValue)] {
        let test = try JSONText.parse(try ExampleJourneys.bytes("\(name).test.json"))
        let definition = try ExampleJourneys.journey(name).source
        return try #require(test["cases"]?.arrayValue).map { recorded in
            let answers = (recorded["steps"]?.arrayValue ?? []).map { exchange -> JSONValue in
                var answer = exchange["respond"]?.objectValue ?? [:]
                answer["after_seconds"] = exchange["after_seconds"]
                return .object(answer)
            }
            var request: [String: JSONValue] = [
                "definition": definition, "answers": .array(answers),
            ]
            request["world"] = test["world"]
            request["user"] = recorded["user"]
            request["parameters"] = recorded["parameters"]
            return (.object(request), try #require(recorded["ends"]))
        }
    }

    @Test("every recorded test ends as recorded", arguments: ExampleJourneys.names)
    func recorded(name: String) throws {
        for (request, ends) in try Self.requests(name) {
            let rehearsal = try JourneyRehearsal(request)
            switch rehearsal.position {
            case .completed: #expect(ends == "success" || ends["success"] != nil, "\(ends)")
            case .rejected(let end):
                #expect(ends == "rejection" || ends["rejection"] == .string(end.reason), "\(ends)")
            case .asking, nil: Issue.record("the run has not ended: \(ends)")
            }
            #expect(rehearsal.turns.count == (request["answers"]?.arrayValue?.count ?? 0) + 1)
        }
    }

    private static func passwordLogin(_ answers: JSONValue) throws -> JSONValue {
        [
            "definition": try ExampleJourneys.journey("password-login").source,
            "world": ["users": [["username": "ada", "password": "correct horse"]]],
            "answers": answers,
        ]
    }

    @Test("a wrong password leads back to the form, a right one to the end")
    func turns() throws {
        func answer(_ password: JSONValue) -> JSONValue {
            ["option": "password", "data": ["username": "ada", "password": password]]
        }
        let wrong = try JourneyRehearsal(try Self.passwordLogin([answer("house")]))
        #expect(
            wrong.turns.map { $0.path.map { "\($0.step) \($0.outcome)" } } == [
                ["tries body"], ["form password", "check failure", "tries body"],
            ])
        guard case .asking(let prompt) = wrong.position else {
            Issue.record("expected a prompt")
            return
        }
        #expect(prompt.stepID.text == "form" && prompt.failure == .invalidCredentials)
        // The password is not among the variables.
        #expect(wrong.variables["form"] == ["username": "ada"])
        #expect(!"\(wrong)".contains("house"))
        let right = try JourneyRehearsal(
            try Self.passwordLogin([answer("house"), answer("correct horse")]))
        guard case .completed(let end) = right.position else {
            Issue.record("expected the end")
            return
        }
        #expect(end.user?.amr == ["pwd"])
    }

    @Test("a mistake of the client is told, and the run stays at its step")
    func mistake() throws {
        let rehearsal = try JourneyRehearsal(
            try Self.passwordLogin([
                ["option": "face"], ["option": "password", "data": ["username": 1]],
            ]))
        #expect(
            rehearsal.turns.map(\.mistake?.code) == [
                nil, .clientResponseNotValid, .clientResponseNotValid,
            ])
        #expect(rehearsal.turns[2].path == [])
        guard case .asking = rehearsal.position else {
            Issue.record("expected a prompt")
            return
        }
    }

    @Test("invalid requests name the place")
    func invalid() throws {
        func path(_ request: JSONValue) -> String? {
            do throws(JourneyDefinitionError) { _ = try JourneyRehearsal(request) } catch {
                return error.path
            }
            return nil
        }
        let definition = try ExampleJourneys.journey("password-login").source
        #expect(path([:]) == "definition")
        #expect(path(["definition": 1]) == "definition")
        #expect(path(["definition": ["id": 1]]) == "definition.id")
        #expect(path(["definition": definition, "user": "bob"]) == "user")
        #expect(path(["definition": definition, "world": ["users": 1]]) == "world.users")
        #expect(path(["definition": definition, "answers": [[:]]]) == "answers[0].option")
        #expect(
            path(["definition": definition, "answers": [["option": "a", "selfie": "b"]]])
                == "answers[0].selfie")
        #expect(path(["definition": definition, "worlds": 1]) == "worlds")
        #expect(
            path(["definition": definition, "answers": [["option": "cancel"], ["option": "a"]]])
                == "answers[1]")
        let many = JSONValue.array(Array(repeating: ["option": "face"], count: 201))
        #expect(path(["definition": definition, "answers": many]) == "answers")
    }

    @Test("an interruption ends a run between two steps")
    func interrupted() throws {
        var asked = 0
        let steps: JSONValue = [
            "a": [
                "type": "set_variables", "config": ["variables": ["x": "1"]],
                "on": ["success": "b"],
            ],
            "b": [
                "type": "set_variables", "config": ["variables": ["x": "2"]],
                "on": ["success": "a"],
            ],
        ]
        let definition: JSONValue = [
            "id": "j", "version": 1, "title": "J", "start": "a", "steps": steps,
            "limits": ["max_steps": 1000],
        ]
        #expect(throws: JourneyDefinitionError.self) {
            try JourneyRehearsal(["definition": definition]) {
                asked += 1
                return asked > 10
            }
        }
        #expect(asked > 10 && asked < 20)
        // Without an interruption, the journey's own limit ends the run.
        let whole = try JourneyRehearsal(["definition": definition])
        guard case .rejected(let end) = whole.position else {
            Issue.record("expected a rejection")
            return
        }
        #expect(end.cause == .tooManySteps)
    }
}
