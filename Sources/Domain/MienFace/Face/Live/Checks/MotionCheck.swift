/// Detects still pictures. A living face always changes, even when it keeps still: it breathes, the
/// mouth and cheeks move, and the light on them changes as the head sways. Two views of one
/// picture, once aligned, differ by no more than the camera's noise, however far apart in time.
///
/// The check therefore divides the difference between distant frames by that between neighbors,
/// after an affine alignment and without the eyes. The result is about 1 for a picture, even with
/// eye holes that somebody blinks behind.
struct MotionCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.motion
    static let refusals = [SessionRefusal.stillPicture]

    /// A head turn proves depth. Without one, a session relies on the blink and on this check.
    static func isNeeded(for challenge: LivenessChallenge) -> Bool {
        !challenge.actions.contains(where: \.showsDepth)
    }

    /// Maximum number of patches kept, 4 KB each.
    private static let maxPatches = 48

    /// Brightness differences below this come from interpolation, not from the camera's noise.
    private static let floor = 1.0

    private let limits: LivenessLimits
    private var patches: [FacePatch] = []

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func observe(_ observation: LivenessObservation) {
        if let face = observation.frontalFace { see(face) }
    }

    mutating func restart() { self = MotionCheck(limits: limits) }

    private mutating func see(_ face: LiveFace) {
        guard patches.count < Self.maxPatches, let patch = face.patch else { return }
        patches.append(patch)
    }

    /// The difference between distant frames divided by that between neighbors; `nil` with too few
    /// frames.
    var unrest: Double? {
        guard patches.count >= 8 else { return nil }
        let half = patches.count / 2, step = max(1, half / 8)
        let starts = stride(from: 0, to: half, by: step)
        let near = starts.map { PatchAlignment.residual(patches[$0], patches[$0 + 1]) }
        let far = starts.map { PatchAlignment.residual(patches[$0], patches[$0 + half]) }
        return far.median / max(near.median, Self.floor)
    }

    var result: LivenessCheckResult? {
        guard let unrest else { return nil }
        return LivenessCheckResult(
            Self.name, refusal: unrest < limits.unrest ? .stillPicture : nil, measured: unrest,
            limit: limits.unrest, score: LivenessLimits.unrestScale.score(unrest))
    }
}

extension LivenessCheckResult.Check {
    public static let motion = Self(rawValue: "motion")
}

extension SessionRefusal {
    /// All frames show one still picture.
    public static let stillPicture = SessionRefusal("still_picture", "all frames show one picture")
}

extension LivenessLimits {
    /// Minimum ratio of the difference between distant frames to that between neighbors.
    package var unrest: Double { at(Self.unrestScale) }
    static let unrestScale = LivenessScale(1.25, 1.5)
}
