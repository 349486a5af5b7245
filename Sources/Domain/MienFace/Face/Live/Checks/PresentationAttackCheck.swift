internal import MienCore

/// Collects the scores of the pack's presentation-attack network. Uses the session's median, so that
/// no single frame decides.
///
/// Where it is required, it fails closed: the still phase goes on until enough frames were judged,
/// and the person is told what keeps them from it.
struct PresentationAttackCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.presentationAttack
    static let refusals = [SessionRefusal.presentationAttack]

    /// Maximum number of frontal frames to evaluate, more than any session has.
    private static let maxFrames = 1024
    /// Minimum number of frames for a result.
    static let minFrames = 10

    private let limits: LivenessLimits
    private var attacks: [Double] = []
    private var last: PresentationAttackScore?

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func observe(_ observation: LivenessObservation) {
        if let face = observation.frontalFace { see(face) }
    }

    mutating func restart() { self = PresentationAttackCheck(limits: limits) }

    mutating func see(_ face: LiveFace) {
        guard attacks.count < Self.maxFrames, let score = face.presentationAttack,
            let attack = score.attack
        else { return }
        attacks.append(attack)
        last = score
    }

    func objection(to face: LiveFace) -> Guidance? {
        guard limits.presentation == .require,
            case .closed(let gate) = face.presentationAttack?.finding
        else { return nil }
        return gate.guidance
    }

    var wantsMore: Bool { limits.presentation == .require && !hasEnough }

    private var hasEnough: Bool { limits.presentation != .off && attacks.count >= Self.minFrames }

    var isObserved: Bool { limits.presentation == .observe }

    var cues: [LivenessDecision.Cue: Double] {
        guard hasEnough, let last else { return [:] }
        return [.network: last.steps(of: attacks.median)]
    }

    /// `nil` when the check is off, and while it is only observed and has too few frames.
    var result: LivenessCheckResult? {
        if hasEnough {
            return LivenessCheckResult(
                Self.name, refusal: nil, measured: attacks.median, frames: attacks.count)
        }
        guard limits.presentation == .require else { return nil }
        return LivenessCheckResult(Self.name, refusal: .badQuality, frames: attacks.count)
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
