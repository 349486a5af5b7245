import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Testing

@testable import MienServer

/// Captures that end without a verdict in favor of the person.
extension LiveCaptureTests {
    @Test(
        "canceling after an action was announced is audited; repeated starts are rate-limited"
    )
    func drawingAgain() async throws {
        try await run(["MIEN_LIMIT_LIVE_CAPTURES_PER_MINUTE": "3"]) { server in
            for turn in 1...4 {
                let token = try await login(server).1
                guard turn < 4 else {
                    let (status, body) = try await LiveStage.send(
                        server, token.use { $0 }, "start", "application/json", [])
                    #expect(status == 429 && body["code"] == "too_many_requests")
                    continue
                }
                var stage = try await LiveStage(server, token)
                try await stage.play(until: { $0.action != .known(.keepStill) && $0.action != nil })
                let cancelled = try await server.send(
                    .delete, "/v1/capture", headers: ["authorization": "Bearer \(stage.token)"])
                #expect(cancelled.body["status"] == "cancelled")
                let entry = try #require(
                    try await server.admin.audit().items.last { $0.event.hasPrefix("capture.") })
                #expect(
                    entry.event == "capture.cancelled" && entry.detail["count"] == 1
                        && entry.detail["mode"] == "liveness_active")
                // Spread the starts so that they do not all fall into one minute.
                server.time.advance(.seconds(1))
            }
        }
    }

    @Test(
        "giving up or failing after an action was announced counts as a guess; after five, the face is locked for its owner too"
    )
    func guesses() async throws {
        try await run { server in
            try await register(server)
            for turn in 1...5 {
                var stage = try await LiveStage(
                    server, try await login(server).1, seed: UInt64(turn))
                try await stage.play(until: { $0.action != .known(.keepStill) && $0.action != nil })
                if turn.isMultiple(of: 2) {
                    _ = try await server.send(
                        .delete, "/v1/capture", headers: ["authorization": "Bearer \(stage.token)"])
                } else {
                    // An action is announced, and nothing is performed.
                    try await stage.play { _, _, _ in }
                    #expect(stage.answer.status == .known(.failed))
                }
            }
            // Giving up before an action is announced is not a guess.
            var early = try await LiveStage(server, try await login(server).1, seed: 6)
            try await early.play(atMost: 3)
            _ = try await server.send(
                .delete, "/v1/capture", headers: ["authorization": "Bearer \(early.token)"])
            let (journey, token) = try await login(server)
            var stage = try await LiveStage(server, token, seed: 7)
            try await stage.play()
            #expect(stage.answer.hasPassed, "the right live person")
            try await journey.respond(.clientInput)
            #expect(await journey.outcome() == nil)
            let refused = try #require(
                try await server.admin.audit().items.last { $0.event == "face.refused" })
            #expect(refused.detail["locked"] == true)
        }
    }

    @Test("an abandoned identity verification counts as a guess if its selfie would be compared")
    func verificationGuesses() async throws {
        try await run { server in
            try await register(server)
            let id = try #require(JourneyID("verify-login"))
            let definition = """
                {"id": "verify-login", "version": 1, "title": "Verify", "start": "form", "steps": {
                "form": {"type": "login_form", "config": {"branches": [{"id": "face"}, {"id": "password"}], "output_variable": "form"},
                  "on": {"face": "verify", "password": "password"}},
                "password": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password"},
                  "on": {"success": "done", "failure": "no"}},
                "verify": {"type": "identity_verification", "config": {"documents": "none", "failure_behavior": "abort"},
                  "on": {"allow": "check", "challenge": "no", "deny": "no"}},
                "check": {"type": "authenticate_face", "config": {"user_identifier": "form.user_identifier"},
                  "on": {"success": "done", "failure": "no"}},
                "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}
                """
            _ = try await server.admin.putJourney(
                id, version: 1, definition: Array(definition.utf8))
            _ = try await server.admin.publishJourney(id, version: 1)
            for turn in 1...5 {
                let journey = try await server.client().start(id.text)
                let step = try await journey.respond("face", ["user_identifier": "ada"])
                var stage = try await LiveStage(
                    server, try #require(step.startToken), seed: UInt64(turn))
                try await stage.play(until: { $0.action != .known(.keepStill) && $0.action != nil })
                _ = try await server.send(
                    .delete, "/v1/capture", headers: ["authorization": "Bearer \(stage.token)"])
            }
            let (journey, token) = try await login(server)
            var stage = try await LiveStage(server, token, seed: 7)
            try await stage.play()
            #expect(stage.answer.hasPassed, "the right live person")
            try await journey.respond(.clientInput)
            let refused = try await server.admin.audit().items.last { $0.event == "face.refused" }
            #expect(refused?.detail["locked"] == true)
        }
    }
}
