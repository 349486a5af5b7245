import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Tokens of accounts that were made to try journeys.
@Suite("Tokens of test accounts", .enabled(if: Installed.isThere, Installed.reason))
struct TestAccountTokenTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let password = "a password nobody has"

    @Test("every token of a test account says what it is, also after a refresh, and no other does")
    func claim() async throws {
        try await TestServer.run(in: scratch) { server in
            try await PagesTests.makeApp("tried", on: server)
            for (name, isTest) in [("ada", false), ("test-ada", true)] {
                let expected: JSONValue? = isTest ? true : nil
                _ = try await server.admin.createUser(
                    UserRequest(username: name, password: Self.password, isTest: isTest))
                let page = try await PageBrowser(server.address).signIn(
                    PagesTests.authorize("tried", ["scope": "openid offline_access"]), name: name)
                let client = TokenClient(server: server, app: "tried")
                let tokens = try await client.token(
                    "authorization_code",
                    [
                        ("code", page.parameters["code"] ?? ""),
                        ("redirect_uri", PagesTests.redirect),
                        ("code_verifier", String(repeating: "v", count: 43)),
                    ])
                for kind in ["access_token", "id_token"] {
                    #expect(
                        try TokenClient.claims(tokens[kind])["test_account"] == expected)
                }
                let info = try await client.send(
                    .get, "/oauth2/userinfo",
                    ["authorization": "Bearer \(tokens["access_token"] ?? "")"])
                #expect(info.status == 200)
                #expect(info.body["test_account"] == expected, "\(info.body)")
                let renewed = try await client.token(
                    "refresh_token", [("refresh_token", tokens["refresh_token"] ?? "")])
                #expect(
                    try TokenClient.claims(renewed["access_token"])["test_account"]
                        == expected)
            }
        }
    }

    @Test("a journey's token says so, and no step can set the claim")
    func journey() async throws {
        try await TestServer.run(in: scratch) { server in
            for (name, isTest) in [("ada", false), ("test-ada", true)] {
                _ = try await server.admin.createUser(
                    UserRequest(username: name, password: Self.password, isTest: isTest))
                let journey = try await server.client().start("password-login")
                try await journey.respond(
                    "password", ["username": .string(name), "password": .string(Self.password)])
                guard case .success(let token) = await journey.outcome() else {
                    Issue.record("not signed in")
                    return
                }
                #expect(
                    try TokenClient.claims(token.use { $0 })["test_account"]
                        == (isTest ? true : nil))
            }
            let forged: JSONValue = [
                "id": "forged", "version": 1, "title": "Forged", "start": "done",
                "steps": [
                    "done": [
                        "type": "complete_journey",
                        "config": ["user_auth_state": "none", "claims": ["test_account": "false"]],
                    ]
                ],
            ]
            let error = await #expect(throws: MienError.self) {
                _ = try await server.admin.putJourney(
                    JourneyID("forged")!, version: 1,
                    definition: Array(JSONText.write(forged).utf8))
            }
            #expect(error?.problem?.code == .invalidRequest, "\(String(describing: error))")
        }
    }
}
