/// Evaluates the scores of the pack's presentation-attack network, if there is one and it is
/// enabled. Uses the session's median, so that no single frame decides.
struct PresentationAttackCheck: Sendable {
    /// Maximum number of frontal frames to evaluate.
    private static let maxFrames = 64
    private static let minFrames = 5

    private let limits: LivenessLimits
    private var attacks: [Double] = []
    private var limit = 1.0

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func see(_ face: LiveFace) {
        guard attacks.count < Self.maxFrames, let score = face.presentationAttack else { return }
        attacks.append(score.attack)
        limit = score.limit
    }

    /// `nil` without a network or with too few frames.
    var result: LivenessCheckResult? {
        guard attacks.count >= Self.minFrames else { return nil }
        let limit = limit * limits.presentationAttack, middle = attacks.median
        return LivenessCheckResult(
            .presentationAttack, refusal: middle > limit ? .presentationAttack : nil,
            measured: middle, limit: limit)
    }
}
