import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Testing

@testable import MienServer

/// The rules of servers, apps, and steps, and their words.
extension LiveCaptureTests {
    @Test(
        "an app may accept pictures; a step can only be stricter; a capture from before the app became stricter does not count"
    )
    func policy() async throws {
        try await run { server in
            let app = try #require(AppID("default_application"))
            func set(_ liveness: JSONValue) async throws {
                _ = try await server.admin.updateApp(
                    app, AppRequest(name: "Sample app", settings: ["liveness": liveness]))
            }
            try await set(["mode": "image"])
            let (journey, token) = try await login(server)
            let batch = try await LiveStage.send(
                server, token.use { $0 }, "frames", FrameBatch.contentType, [])
            #expect(batch.0 == 400 || batch.0 == 415)
            let taken = try await LiveStage.send(
                server, token.use { $0 }, "frames", "image/jpeg", Installed.photo("obama"))
            #expect(taken.1["status"] == "passed" && taken.1["mode"] == "image")
            let further = try await LiveStage.send(
                server, token.use { $0 }, "frames", "image/jpeg", Installed.photo("obama"))
            #expect(further.0 == 409, "a login's capture accepts no frame after one has passed")
            try await set(["mode": "liveness_active"])
            #expect(
                try await journey.respond(.clientInput).startToken == nil,
                "a photo that passed earlier no longer counts")

            for (liveness, field) in [
                (["mode": "smile"] as JSONValue, "settings.liveness.mode"),
                (["modes": "image"], "settings.liveness.modes"),
                (["actions": ["blink", "open_mouth"]], "settings.liveness.actions"),
                (["threshold": 101], "settings.liveness.threshold"),
            ] {
                do {
                    try await set(liveness)
                    Issue.record("\(liveness) was accepted")
                } catch let error as MienError { #expect(error.fields.first?.field == field) }
            }
        }
        let server = LivenessPolicy(
            mode: .livenessActive, threshold: 0, quality: 48, timeoutSeconds: 60)
        let app = LivenessPolicy(
            mode: .livenessPassive, threshold: 20, actions: [.turnLeft, .blink, .lookUp])
        let step = LivenessPolicy(
            mode: .image, threshold: 10, quality: 70, timeoutSeconds: 30,
            actions: [.blink, .turnLeft], actionCount: 2)
        let rules = LivenessRules(server: server, app: app, step: step)
        #expect(
            rules.mode == .livenessPassive && rules.threshold == 20 && rules.quality == 70
                && rules.timeoutSeconds == 30)
        #expect(rules.actions == [.blink, .turnLeft] && rules.actionCount == 2)
        #expect(
            LivenessRules(server: server, app: LivenessPolicy(), step: LivenessPolicy(mode: .image))
                .mode == .livenessActive)
        #expect(
            LivenessRules(
                server: server, app: app, step: LivenessPolicy(actions: [.turnRight, .openMouth])
            ).actions == app.actions)
        #expect(LivenessRules(server: server, app: LivenessPolicy(quality: 10)).quality == 48)
    }

    @Test("policies and captures use the same names")
    func words() throws {
        let document = try JSONText.parse(
            Array(OpenAPIDocument.text.utf8), limits: .init(maxBytes: 1 << 20, maxDepth: 64))
        let answer = document["components"]?["schemas"]?["CaptureAnswer"]?["properties"]
        func documented(_ words: JSONValue?) -> Set<String>? {
            words?["enum"]?.arrayValue.map { Set($0.compactMap(\.stringValue)) }
        }
        let refusals =
            SessionRefusal.allCases.map(\.rawValue) + CaptureRefusal.allCases.map(\.rawValue)
        #expect(documented(answer?["reasons"]?["items"]) == Set(refusals))
        #expect(documented(answer?["action"]) == Set(LivenessAction.allCases.map(\.rawValue)))
        #expect(
            documented(answer?["guidance"]?["items"])
                == Set(Guidance.allCases.map(\.rawValue) + ["different_face"]))
        #expect(documented(answer?["mode"]) == Set(LivenessPolicy.Mode.allCases.map(\.rawValue)))
        #expect(
            LivenessPolicy.Mode.allCases.map(\.rawValue) == FaceCaptureMode.allCases.map(\.rawValue)
        )
        #expect(
            Set(LivenessPolicy.Action.allCases.map(\.rawValue))
                == Set(LivenessAction.drawable.map(\.rawValue)))
        #expect(
            Set(CaptureRefusal.allCases.map(\.rawValue)).isDisjoint(
                with: SessionRefusal.allCases.map(\.rawValue)))
    }
}
