/// What the pack's presentation-attack network says, where there is one and it is used. The middle
/// of the session counts, so that one frame decides nothing.
struct PresentationAttackCheck: Sendable {
    /// Frames of a face from the front that are looked at.
    private static let most = 64
    private static let least = 5

    private let limits: LivenessLimits
    private var attacks: [Double] = []
    private var limit = 1.0

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func see(_ face: LiveFace) {
        guard attacks.count < Self.most, let score = face.presentationAttack else { return }
        attacks.append(score.attack)
        limit = score.limit
    }

    /// `nil` without a network, and with too few frames.
    var result: LivenessCheckResult? {
        guard attacks.count >= Self.least else { return nil }
        let limit = limit * limits.presentationAttack, middle = attacks.median
        return LivenessCheckResult(
            .presentationAttack, refusal: middle > limit ? .presentationAttack : nil,
            measured: middle, limit: limit)
    }
}
