import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Tests the SDK's key-bound sessions against a real server.
@Suite("Bound sessions", .enabled(if: Installed.isThere, Installed.reason))
struct BoundSessionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func session(
        _ server: TestServer, _ storage: any TokenStorage = TransientTokenStorage(),
        app: String = "default_application", usesDPoP: Bool = true
    ) async throws -> MienSession {
        let options = MienOptions(
            serverPath: server.address, applicationId: app, retry: RetryPolicy(attempts: 1),
            usesDPoP: usesDPoP)
        let session = try MienSession(options, tokenStorage: storage, now: { server.time.now })
        try await session.configure()
        return session
    }

    private static func journeyToken(_ server: TestServer, app: String = "default_application")
        async throws -> Sensitive<String>
    {
        let journey = try await server.client(app: app).start("password-login")
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
        }
        guard case .success(let token) = await journey.outcome() else { throw CancellationError() }
        return token
    }

    private static func claims(_ session: MienSession) async throws -> JSONValue {
        try await TokenClient.claims(session.accessToken().use { $0 })
    }

    @Test("a sign-in is bound to the session's key and survives refreshes and relaunches")
    func life() async throws {
        try await TestServer.run(in: scratch) { [scratch] server in
            try await server.makeUser()
            let path = scratch("tokens.json").path,
                session = try await Self.session(server, PersistentTokenStorage(path: path))
            try await session.signIn(journeyToken: Self.journeyToken(server))
            let thumbprint = try await session.proofKeyThumbprint(),
                bound = try await Self.claims(session)
            #expect(bound["cnf"]?["jkt"]?.stringValue == thumbprint)
            let user = try await session.userInfo()
            server.time.advance(.seconds(1790))
            let relaunched = try await Self.session(server, PersistentTokenStorage(path: path))
            let renewed = try await Self.claims(relaunched)
            #expect(renewed["cnf"] == bound["cnf"] && renewed["jti"] != bound["jti"])
            #expect(try await relaunched.userInfo() == user)
            // Signing out and in again keeps the key.
            try await relaunched.signOut()
            try await relaunched.signIn(journeyToken: Self.journeyToken(server))
            #expect(try await Self.claims(relaunched)["cnf"] == bound["cnf"])
        }
    }

    @Test(
        "a journey for signed-in users starts with a bound token and a new proof each time"
    )
    func journeys() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let text = """
                {"id": "step-up", "version": 1, "title": "Step up", "start": "say", "requires_user": true, "steps": {
                  "say": {"type": "information", "config": {"title": "Hello", "text": "You are signed in."}, "on": {"next": "done"}},
                  "done": {"type": "complete_journey"}}}
                """
            _ = try await server.admin.putJourney(
                JourneyID("step-up")!, version: 1, definition: Array(text.utf8))
            _ = try await server.admin.publishJourney(JourneyID("step-up")!, version: 1)
            let session = try await Self.session(server)
            try await session.signIn(journeyToken: Self.journeyToken(server))
            for _ in 1...2 {
                let journey = try await server.client().start("step-up", session: session)
                for try await step in journey.steps { try await step.respond() }
                guard case .success(let token) = await journey.outcome() else {
                    return #expect(Bool(false), "no success")
                }
                #expect(
                    try TokenClient.claims(token.use { $0 })["sid"]
                        == (try await Self.claims(session)["sid"]))
            }
            let stranger = try await server.client().start("step-up")
            guard case .rejection = await stranger.outcome() else {
                return #expect(Bool(false), "not rejected")
            }
        }
    }

    @Test("an earlier bearer sign-in stays a bearer sign-in until it ends")
    func upgrade() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let storage = TransientTokenStorage(),
                before = try await Self.session(server, storage, usesDPoP: false)
            try await before.signIn(journeyToken: Self.journeyToken(server))
            let after = try await Self.session(server, storage)
            for _ in 1...3 {
                server.time.advance(.seconds(1790))
                #expect(try await Self.claims(after)["cnf"] == nil)
                _ = try await after.userInfo()
            }
            try await after.signOut()
            try await after.signIn(journeyToken: Self.journeyToken(server))
            #expect(try await Self.claims(after)["cnf"] != nil)
        }
    }

    @Test("an app made for this SDK requires bound tokens unless its settings say otherwise")
    func newApps() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            func requires(_ request: AppRequest) async throws -> Bool? {
                try await server.admin.createApp(request).settings["requires_dpop"]?.boolValue
            }
            #expect(
                try await requires(AppRequest(id: "phones", name: "Phones", client: .mien)) == true
            )
            #expect(
                try await requires(
                    AppRequest(name: "A", settings: ["token_seconds": 60], client: .mien)) == true)
            #expect(
                try await requires(
                    AppRequest(name: "B", settings: ["requires_dpop": false], client: .mien))
                    == false)
            #expect(try await requires(AppRequest(name: "C", client: .other)) == false)
            #expect(try await requires(AppRequest(name: "D")) == false)
            #expect(
                try await requires(AppRequest(name: "E", settings: ["requires_dpop": true])) == true
            )
            #expect(
                try await server.admin.app(AppID("default_application")!).settings["requires_dpop"]?
                    .boolValue == false)
            for wrong in ["", "MIEN", "browser"] {
                let answer = try await server.send(
                    .post, "/v1/apps",
                    headers: [
                        "content-type": "application/json",
                        "authorization": "Bearer \(server.credential.use { $0 })",
                    ], #"{"name": "F", "client": "\#(wrong)"}"#)
                #expect(answer.status == 400)
                #expect(
                    answer.body["errors"] == [
                        ["field": "client", "message": "must be mien or other"]
                    ])
            }
            // This value applies when an app is created and is not a setting.
            await #expect(throws: MienError(.serverError, "")) {
                try await server.admin.updateApp(
                    AppID("phones")!, AppRequest(name: "Phones", client: .other))
            }
            let bound = try await Self.session(server, app: "phones"),
                plain = try await Self.session(server, app: "phones", usesDPoP: false)
            try await bound.signIn(journeyToken: Self.journeyToken(server, app: "phones"))
            _ = try await bound.userInfo()
            let token = try await Self.journeyToken(server, app: "phones")
            await #expect { try await plain.signIn(journeyToken: token) } throws: {
                ($0 as? MienError)?.oauthError == "invalid_dpop_proof"
            }
        }
    }

    @Test("a code that is bound to the session's key does not work with another key")
    func codes() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let redirect = "https://app.example.org/back"
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "web", name: "Web",
                    settings: ["redirect_uris": [.string(redirect)], "sign_in_page": true],
                    client: .mien))
            let session = try await Self.session(server, app: "web"),
                thief = try await Self.session(server, app: "web")
            let verifier = String(repeating: "v", count: 43),
                challenge = Base64URL.encode(SHA256.hash(data: Array(verifier.utf8)))
            let thumbprint = try #require(await session.proofKeyThumbprint())
            func code() async throws -> Sensitive<String> {
                let query =
                    "response_type=code&client_id=web&redirect_uri=https%3A%2F%2Fapp.example.org%2Fback&scope=openid%20offline_access%20full-access"
                    + "&code_challenge=\(challenge)&code_challenge_method=S256&dpop_jkt=\(thumbprint)"
                let back = try await PageBrowser(server.address).signIn(
                    "/oauth2/authorize?\(query)")
                return Sensitive(try #require(back.parameters["code"]))
            }
            let stolen = try await code()
            await #expect {
                try await thief.signIn(
                    code: stolen, redirectURI: redirect, codeVerifier: Sensitive(verifier))
            } throws: {
                ($0 as? MienError)?.oauthError == "invalid_grant"
            }
            try await session.signIn(
                code: code(), redirectURI: redirect, codeVerifier: Sensitive(verifier))
            #expect(try await Self.claims(session)["cnf"]?["jkt"]?.stringValue == thumbprint)
        }
    }
}
