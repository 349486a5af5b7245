import MienCore
import Testing

@testable import MienJourney

/// Explores every sequence of events in a small world: two users, two captures, and correct, wrong,
/// late, and foreign answers in every order.
///
/// The oracle does not depend on the engine. It only reads the sequence: which events were
/// accepted, and which effects had been requested by then.
@Suite("Exhaustive runs of a small world")
struct SmallWorldTests {
    private struct Story {
        var run: JourneyInstance
        /// Accepted events and the decision on each.
        var lines: [(event: JourneyEvent, decision: JourneyDecision)] = []
    }

    private static let definition: JourneyDefinition = {
        guard let definition = try? JourneyDefinition(Made.faceLogin) else {
            preconditionFailure("it is one")
        }
        return definition
    }()

    private static let now = Instant(seconds: 1_700_000_000)
    private static let users = [Made.ada, Made.bob], captures = [Made.capture, Made.otherCapture]

    /// Returns every possible event: every answer to the pending effect, to the previous one, and
    /// to an effect that never existed.
    private static func events(_ story: Story) -> [JourneyEvent] {
        var events: [JourneyEvent] = [
            .start(), .response(option: "face", data: ["user_identifier": "ada"]),
            .response(option: "password", data: ["username": "ada", "password": "x"]),
            .response(option: "client_input"), .response(option: "fail"),
            .response(option: "cancel"), .response(option: "nonsense"),
        ]
        let effects = story.lines.compactMap { $0.decision.effect }
        let tickets =
            effects.suffix(2).map(\.ticket) + [
                EffectTicket(step: StepID("face")!, turn: 1),
                EffectTicket(step: StepID("check")!, turn: 99),
            ]
        var answers: [EffectAnswer] = [
            .refused(.invalidCredentials), .user(Made.ada), .done, .consent(true),
            .userCreated(Made.ada),
        ]
        for user in users {
            answers.append(.authenticated(user, amr: ["pwd"]))
            for capture in captures {
                answers += [
                    .faceAuthenticated(user, capture: capture, amr: ["face"]),
                    .faceRegistered(user, capture: capture),
                ]
            }
        }
        for capture in captures {
            answers += [
                .captureOpened(capture, startToken: "t"), .captured(capture, summary: [:]),
            ]
        }
        for ticket in tickets {
            events += answers.map { .performed(EffectResult(ticket: ticket, answer: $0)) }
        }
        return events
    }

    /// Returns the problem with a completion for `user`; `nil` if it is legitimate.
    private static func fault(_ story: Story) -> String? {
        guard let completion = story.lines.last?.decision.completion else { return nil }
        guard let user = completion.signedInUser else { return "nobody signed in" }
        guard case .performed(let result) = story.lines.last?.event else {
            return "no verdict came last"
        }
        let asked = story.lines.compactMap { $0.decision.effect }
        guard let effect = asked.last, effect.ticket == result.ticket else {
            return "the verdict is about something else"
        }
        switch (effect.work, result.answer) {
        case (.authenticatePassword, .proof(let proof))
        where proof.user == user && proof.capture == nil: return nil
        case (.authenticateFace(let comparing), .proof(let proof))
        where proof.user == user && proof.capture == comparing.capture:
            let capture = comparing.capture
            let opened = story.lines.contains { line in
                guard case .performed(let result) = line.event else { return false }
                return result.answer == .captureOpened(capture, startToken: "t")
            }
            let live = story.lines.filter { line in
                guard case .performed(let result) = line.event else { return false }
                return result.answer == .captured(capture, summary: [:])
            }.count
            let used = asked.count {
                if case .authenticateFace(let other) = $0.work {
                    other.capture == capture
                } else {
                    false
                }
            }
            return opened && live >= used
                ? nil : "the capture is not one of a live person, or was used before"
        default: return "the verdict is none about \(user)"
        }
    }

    @Test(
        "nobody signs in without a result about them and their capture, and a rejected event changes nothing"
    )
    func walk() throws {
        let start = JourneyInstance(
            id: InstanceID("run_1")!, of: Self.definition, app: AppID("app_1")!, at: Self.now)
        var stories = [Story(run: start)], completions = 0, events = 0
        for _ in 0..<10 {
            var longer: [Story] = []
            for story in stories {
                for event in Self.events(story) {
                    events += 1
                    var run = story.run
                    guard let decision = try? run.handle(event, in: Self.definition, at: Self.now)
                    else {
                        if run != story.run {
                            Issue.record("a rejected event changed the run: \(event)")
                        }
                        continue
                    }
                    var next = story
                    next.run = run
                    next.lines.append((event, decision))
                    if let fault = Self.fault(next) { Issue.record("\(fault): \(next.lines)") }
                    if decision.completion != nil { completions += 1 }
                    if !run.hasEnded { longer.append(next) }
                }
            }
            stories = longer
        }
        // With either capture as either user, with a password as either user, and after failures.
        #expect(
            completions > 100 && events > 10_000, "\(completions) completions, \(events) events")
    }
}
