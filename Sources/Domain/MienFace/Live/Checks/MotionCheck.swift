/// Detects still pictures. A living face always changes, even when it keeps still: it breathes, the
/// mouth and cheeks move, and the light on them changes as the head sways. Two views of one
/// picture, once aligned, differ by no more than the camera's noise, however far apart in time.
///
/// The check therefore divides the difference between distant frames by that between neighbors,
/// after an affine alignment and without the eyes. The result is about 1 for a picture, even with
/// eye holes that somebody blinks behind.
struct MotionCheck: Sendable {
    /// Maximum number of patches kept, 4 KB each.
    private static let maxPatches = 48

    /// Brightness differences below this come from interpolation, not from the camera's noise.
    private static let floor = 1.0

    private let limits: LivenessLimits
    private var patches: [FacePatch] = []

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func see(_ face: LiveFace) {
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
            .motion, refusal: unrest < limits.unrest ? .stillPicture : nil, measured: unrest,
            limit: limits.unrest)
    }
}
