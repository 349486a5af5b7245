import MienAPI
import MienCore

/// Pauses the run until a time. The client waits and responds when the time has come; an earlier
/// response is asked again, with the time that is left.
struct WaitForTime: JourneyStep {
    static let wireName: JourneyStepName? = .waitForTime
    static let lintCodes = [LintFinding.Code.waitTooLong]
    static let settings =
        [
            Setting(
                "seconds", .integer(secondsRange),
                "How long to wait. At least one of seconds and until is required; with both, the later end counts."
            ),
            Setting(
                "until", .expression,
                "The time to wait for, in milliseconds since 1970. The step ends at once if that time has passed, and fails if the run ends first."
            ),
        ] + FailureSettings.settings + ClientSettings.settings

    static let example: [String: JSONValue] = ["seconds": 60]

    /// A wait is shorter than the longest life of a run.
    private static let secondsRange = 1...(JourneyDefinition.Limits.lifetimeRange.upperBound - 1)

    let seconds: Int?
    let until: JourneyExpression?
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        seconds = try reader.integer("seconds", Self.secondsRange)
        until = try reader.expression("until")
        guard seconds != nil || until != nil else {
            throw JourneyDefinitionError(
                path: reader.path, reason: "seconds or until is required")
        }
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.outcomes = [StepFacts.OutcomeFacts(.success)]
        facts.reads = until.map { [StepFacts.Read("until", $0)] } ?? []
        // A time in the past does not wait.
        facts.mayContinueAtOnce = seconds == nil
        facts.add(failure, client)
        return facts
    }

    func problems(within limits: JourneyDefinition.Limits) -> [SettingProblem] {
        guard let seconds, seconds >= limits.lifetimeSeconds else { return [] }
        return [
            SettingProblem(
                .error, .waitTooLong, "seconds",
                "a run ends \(limits.lifetimeSeconds) seconds after its start, before this wait does; wait less, or raise limits.lifetime_seconds"
            )
        ]
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let end = try end(run)
        guard run.now < end else { return .leave(.success) }
        guard end < run.instance.expiresAt else { throw StepFault(.limitReached) }
        return ask(end, run, error: nil)
    }

    private func end(_ run: StepRun) throws(StepFault) -> Instant {
        var end = run.now + .seconds(seconds ?? 0)
        if let until {
            guard let number = try run.value(until).numberValue, number >= 0,
                let milliseconds = Int64(exactly: number.rounded(.up))
            else { throw StepFault(.expressionFailed) }
            end = max(end, Instant(milliseconds: milliseconds))
        }
        return end
    }

    func options(_ asked: Asked) -> [ClientOption] {
        [ClientOption(.clientInput, label: "Continue")]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .wait(let end) = asked else { throw .invalidState }
        return run.now < end ? ask(end, run, error: "not_yet") : .leave(.success)
    }

    private func ask(_ end: Instant, _ run: StepRun, error: String?) -> Move {
        var data: [String: JSONValue] = [
            "wait_until": .number(Double(end.milliseconds)),
            "milliseconds_left": .number(Double(end.milliseconds - run.now.milliseconds)),
        ]
        if let error { data["error"] = ["code": .string(error)] }
        return .ask(.object(data), .wait(until: end))
    }
}

extension LintFinding.Code {
    static let waitTooLong = Self(rawValue: "wait_too_long")
}
