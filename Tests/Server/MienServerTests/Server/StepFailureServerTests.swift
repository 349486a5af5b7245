import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Failures as clients see them, and versions as operators replace them, on a real server.
@Suite("Failures and versions of journeys", .enabled(if: Installed.isThere, Installed.reason))
struct StepFailureServerTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "a wrong password is in errorData, the same for an unknown user, a missing password, and a lock"
    )
    func causes() async throws {
        try await RealServer.run(in: scratch) { server in
            try await server.makeUser()
            _ = try await server.admin.createUser(UserRequest(username: "grace"))
            let locked = try await server.makeUser("eve", email: "eve@example.org")
            let password = try #require(
                try await server.admin.authenticators(of: locked).first.flatMap {
                    AuthenticatorID($0.id)
                })
            try await server.admin.lock(password, of: locked)
            for (name, text) in [
                ("ada", "wrong"), ("nobody", "wrong"), ("grace", "wrong"),
                ("eve", RealServer.password),
            ] {
                let journey = try await server.client().start("password-login")
                let answer = try await journey.respond(
                    "password", ["username": .string(name), "password": .string(text)])
                #expect(answer.journeyStepId == .loginForm, "\(name)")
                #expect(answer.errorData == ["code": "invalid_credentials"], "\(name)")
                #expect(answer.errorCode == .invalidCredentials, "\(name)")
                // The failure is gone after the next response succeeds.
                let end = try await journey.respond(
                    "password", ["username": "ada", "password": .string(RealServer.password)])
                #expect(end.journeyStepId == .success && end.errorData == nil, "\(name)")
            }
        }
    }

    @Test(
        "publishing an older version rolls back; retiring the only published one must be forced")
    func versions() async throws {
        try await RealServer.run(in: scratch) { server in
            let id = try #require(JourneyID("hello"))
            func save(_ version: Int) async throws {
                let text = #"""
                    {"id": "hello", "version": \#(version), "title": "Hello", "start": "page", "steps": {
                      "page": {"type": "information", "config": {"text": "version \#(version)"}, "on": {"next": "done"}},
                      "done": {"type": "complete_journey", "config": {"user_auth_state": "none"}}}}
                    """#
                _ = try await server.admin.putJourney(
                    id, version: version, definition: Array(text.utf8))
                _ = try await server.admin.publishJourney(id, version: version)
            }
            func shown() async throws -> String? {
                let journey = try await server.client().start("hello")
                return await journey.response.data?["text"]?.stringValue
            }
            func states() async throws -> [String] {
                try await server.admin.journeys().filter { $0.id == "hello" }.map(
                    \.state.rawValue)
            }
            try await save(1)
            try await save(2)
            let running = try await server.client().start("hello")
            #expect(try await shown() == "version 2")
            let back = try await server.admin.publishJourney(id, version: 1)
            #expect(back.state == .known(.published))
            #expect(try await shown() == "version 1")
            #expect(try await states() == ["published", "retired"])
            #expect(
                try await running.respond().journeyStepId == .success, "runs of version 2 go on")
            let event = try await server.admin.audit().items.last {
                $0.event == "journey.published"
            }
            #expect(event?.detail["version"] == 1 && event?.detail["replaces"] == 2)

            await #expect(throws: MienError.self) {
                _ = try await server.admin.publishJourney(id, version: 1)
            }
            do {
                _ = try await server.admin.retireJourney(id, version: 1)
                Issue.record("the only published version was retired")
            } catch let error as MienError {
                #expect(error.problem?.code == .conflict)
            }
            #expect(try await shown() == "version 1")
            let retired = try await server.admin.retireJourney(id, version: 1, force: true)
            #expect(retired.state == .known(.retired))
            await #expect(throws: MienError.self) { _ = try await shown() }
            // A version that is not published cannot be retired, forced or not.
            await #expect(throws: MienError.self) {
                _ = try await server.admin.retireJourney(id, version: 2, force: true)
            }
            _ = try await server.admin.publishJourney(id, version: 2)
            #expect(try await shown() == "version 2")
        }
    }

    @Test(
        "after a lock, one attempt at a time is the default, and again allows a fresh set; both disable"
    )
    func afterLock() async throws {
        try await ClockedServer.run(in: scratch) { server in
            for (word, expected) in [("one_at_a_time", [3, 1, 1, 1, 1]), ("again", [3, 3, 1])] {
                let user = try await server.makeUser("user-\(word.prefix(3))")
                _ = try await server.admin.updateApp(
                    AppID("default_application")!,
                    AppRequest(
                        name: "App",
                        settings: [
                            "locks": [
                                "password": [
                                    "failed_attempts": 3, "lockout_seconds": 60,
                                    "disable_after": 7, "after_lock": .string(word),
                                ]
                            ]
                        ]))
                func judged() async throws -> Int {
                    try await server.admin.audit(user: user).items.count {
                        $0.event == "password.refused" && $0.detail["locked"] == nil
                    }
                }
                var sets: [Int] = []
                while try await judged() < 7 {
                    let before = try await judged()
                    for _ in 0..<5 {
                        let journey = try await server.client().start("password-login")
                        try await journey.respond(
                            "password",
                            ["username": .string("user-\(word.prefix(3))"), "password": "wrong"])
                    }
                    sets.append(try await judged() - before)
                    try server.time.advance(.seconds(60))
                }
                #expect(sets == expected, "\(word)")
                let lock = try await server.admin.authenticators(of: user).first
                #expect(lock?.lock == .known(.disabled) && lock?.totalFailures == 7, "\(word)")
                let journey = try await server.client().start("password-login")
                let end = try await journey.respond(
                    "password",
                    [
                        "username": .string("user-\(word.prefix(3))"),
                        "password": "a password nobody has",
                    ])
                #expect(end.token == nil, "\(word)")
            }
            // Another word is refused by name.
            do {
                _ = try await server.admin.updateApp(
                    AppID("default_application")!,
                    AppRequest(
                        name: "App",
                        settings: [
                            "locks": [
                                "face": [
                                    "failed_attempts": 3, "lockout_seconds": 60,
                                    "after_lock": "never",
                                ]
                            ]
                        ]))
                Issue.record("an unknown word was accepted")
            } catch let error as MienError {
                #expect(
                    error.problem?.errors?.first?.message
                        == "after_lock must be one_at_a_time or again")
            }
        }
    }
}
