/// Evaluates the scores of the pack's presentation-attack network, if there is one and it is
/// enabled. Uses the session's median, so that no single frame decides.
struct PresentationAttackCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.presentationAttack
    static let refusals = [SessionRefusal.presentationAttack]

    /// Maximum number of frontal frames to evaluate.
    private static let maxFrames = 64
    private static let minFrames = 5

    private let limits: LivenessLimits
    private var attacks: [Double] = []
    private var limit = 1.0

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func observe(_ observation: LivenessObservation) {
        if let face = observation.frontalFace { see(face) }
    }

    mutating func restart() { self = PresentationAttackCheck(limits: limits) }

    mutating func see(_ face: LiveFace) {
        guard attacks.count < Self.maxFrames, let score = face.presentationAttack else { return }
        attacks.append(score.attack)
        limit = score.limit
    }

    /// `nil` without a network or with too few frames.
    var result: LivenessCheckResult? {
        guard attacks.count >= Self.minFrames else { return nil }
        let packLimit = limit, limit = packLimit * limits.presentationAttack,
            middle = attacks.median
        return LivenessCheckResult(
            Self.name, refusal: middle > limit ? .presentationAttack : nil,
            measured: middle, limit: limit,
            score: LivenessLimits.presentationAttackScale.score(middle / max(packLimit, 1e-9)))
    }
}

extension LivenessCheckResult.Check {
    public static let presentationAttack = Self(rawValue: "presentation_attack")
}

extension SessionRefusal {
    /// The presentation-attack network detected an attack.
    public static let presentationAttack = SessionRefusal(
        "presentation_attack", "it was classified as a presentation attack")
}

extension LivenessLimits {
    /// Fraction of the pack's own limit for its presentation-attack network.
    package var presentationAttack: Double { at(Self.presentationAttackScale) }
    static let presentationAttackScale = LivenessScale(1, 0.5)
}
