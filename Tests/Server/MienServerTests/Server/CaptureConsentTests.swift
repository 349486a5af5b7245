import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer
@testable import MienStore

@Suite(
    "Consent in captures, and unchecked documents",
    .enabled(if: Installed.isThere, Installed.reason))
struct CaptureConsentTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let definition = """
        {"id": "enroll", "version": 1, "title": "Enroll", "start": "selfie", "requires_user": true, "steps": {
          "selfie": {"type": "selfie_acquisition", "on": {"success": "register", "failure": "no"}},
          "register": {"type": "register_face", "config": {"consent": {"text_version": "shop-2", "title": "Your face",
            "text": "We store numbers.", "button": "Yes"}}, "on": {"success": "done", "failure": "no"}},
          "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}}}
        """

    private func withCapture(
        _ settings: [String: String] = [:],
        _ body: @Sendable (TestServer, UserID, Journey, _ token: String) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch, settings: settings) { server in
            let user = try await server.makeUser(), id = JourneyID("enroll")!
            _ = try await server.admin.putJourney(
                id, version: 1, definition: Array(Self.definition.utf8))
            _ = try await server.admin.publishJourney(id, version: 1)
            let session = try MienSession(
                MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1)),
                tokenStorage: TransientTokenStorage(), now: { server.time.now })
            try await session.configure()
            let login = try await server.client().start("password-login")
            let end = try await login.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
            try await session.signIn(journeyToken: #require(end.token))
            let journey = try await server.client().start("enroll", session: session)
            let token = try #require(await journey.response.startToken)
            try await body(server, user, journey, token.use { $0 })
        }
    }

    private static func send(
        _ server: TestServer, _ method: HTTPTransportRequest.Method, _ path: String,
        _ token: String, _ body: [UInt8] = [], type: String = "application/json"
    ) async throws -> (Int, JSONValue) {
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: server.address + path,
                headers: ["authorization": "Bearer \(token)", "content-type": type], body: body))
        return (answer.status, try JSONText.parse(answer.body))
    }

    @Test("no picture is accepted before the person consents to the text that the journey set")
    func order() async throws {
        try await withCapture { server, user, journey, token in
            func post(_ path: String, _ body: JSONValue) async throws -> (Int, JSONValue) {
                try await Self.send(
                    server, .post, path, token, Array(JSONText.write(body).utf8))
            }
            let photo = Installed.photo("obama")
            let (early, problem) = try await Self.send(
                server, .post, "/v1/capture/frames", token, photo, type: "image/jpeg")
            #expect(early == 409 && problem["code"] == "consent_required")
            let (status, state) = try await post("/v1/capture/start", [:])
            #expect(status == 200)
            #expect(
                state["consent"] == [
                    "text_version": "shop-2", "title": "Your face", "text": "We store numbers.",
                    "button_text": "Yes",
                ])
            #expect(
                try await post("/v1/capture/consent", ["text_version": "shop-1"]).0 == 400,
                "another text")
            #expect(try await post("/v1/capture/consent", ["agreed": true]).0 == 400)
            for _ in 1...2 {
                let (status, state) = try await post(
                    "/v1/capture/consent", ["text_version": "shop-2"])
                #expect(status == 200 && state["consent"] == nil && state["status"] == "open")
            }
            #expect(
                try await server.admin.consents(of: user) == [],
                "recorded with the face, not before")
            let (taken, answer) = try await Self.send(
                server, .post, "/v1/capture/frames", token, photo, type: "image/jpeg")
            #expect(taken == 200 && answer["status"] == "passed")
            #expect(try await journey.respond(.clientInput).journeyStepId == .success)
            #expect(try await server.admin.consents(of: user).map(\.textVersion) == ["shop-2"])
            #expect(
                try await server.admin.authenticators(of: user).contains {
                    $0.type == .known(.face)
                })
        }
    }

    @Test("a live session draws nothing and does not start before the consent")
    func live() async throws {
        try await withCapture(["MIEN_FACE_LIVENESS_MODE": "liveness_active"]) {
            server, _, journey, token in
            let session = try await journey.captureSession()
            let waiting = try await session.start()
            #expect(waiting.consent?.textVersion == "shop-2" && waiting.nonce == nil)
            await #expect(throws: MienError.self, "no closure asks the person") {
                _ = try await session.run(Installed.frames([]))
            }
            let started = try await session.giveConsent(to: #require(waiting.consent))
            #expect(started.nonce == nil)
            #expect(try await session.start().nonce != nil)
        }
    }

    @Test("a person who declines ends the capture, and the journey continues with its failure")
    func declined() async throws {
        try await withCapture { server, user, journey, _ in
            let session = try await journey.captureSession()
            let last = try await session.run(
                Installed.frames(["obama"]), consent: { _ in false })
            #expect(last.status == .known(.cancelled))
            #expect(try await journey.respond(.clientInput).journeyStepId == .rejection)
            #expect(try await server.admin.consents(of: user) == [])
        }
    }

    @Test(
        "a version published before documents had to be stated keeps running, answers challenge, and is named at startup"
    )
    func uncheckedDocuments() async throws {
        let text = """
            {"id": "old", "version": 3, "title": "Old", "start": "verify", "steps": {
              "verify": {"type": "identity_verification", "on": {"allow": "done", "challenge": "more", "deny": "no", "failure": "no"}},
              "more": {"type": "reject_access", "config": {"reason": "manual_review"}},
              "no": {"type": "reject_access"}, "done": {"type": "complete_journey", "config": {"user_auth_state": "none"}}}}
            """
        let id = JourneyID("old")!
        let credential = try await TestServer.credential(in: scratch) { server in
            let error = await #expect(throws: MienError.self) {
                try await server.admin.putJourney(id, version: 3, definition: Array(text.utf8))
            }
            #expect(error?.fields.first?.field == "steps.verify")
            // As an earlier server stored it.
            let now = server.time.now
            try await server.server.parts.store.write { tables in
                try tables.journeys.putDraft(id, version: 3, definition: text, at: now)
                _ = try tables.journeys.publish(id, version: 3, at: now)
                try tables.journeys.putDraft(
                    id, version: 4,
                    definition: text.replacing("\"version\": 3", with: "\"version\": 4"), at: now)
            }
            await #expect(throws: MienError.self, "a saved draft is checked again") {
                try await server.admin.publishJourney(id, version: 4)
            }
        }
        try await TestServer.run(in: scratch, credential: credential) { server in
            #expect(
                server.logs.text.contains(/journey\.id\W+old/)
                    && server.logs.text.contains("answers challenge instead of allow"))
            let journey = try await server.client().start("old")
            let step = await journey.response
            let link = step.data?["payload"]?["endpoint"]?.stringValue
            #expect(link?.hasPrefix("\(server.address)/verify#") == true)
            let session = try await journey.captureSession()
            #expect(
                try await session.submitFrame(Installed.photo("obama")).status == .known(.passed))
            let end = try await journey.respond(.clientInput)
            #expect(end.errorData?["reason"] == "manual_review")
        }
    }
}

extension TestServer {
    /// Runs a first server and returns its credential, for a second one on the same data.
    fileprivate static func credential(
        in scratch: ScratchFolder, _ body: @Sendable @escaping (TestServer) async throws -> Void
    ) async throws -> Sensitive<String> {
        let (credentials, known) = AsyncStream<Sensitive<String>>.makeStream()
        try await run(in: scratch) { server in
            known.yield(server.credential)
            try await body(server)
        }
        known.finish()
        return try #require(await credentials.first { _ in true })
    }
}
