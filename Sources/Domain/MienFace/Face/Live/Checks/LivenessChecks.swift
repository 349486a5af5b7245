/// The checks of a session, in the order in which their refusals are reported.
struct LivenessChecks: Sendable {
    /// A new check is added here.
    static let all: [any LivenessCheck.Type] = [
        RepetitionCheck.self, TrackCheck.self, LikenessCheck.self, BlinkCheck.self,
        DepthCheck.self, MotionCheck.self, TextureCheck.self, PresentationAttackCheck.self,
        LightCheck.self, OrderCheck.self,
    ]

    private var checks: [any LivenessCheck]

    init(challenge: LivenessChallenge, limits: LivenessLimits) {
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

    var results: [LivenessCheckResult] { checks.compactMap(\.result) }

    var refusals: [SessionRefusal] { results.compactMap(\.refusal) }
}
