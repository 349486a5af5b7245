import Foundation
import MienCore
import Testing

@Suite("Liveness policies")
struct LivenessPolicyTests {
    @Test("a step makes its app's policy stricter and never laxer, for all pairs of modes")
    func modes() {
        let order = [nil] + LivenessPolicy.Mode.allCases
        for (i, app) in order.enumerated() {
            for (j, step) in order.enumerated() {
                #expect(
                    LivenessPolicy(mode: app).tightened(by: LivenessPolicy(mode: step)).mode
                        == order[max(i, j)])
                #expect(
                    LivenessPolicy(mode: app).filled(from: LivenessPolicy(mode: step)).mode == app
                        ?? step)
            }
        }
    }

    @Test(
        "tightening takes larger thresholds, shorter times, and the common actions if they suffice for a draw"
    )
    func numbers() {
        let app = LivenessPolicy(
            threshold: 20, quality: 50, timeoutSeconds: 30, actions: [.turnLeft, .blink, .lookUp],
            actionCount: 2)
        let tight = app.tightened(
            by: LivenessPolicy(
                threshold: 10, quality: 60, timeoutSeconds: 40, actions: [.lookUp, .turnLeft],
                actionCount: 2))
        #expect(
            tight
                == LivenessPolicy(
                    threshold: 20, quality: 60, timeoutSeconds: 30, actions: [.lookUp, .turnLeft],
                    actionCount: 2))
        #expect(
            app.tightened(by: LivenessPolicy(actions: [.turnRight, .blink])).actions == app.actions)
        #expect(
            app.tightened(by: LivenessPolicy()) == app && LivenessPolicy().tightened(by: app) == app
        )
    }

    @Test("a step that names fewer actions than must be drawn does not reduce them")
    func variety() {
        let app = LivenessPolicy(actions: [.turnLeft, .turnRight, .blink, .lookUp], actionCount: 4)
        let few = LivenessPolicy(actions: [.turnLeft, .blink])
        #expect(
            app.tightened(by: few).actions == app.actions && app.tightened(by: few).actionCount == 4
        )
        let three = LivenessPolicy(actions: [.turnLeft, .blink], actionCount: 3)
        #expect(LivenessPolicy(actions: app.actions).tightened(by: three).actions == app.actions)
        #expect(
            LivenessPolicy(actions: app.actions, actionCount: 2).tightened(by: few).actions
                == few.actions)
    }

    @Test("an invalid setting is named")
    func faults() {
        #expect(LivenessPolicy().faults.isEmpty)
        for (policy, setting) in [
            (LivenessPolicy(threshold: 101), "threshold"), (LivenessPolicy(quality: -1), "quality"),
            (LivenessPolicy(timeoutSeconds: 4), "timeout_seconds"),
            (LivenessPolicy(actions: []), "actions"),
            (LivenessPolicy(actions: [.blink, .lookUp]), "actions"),
            (LivenessPolicy(actions: [.turnLeft, .turnLeft]), "actions"),
            (LivenessPolicy(actionCount: 5), "action_count"),
            (LivenessPolicy(actions: [.turnLeft, .blink], actionCount: 3), "action_count"),
        ] { #expect(policy.faults.map(\.setting) == [setting]) }
    }

    @Test("a policy is encoded and decoded with the API's names")
    func names() throws {
        let policy = LivenessPolicy(
            mode: .livenessPassive, threshold: 1, quality: 2, timeoutSeconds: 30,
            actions: [.turnLeft, .blink], actionCount: 2, accommodation: false, light: .observe,
            lightAccommodation: true)
        let bytes = try JSONEncoder().encode(policy)
        #expect(try JSONDecoder().decode(LivenessPolicy.self, from: bytes) == policy)
        #expect(
            Set(try JSONText.parse(Array(bytes)).objectValue.map { Array($0.keys) } ?? [])
                == Set(LivenessPolicy.keys))
    }
}
