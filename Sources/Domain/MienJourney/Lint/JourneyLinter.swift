internal import MienCore

/// Finds errors in a definition by following every path through it.
///
///     for finding in JourneyLinter.lint(journey) { print(finding) }
public enum JourneyLinter {
    /// - Parameter checksDocuments: Whether the server on which the journey will run checks documents;
    ///   `nil` if that is not known.
    /// - Returns: errors first, then by step; empty if there are no findings.
    public static func lint(_ definition: JourneyDefinition, checksDocuments: Bool? = nil)
        -> [LintFinding]
    {
        lint(definition, JourneyFlow(definition), checksDocuments: checksDocuments)
    }

    static func lint(
        _ definition: JourneyDefinition, _ flow: JourneyFlow, checksDocuments: Bool?
    ) -> [LintFinding] {
        var findings = targets(definition)
        for step in definition.steps.values {
            findings += settings(step, definition.limits).compactMap {
                guard $0.code == .documentsUnchecked, let checksDocuments else { return $0 }
                return checksDocuments
                    ? nil : LintFinding(.error, $0.code, $0.step, $0.setting, $0.message)
            }
        }
        findings += flow.isComplete ? paths(definition, flow) : [tooManyPaths]
        return findings.sorted { a, b in
            (
                a.severity == .error ? 0 : 1, a.step?.text ?? "", a.setting ?? "", a.code.rawValue,
                a.message
            )
                < (
                    b.severity == .error ? 0 : 1, b.step?.text ?? "", b.setting ?? "",
                    b.code.rawValue, b.message
                )
        }
    }

    // MARK: Paths

    private static let tooManyPaths = LintFinding(
        .error, .tooManyPaths, nil,
        "the journey has too many paths to follow: it has many loops that lead to each other; split it, or use fewer loops"
    )

    /// Returns the findings for which every path was followed.
    private static func paths(_ definition: JourneyDefinition, _ flow: JourneyFlow) -> [LintFinding]
    {
        let names = VariableNames(definition)
        var findings = ways(definition, flow)
        for (id, step) in definition.steps {
            guard let known = flow.knowledge[id]?.completed else { continue }
            findings += needs(step, known) + VariableCheck(names, step, known).findings
        }
        return findings + faces(definition, flow) + colors(definition, flow)
            + unlocks(definition, flow)
            + cycles(definition, flow) + signUps(definition) + CaptureCheck.findings(definition)
    }

    private static func targets(_ definition: JourneyDefinition) -> [LintFinding] {
        let names = definition.steps.keys.map(\.text)
        var findings: [LintFinding] = []
        if definition.steps[definition.start] == nil {
            let hint = Suggestion.text(for: definition.start.text, among: names)
            findings.append(
                LintFinding(
                    .error, .danglingTarget, nil, "start",
                    "unknown step “\(definition.start)”\(hint)"))
        }
        for (id, step) in definition.steps {
            let outcomes = step.outcomes
            for (outcome, target) in step.on {
                if definition.steps[target] == nil {
                    let hint = Suggestion.text(for: target.text, among: names)
                    findings.append(
                        LintFinding(
                            .error, .danglingTarget, id, "on.\(outcome)",
                            "unknown step “\(target)”\(hint)"))
                }
                if !outcomes.contains(outcome) {
                    findings.append(
                        LintFinding(
                            .error, .unknownOutcome, id, "on.\(outcome)",
                            neverHappens(outcome, step, outcomes)))
                }
            }
        }
        return findings
    }

    private static func neverHappens(
        _ outcome: Outcome, _ step: StepDefinition, _ outcomes: [Outcome]
    ) -> String {
        if outcome == .failure, step.step.failure != nil {
            return
                "never happens: failure_behavior is “abort”; set it to “branch” or remove this outcome"
        }
        if outcome == .cancel, step.step.client != nil {
            return
                "never happens: cancel_behavior is “abort”; set it to “cancel_branch” or remove this outcome"
        }
        guard !outcomes.isEmpty else {
            return "never happens: \(step.type.rawValue) ends the journey"
        }
        let names = outcomes.map(\.name)
        return
            "\(step.type.rawValue) does not have this outcome\(Suggestion.text(for: outcome.name, among: names)) (it has \(names.joined(separator: ", ")))"
    }

    private static func ways(_ definition: JourneyDefinition, _ flow: JourneyFlow) -> [LintFinding]
    {
        guard definition.steps[definition.start] != nil else { return [] }
        var findings = flow.missing.map { missing in
            let remedy =
                switch missing.outcome {
                case .failure: "add a next step, or set failure_behavior to “abort”"
                case .cancel: "add a next step, or set cancel_behavior to “abort”"
                default: "add a next step"
                }
            return LintFinding(
                .error, .missingOutcome, missing.step, "on.\(missing.outcome)",
                "this outcome has no next step; \(remedy)")
        }
        for id in definition.steps.keys where flow.knowledge[id] == nil {
            findings.append(
                LintFinding(
                    .warning, .unreachableStep, id,
                    "no path leads to this step; remove it or add a path"))
        }
        if !flow.knowledge.keys.contains(where: {
            definition.steps[$0]?.step.facts.end == .complete
        }) {
            findings.append(
                LintFinding(.error, .noCompletion, nil, "no path leads to a complete_journey step"))
        }
        return findings
    }

    // MARK: Sign-ups

    /// Warns if no email step verifies the address of a new user. Without it, no address is ever
    /// attached, and the end of the journey reveals whether a name is taken.
    private static func signUps(_ definition: JourneyDefinition) -> [LintFinding] {
        let steps = definition.steps.values
        guard !steps.contains(where: { $0.step.facts.verifiesAddress }) else { return [] }
        return steps.filter { $0.step.facts.createsUser }.map { step in
            LintFinding(
                .warning, .unverifiedSignUp, step.id,
                "nothing verifies the address of a new user, and anyone can learn which names are taken; add email_otp_authentication"
            )
        }
    }

    // MARK: Settings

    private static func settings(_ step: StepDefinition, _ limits: JourneyDefinition.Limits)
        -> [LintFinding]
    {
        step.step.problems(within: limits).map {
            LintFinding($0.severity, $0.code, step.id, $0.setting, $0.message)
        }
    }

    // MARK: Requirements of steps

    private static func needs(_ step: StepDefinition, _ known: LintKnowledge) -> [LintFinding] {
        let facts = step.step.facts
        var findings: [LintFinding] = []
        if let needed = facts.needsUser, known.user.map({ $0 < needed }) ?? true {
            findings.append(LintFinding(.error, .userMissing, step.id, remedy(needed, facts)))
        }
        if facts.needsCapture, !known.hasCapture {
            findings.append(
                LintFinding(
                    .error, .captureMissing, step.id,
                    "on some path there is no unused capture: add selfie_acquisition, or identity_verification with the outcome allow, before this step; each capture can be used once"
                ))
        }
        return findings
    }

    private static func remedy(_ needed: JourneyUser.Level, _ facts: StepFacts) -> String {
        switch needed {
        case .identified:
            "on some path the user is unknown: set \(facts.userSetting)"
        case .established:
            "on some path the user's identity is not established: sign the user in or create the user before this step, or set requires_user for the journey"
        case .authenticated:
            "on some path the user has not signed in: sign the user in before this step, or set requires_user for the journey"
                + (facts.levelSetting.map { ", or accept less with \($0)" } ?? "")
        }
    }

    // MARK: Faces

    private static func faces(_ definition: JourneyDefinition, _ flow: JourneyFlow) -> [LintFinding]
    {
        let faceSteps = flow.knowledge.keys.filter {
            definition.steps[$0]?.step.facts.method == .face
        }.sorted()
        guard !faceSteps.isEmpty else { return [] }
        let others = flow.reachable(from: definition.start) {
            !($0.outcome == .success && faceSteps.contains($0.from))
        }
        guard !others.contains(where: { definition.steps[$0]?.step.facts.end == .complete }) else {
            return []
        }
        return [
            LintFinding(
                .error, .faceWithoutAlternative, faceSteps[0],
                "no path completes the journey without a face: users who cannot or will not use theirs are locked out; add another path"
            )
        ]
    }

    private static func colors(_ definition: JourneyDefinition, _ flow: JourneyFlow)
        -> [LintFinding]
    {
        let selfies = flow.knowledge.keys.filter {
            definition.steps[$0]?.step.facts.requiresColors == true
        }.sorted()
        guard !selfies.isEmpty else { return [] }
        let lit: [Outcome] = [.success, .allow, .challenge, .deny]
        let others = flow.reachable(from: definition.start) {
            !(lit.contains($0.outcome) && selfies.contains($0.from))
        }
        guard !others.contains(where: { definition.steps[$0]?.step.facts.end == .complete }) else {
            return []
        }
        return [
            LintFinding(
                .warning, .lightWithoutAlternative, selfies[0], "liveness",
                "no path completes the journey without the colors of the screen: people with photosensitive epilepsy are locked out; add another path, or set light_accommodation"
            )
        ]
    }

    // MARK: Unlocking

    private static func unlocks(_ definition: JourneyDefinition, _ flow: JourneyFlow)
        -> [LintFinding]
    {
        guard !definition.requiresUser else { return [] }
        func facts(_ id: StepID) -> StepFacts? { definition.steps[id]?.step.facts }
        /// Returns the steps that a thief reaches who has nothing but the user's mail or a photo.
        func withoutHold(except ends: (StepFacts) -> Bool) -> Set<StepID> {
            func reachable(_ start: StepID) -> Set<StepID> {
                flow.reachable(from: start) { edge in
                    edge.outcome != .success || !(facts(edge.from).map(ends) ?? false)
                }
            }
            return reachable(definition.start).filter { facts($0)?.proof == .weak }
                .reduce(into: []) { $0.formUnion(reachable($1)) }
        }
        func findings(_ steps: some Sequence<StepID>, _ deed: String) -> [LintFinding] {
            steps.map { id in
                LintFinding(
                    .warning, .unlockWithoutHold, id,
                    "a thief who reads the user's mail or presents a photo \(deed) immediately; add a recover_account step before this one"
                )
            }
        }
        let unlocked = withoutHold { $0.proof == .restoring }
        // A journey that has just created the account cannot set another person's password.
        let replaced = withoutHold { $0.proof == .restoring || $0.createsUser }
        return findings(unlocked.filter { facts($0)?.unlocks == true }, "gets here")
            + findings(
                replaced.filter { facts($0)?.setsPassword == true }, "sets a new password here")
    }

    // MARK: Cycles

    private static func cycles(_ definition: JourneyDefinition, _ flow: JourneyFlow)
        -> [LintFinding]
    {
        // A loop limits the paths through its body.
        let unbounded = flow.cycles {
            !(definition.steps[$0.from]?.step.facts.isLoop == true && $0.outcome == .body)
        }
        let endless = flow.cycles { edge in
            guard let step = definition.steps[edge.from] else { return false }
            let facts = step.step.facts
            return !(facts.isLoop && edge.outcome == .body)
                && (!step.isClientFacing || facts.mayContinueAtOnce)
        }
        var findings = endless.map {
            LintFinding(
                .error, .endlessCycle, $0,
                "the journey returns here without asking the client; choose another next step, or use a loop"
            )
        }
        findings += unbounded.subtracting(endless).filter {
            definition.steps[$0]?.isClientFacing ?? false
        }.map {
            LintFinding(
                .warning, .unboundedRetry, $0,
                "the journey can return here without limit; put a loop around this step")
        }
        for (id, known) in flow.knowledge
        where definition.steps[id]?.step.facts.isLoop == true
            && known.loops.contains(where: {
                $0.count >= JourneyInstance.maxNestedLoops && !$0.contains(id)
            })
        {
            findings.append(
                LintFinding(
                    .error, .loopsTooDeep, id,
                    "loops are nested deeper than \(JourneyInstance.maxNestedLoops) levels"))
        }
        return findings
    }
}

extension LintFinding {
    fileprivate init(_ severity: Severity, _ code: Code, _ step: StepID?, _ message: String) {
        self.init(severity, code, step, nil, message)
    }
}
