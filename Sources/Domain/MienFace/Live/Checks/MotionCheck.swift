/// A face that lives is never quite the same, even still: it breathes, the mouth and the cheeks
/// move, the light on them changes as the head sways. Two views of one picture differ, once laid
/// onto each other, by no more than the camera's noise, however far apart in time.
///
/// So frames far apart are held against neighbours: the difference between them, after an affine
/// alignment and without the eyes, ÷ that of neighbours. About 1 for a picture, whatever is done
/// behind holes for its eyes.
struct MotionCheck: Sendable {
    /// Patches kept, of 4 KB each.
    private static let most = 48

    /// Less than this, in levels of brightness, is not the camera's noise but interpolation's.
    private static let floor = 1.0

    private let limits: LivenessLimits
    private var patches: [FacePatch] = []

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func see(_ face: LiveFace) {
        guard patches.count < Self.most, let patch = face.patch else { return }
        patches.append(patch)
    }

    /// Frames far apart, against neighbours; `nil` with too few.
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
