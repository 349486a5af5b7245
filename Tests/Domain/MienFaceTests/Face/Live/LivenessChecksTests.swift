import MienTesting
import Testing

@testable import MienFace

@Suite("Liveness checks")
struct LivenessChecksTests {
    @Test("the names of checks and refusals on the wire are those of the first version")
    func names() {
        #expect(
            LivenessChecks.all.map { $0.name.rawValue } == [
                "repetition", "track", "likeness", "blink", "depth", "motion", "texture",
                "presentation_attack", "light", "order",
            ])
        #expect(
            SessionRefusal.allCases.map(\.rawValue).sorted() == [
                "action_missed", "action_out_of_order", "bad_quality", "blink_missed", "cancelled",
                "clock_went_back", "face_changed", "face_jumped", "face_lost", "flat",
                "light_flat", "light_not_followed", "no_match",
                "presentation_attack", "print_or_screen", "repeated_frames", "replayed",
                "source_ended", "still_picture", "timed_out",
            ])
        #expect(SessionRefusal.allCases.allSatisfy { !$0.words.isEmpty })
    }

    @Test("only reasons of checks and replays are about liveness")
    func liveness() {
        let ofChecks = Set(LivenessChecks.all.flatMap { $0.refusals } + [.replayed])
        #expect(Set(SessionRefusal.allCases.filter(\.isOfLiveness)) == ofChecks)
    }

    @Test("a refusal is decoded by its name, and an unknown one is rejected")
    func decoding() throws {
        for refusal in SessionRefusal.allCases {
            #expect(SessionRefusal(rawValue: refusal.rawValue)?.words == refusal.words)
        }
        #expect(SessionRefusal(rawValue: "unknown") == nil)
    }

    @Test("a check that never ran has no result")
    func neverRan() throws {
        let challenge = try LivenessChallenge(steps: [.init(.blink), .init(.turnLeft)])
        var session = LivenessSession(
            challenge: challenge, settings: try VerificationSettings(mode: .livenessActive))
        #expect(session.checks.isEmpty && session.livenessScore == 0)
        // Two frames of a person who then goes away: only what compares pictures has run.
        var person = MadePerson()
        for index in 0..<2 {
            _ = session.handle(
                person.reading(asked: nil, index: index, at: .milliseconds(40 * index)))
        }
        session.end(.sourceEnded)
        #expect(
            Set(session.checks.map(\.check.rawValue)).isSubset(of: ["repetition", "track"]),
            "\(session.checks.map(\.check.rawValue))")
        #expect(session.livenessScore == 0)
    }

    @Test("a blink that was requested and did not come has not passed")
    func unfinished() throws {
        let challenge = try LivenessChallenge(steps: [.init(.blink)])
        var session = LivenessSession(
            challenge: challenge, settings: try VerificationSettings(mode: .livenessActive))
        var person = MadePerson(), asked: LivenessAction?, index = 0
        while session.refusals == nil, asked != .blink, index < 500 {
            asked =
                session.handle(
                    person.reading(asked: nil, index: index, at: .milliseconds(40 * index))
                ).action
            index += 1
        }
        #expect(asked == .blink)
        session.end(.sourceEnded)
        #expect(!session.checks.contains { $0.check == .blink })
        #expect(session.checks.contains { $0.check == .likeness })
        #expect(session.livenessScore == 0)
    }

    @Test("the motion check takes the place of depth, and the blink check needs a blink")
    func needed() throws {
        func names(_ actions: [LivenessAction]) throws -> Set<LivenessCheckResult.Check> {
            let challenge = try LivenessChallenge(steps: actions.map { .init($0) })
            return Set(LivenessChecks.all.filter { $0.isNeeded(for: challenge) }.map { $0.name })
        }
        #expect(try names([.blink]).isSuperset(of: [.motion, .blink]))
        #expect(try names([.turnLeft]).isDisjoint(with: [.motion, .blink]))
    }
}
