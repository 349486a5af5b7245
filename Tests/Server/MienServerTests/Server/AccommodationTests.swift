import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Testing

@testable import MienServer

/// Live captures of people who cannot perform every action, over HTTP.
@Suite("Accommodations", .enabled(if: Installed.isThere, Installed.reason))
struct AccommodationTests {
    private let live: LiveCaptureTests

    init() throws { live = try LiveCaptureTests() }

    private func session(_ server: TestServer, _ token: Sensitive<String>) throws -> CaptureSession
    {
        try CaptureSession(
            startToken: token,
            MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1)))
    }

    private func code(_ body: () async throws -> Void) async -> ProblemCode? {
        do { try await body() } catch { return (error as? MienError)?.problem?.code }
        return nil
    }

    /// Plays a session and returns the announced actions.
    private func play(_ stage: inout LiveStage) async throws -> [LivenessAction] {
        var asked: [LivenessAction] = []
        try await stage.play { action, since, words in
            if let action, action != .keepStill, asked.last != action { asked.append(action) }
            LiveStage.obey(action, since, &words)
            words.attack = 0.1
        }
        return asked
    }

    @Test(
        "a person who cannot look up or down signs in with other actions; the token says the same as after any live capture, and nothing records the omission"
    )
    func replaced() async throws {
        try await live.run { server in
            try await live.register(server)
            for omitted: [CaptureAction] in [[], [.lookUp, .lookDown], [.turnRight]] {
                let (journey, token) = try await live.login(server)
                let session = try session(server, token)
                #expect(
                    try await session.status().omittableActions?.count == 7,
                    "each action may be omitted by itself")
                if !omitted.isEmpty { try await session.omitActions(omitted) }
                var stage = try await LiveStage(server, token, seed: UInt64(2 + omitted.count))
                #expect(stage.answer.omittableActions == nil, "the session has begun")
                let asked = try await play(&stage)
                #expect(stage.answer.hasPassed, "\(stage.answer)")
                #expect(
                    !asked.contains { action in omitted.contains { $0.rawValue == action.rawValue }
                    })
                #expect(asked.contains(.turnLeft) || asked.contains(.turnRight))
                if omitted.count == 2 { #expect(Set(asked).count == 4) }
                let end = try await journey.respond(.clientInput)
                let keys = try await server.send(.get, "/.well-known/jwks.json").body
                let claims = try #require(end.token).use {
                    try FaceLoginTests.verified($0, keys: keys)
                }
                #expect(claims["amr"] == ["face", "x_live"] && claims["acr"] == "1")
            }
            let entries = try await server.admin.audit().items
            #expect(entries.count { $0.event == "capture.passed" } == 4)
            #expect(
                entries.allSatisfy {
                    Set($0.detail.keys).isDisjoint(with: ["omitted", "omitted_actions", "rules"])
                })
            #expect(!server.logs.text.contains("omitted"))
        }
    }

    @Test(
        "what cannot be replaced is refused with the advice to sign in otherwise, and the capture goes on as before"
    )
    func refused() async throws {
        try await live.run { server in
            try await live.register(server)
            let (_, token) = try await live.login(server)
            let session = try session(server, token)
            for omitted: [CaptureAction] in [
                [.turnLeft, .turnRight], [.blink, .lookUp, .lookDown],
            ] {
                #expect(
                    await code { try await session.omitActions(omitted) } == .notPermitted)
            }
            for omitted: [CaptureAction] in [[.keepStill], [.blink, .blink]] {
                #expect(await code { try await session.omitActions(omitted) } == .invalidRequest)
            }
            try await session.omitActions([.turnLeft])
            try await session.omitActions([])
            var stage = try await LiveStage(server, token, seed: 2)
            #expect(await code { try await session.omitActions([.blink]) } == .invalidState)
            try await stage.play()
            #expect(stage.answer.hasPassed)
            #expect(await code { try await session.omitActions([.blink]) } == .captureClosed)
        }
    }

    @Test("an app or a journey's step can exclude accommodations")
    func excluded() async throws {
        try await live.run { server in
            try await live.register(server)
            _ = try await server.admin.updateApp(
                AppID("default_application")!,
                AppRequest(name: "App", settings: ["liveness": ["accommodation": false]]))
            let (_, token) = try await live.login(server)
            let session = try session(server, token)
            #expect(try await session.status().omittableActions == nil)
            #expect(await code { try await session.omitActions([.blink]) } == .notPermitted)
        }
        let app = LivenessPolicy(), step = LivenessPolicy(accommodation: false)
        #expect(app.tightened(by: step).accommodation == false)
        #expect(step.tightened(by: LivenessPolicy(accommodation: true)).accommodation == false)
    }

    @Test(
        "a sign-in of an app in the passive mode is active unless the presentation check is required"
    )
    func raised() async throws {
        for (presentation, mode): (PresentationMode, CaptureMode) in [
            (.off, .livenessActive), (.observe, .livenessActive), (.require, .livenessPassive),
        ] {
            try await TestServer.run(
                in: ScratchFolder(), settings: LiveCaptureTests.live,
                reader: WordReader(presentation: presentation)
            ) { server in
                try await server.makeUser()
                _ = try await server.admin.updateApp(
                    AppID("default_application")!,
                    AppRequest(name: "App", settings: ["liveness": ["mode": "liveness_passive"]]))
                let (_, token) = try await live.login(server)
                #expect(try await session(server, token).status().mode == .known(mode))
                if mode == .livenessActive {
                    var stage = try await LiveStage(server, token, seed: 2)
                    let asked = try await play(&stage)
                    #expect(stage.answer.hasPassed && asked.count > 1, "\(asked)")
                }
                // A registration gives no access by itself, and stays passive.
                let journey = try await server.client().start("face-registration")
                try await journey.respond(
                    "password", ["username": "ada", "password": "a password nobody has"])
                let step = try await journey.respond(.clientInput)
                #expect(
                    try await session(server, #require(step.startToken)).status().mode
                        == .known(.livenessPassive))
            }
        }
    }

    @Test("a person who cannot blink in the passive mode performs random actions instead")
    func passive() async throws {
        try await TestServer.run(
            in: live.scratch, settings: ["MIEN_FACE_LIVENESS_MODE": "liveness_passive"],
            // Sign-ins are passive only where the presentation check is required.
            reader: WordReader(presentation: .require)
        ) { server in
            try await server.makeUser()
            let (_, token) = try await live.login(server)
            let session = try session(server, token)
            #expect(try await session.status().omittableActions == [.known(.blink)])
            #expect(try await session.omitActions([.blink]).mode == .known(.livenessActive))
            #expect(try await session.omitActions([]).mode == .known(.livenessPassive))
            try await session.omitActions([.blink])
            var stage = try await LiveStage(server, token, seed: 2)
            let asked = try await play(&stage)
            #expect(stage.answer.hasPassed && asked.count == 3 && !asked.contains(.blink))
        }
        #expect(
            LivenessPolicy.Mode.allCases.map(\.methods) == [[], ["x_live_passive"], ["x_live"]],
            "what a token says")
    }
}
