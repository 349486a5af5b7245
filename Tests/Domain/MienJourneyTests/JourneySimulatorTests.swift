import MienCore
import Testing

@testable import MienJourney

@Suite("Recorded tests")
struct JourneySimulatorTests {
    private func report(_ change: (inout [String: JSONValue]) -> Void) throws
        -> SimulationReport.CaseReport
    {
        var recorded: [String: JSONValue] = [
            "name": "a case", "ends": ["success": ["user": "ada", "amr": ["face"]]],
            "steps": [
                [
                    "expect": ["step": "loginForm", "options": ["face"]],
                    "respond": ["option": "face", "data": ["user_identifier": "ada"]],
                ],
                [
                    "expect": [
                        "step": "selfieAcquisition", "data": ["start_token": "start-token-1"],
                    ],
                    "respond": ["option": "client_input", "selfie": "ada"],
                ],
            ],
        ]
        change(&recorded)
        let test = try RecordedTest([
            "journey": Made.faceLogin,
            "world": [
                "users": [["username": "ada", "password": "x", "faces": ["ada"]]],
                "selfies": ["ada": "ada", "eve": "eve"],
            ],
            "cases": [.object(recorded)],
        ])
        guard case .inline(let definition) = test.journey else {
            throw JourneyDefinitionError(path: "journey", reason: "expected an inline journey")
        }
        let report = JourneySimulator.run(try JourneyDefinition(definition), test)
        #expect(report.branchCount == 8)
        return report.cases[0]
    }

    @Test("a correct case passes and reports its trace")
    func passes() throws {
        let result = try report { _ in }
        #expect(result.hasPassed)
        #expect(
            result.trace == [
                "  a prompt for loginForm (“form”)", "form → face",
                "  a prompt for selfieAcquisition (“selfie”)",
                "selfie → success", "face → success", "  success",
            ])
    }

    @Test("an incorrect case reports expected and actual results")
    func fails() throws {
        #expect(
            try report { $0["ends"] = "rejection" }.problems == [
                "end: expected a rejection, got success"
            ])
        #expect(
            try report { $0["ends"] = ["success": ["amr": ["pwd"]]] }.problems == [
                "end: expected amr pwd, got face"
            ])
        #expect(
            try report { $0["ends"] = ["success": ["claims": ["level": "x"]]] }.problems == [
                "end: claims.level: expected \"x\", got \"authenticated\""
            ])
        #expect(
            try report { $0["steps"] = [] }.problems == [
                "end: expected success, got a prompt for loginForm (“form”)"
            ])
        let wrongStep: JSONValue = [
            ["expect": ["step": "information"], "respond": ["option": "face"]]
        ]
        #expect(
            try report { $0["steps"] = wrongStep }.problems == [
                "step 1: expected information, got loginForm (step “form”)"
            ])
        let wrongData: JSONValue = [
            [
                "expect": ["step": "loginForm", "data": ["title": "Hi"], "options": ["passkey"]],
                "respond": ["option": "cancel"],
            ]
        ]
        #expect(
            try report {
                $0["steps"] = wrongData
                $0["ends"] = ["rejection": "expired"]
            }.problems == [
                "step 1: data.title: expected \"Hi\", got nothing",
                "step 1: expected the option “passkey”; the options are face, password, cancel",
                "end: expected a rejection for expired, got cancelled",
            ])
        let wrongAnswer: JSONValue = [
            ["expect": ["step": "loginForm"], "respond": ["option": "face"]]
        ]
        #expect(
            try report { $0["steps"] = wrongAnswer }.problems == [
                "step 1: the response was rejected: client_response_not_valid; user_identifier: required but missing"
            ])
        let noMistake: JSONValue = [
            [
                "expect": ["step": "loginForm"], "respond": ["option": "cancel"],
                "error": "client_response_not_valid",
            ]
        ]
        #expect(
            try report { $0["steps"] = noMistake }.problems == [
                "step 1: expected the error client_response_not_valid, but the response was accepted"
            ])
        let nobody: JSONValue = [
            ["expect": ["step": "loginForm"], "respond": ["option": "cancel", "selfie": "nobody"]]
        ]
        #expect(
            try report { $0["steps"] = nobody }.problems.first
                == "step 1: the world has no selfie “nobody”")
    }

    @Test(
        "invalid test files are rejected with the path of the error",
        arguments: [
            ([:], "journey"), (["journey": 1], "journey"), (["journey": "x.json"], "cases"),
            (["journey": "x", "cases": [["name": "a"]]], "cases[0].ends"),
            (["journey": "x", "cases": [["name": "a", "ends": "maybe"]]], "cases[0].ends"),
            (["journey": "x", "cases": [], "wrold": [:]], "wrold"),
            (
                ["journey": "x", "cases": [["name": "a", "ends": "success", "user": "eve"]]],
                "cases[0].user"
            ),
            (
                [
                    "journey": "x",
                    "cases": [
                        ["name": "a", "ends": "success"], ["name": "a", "ends": "success"],
                    ],
                ], "cases[1]"
            ),
            (
                [
                    "journey": "x",
                    "cases": [
                        [
                            "name": "a", "ends": "success",
                            "steps": [
                                ["expect": ["step": "loginFrom"], "respond": ["option": "x"]]
                            ],
                        ]
                    ],
                ], "cases[0].steps[0].expect.step"
            ),
            (
                ["journey": "x", "cases": [], "world": ["users": [["locked": ["nose"]]]]],
                "world.users[0].locked"
            ),
        ] as [(JSONValue, String)])
    func refused(value: JSONValue, path: String) throws {
        let error = try #require(
            #expect(throws: JourneyDefinitionError.self) { try RecordedTest(value) })
        #expect(error.path == path, "\(error)")
    }

    @Test("authenticators lock in the simulated world without revealing it")
    func locks() throws {
        let journey = try ExampleJourneys.journey("password-login")
        let wrong: JSONValue = [
            "expect": ["step": "loginForm"],
            "respond": ["option": "password", "data": ["username": "ada", "password": "no"]],
        ]
        let right: JSONValue = [
            "expect": ["step": "loginForm"],
            "respond": ["option": "password", "data": ["username": "ada", "password": "yes"]],
        ]
        let test = try RecordedTest([
            "journey": "x",
            "world": ["users": [["username": "ada", "password": "yes"]], "lock_after": 2],
            "cases": [
                ["name": "one slip", "steps": [wrong, right], "ends": "success"],
                [
                    "name": "two slips",
                    "steps": [
                        wrong, wrong, right,
                        ["expect": ["step": "loginForm"], "respond": ["option": "cancel"]],
                    ],
                    "ends": "rejection",
                ],
            ],
        ])
        #expect(JourneySimulator.run(journey, test).cases.map(\.problems) == [[], []])
    }
}
