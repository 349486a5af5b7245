/// The checks of a session, in the order in which their refusals are reported.
struct LivenessChecks: Sendable {
    /// A new check is added here.
    static let all: [any LivenessCheck.Type] = [
        RepetitionCheck.self, TrackCheck.self, LikenessCheck.self, BlinkCheck.self,
        DepthCheck.self, MotionCheck.self, TextureCheck.self, PresentationAttackCheck.self,
        LightCheck.self, OrderCheck.self,
    ]

    private let limits: LivenessLimits
    private var checks: [any LivenessCheck]

    init(challenge: LivenessChallenge, limits: LivenessLimits) {
        self.limits = limits
        checks = Self.all.filter { $0.isNeeded(for: challenge) }.map { $0.init(limits: limits) }
    }

    mutating func observe(_ observation: LivenessObservation) {
        for index in checks.indices { checks[index].observe(observation) }
    }

    mutating func restart() {
        for index in checks.indices { checks[index].restart() }
    }

    var failure: SessionRefusal? { checks.lazy.compactMap(\.failure).first }

    func objection(to face: LiveFace) -> Guidance? {
        checks.lazy.compactMap { $0.objection(to: face) }.first
    }

    var wantsMore: Bool { checks.contains { $0.wantsMore } }

    /// The decision about the cues of all checks except those that are only observed.
    var decision: LivenessDecision { decision { !$0.isObserved } }

    private func decision(about isIncluded: (any LivenessCheck) -> Bool) -> LivenessDecision {
        LivenessDecision(
            checks.filter(isIncluded).reduce(into: [:]) { cues, check in
                cues.merge(check.cues) { $1 }
            })
    }

    /// A check of which a cue weighs most in a decision that refuses has the same refusal as the
    /// decision.
    var results: [LivenessCheckResult] {
        let required = decision, score = LivenessDecision.scale.score(required.total)
        var results: [LivenessCheckResult] = [], refusal: SessionRefusal?
        for check in checks {
            guard let result = check.result else { continue }
            let cues = check.cues
            let judging = check.isObserved ? decision { _ in true } : required
            // Cues that are only observed also refuse if the sum is over the limit because of them.
            guard let worst = judging.refusal(over: limits.decision),
                cues[worst] != nil
                    || (check.isObserved && required.refusal(over: limits.decision) == nil)
            else {
                results.append(result)
                continue
            }
            let finding = type(of: check).refusals[0]
            if !check.isObserved { refusal = finding }
            results.append(
                LivenessCheckResult(
                    result.check, refusal: check.isObserved ? nil : finding,
                    measured: result.measured, score: check.isObserved ? nil : score,
                    frames: result.frames,
                    observed: check.isObserved ? finding : nil))
        }
        guard !required.weights.isEmpty else { return results }
        return results + [
            LivenessCheckResult(
                .decision, refusal: refusal, measured: required.total, limit: limits.decision,
                score: score)
        ]
    }

    var refusals: [SessionRefusal] {
        results.compactMap(\.refusal).reduce(into: []) { refusals, refusal in
            if !refusals.contains(refusal) { refusals.append(refusal) }
        }
    }
}

extension LivenessCheckResult.Check {
    /// The sum of the weights of several checks' cues. Not a check of its own.
    public static let decision = Self(rawValue: "decision")
}
