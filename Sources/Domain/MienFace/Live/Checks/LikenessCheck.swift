/// Checks that the face stays the same: each frame must resemble the previous one, and frontal
/// frames must resemble the still phase.
struct LikenessCheck: Sendable {
    private let limits: LivenessLimits
    private var anchorSum: [Float] = []
    private var anchor: FaceDescriptor?
    private var last: (likeness: FaceDescriptor, time: Duration)?
    /// Smallest margin seen: how far the worst cosine is above its limit.
    private(set) var lowest = 1.0
    private var failed = false

    init(limits: LivenessLimits) { self.limits = limits }

    /// Records a frame of the still phase.
    mutating func anchor(_ likeness: FaceDescriptor?) {
        guard let likeness else { return }
        likeness.withValues { values in
            if anchorSum.isEmpty { anchorSum = [Float](repeating: 0, count: values.count) }
            for i in values.indices { anchorSum[i] += values[i] }
        }
        anchor = try? FaceDescriptor(normalising: anchorSum)
    }

    /// Compares neighbors regardless of their distance in time and pose, so that sending few frames
    /// does not hide a swap between two of them.
    mutating func see(_ face: LiveFace, isFrontal: Bool, at time: Duration) {
        guard let likeness = face.likeness else {
            // One or two frames from far to the side may not identify the person. After a longer
            // gap, the person is unknown.
            if let last, time - last.time > limits.gap { failed = true }
            return
        }
        if let last { judge(Double(likeness.cosine(with: last.likeness)) - limits.likenessNext) }
        if isFrontal, let anchor {
            judge(Double(likeness.cosine(with: anchor)) - limits.likenessFront)
        }
        last = (likeness, time)
    }

    private mutating func judge(_ margin: Double) {
        lowest = min(lowest, margin)
        if margin < 0 { failed = true }
    }

    var hasFailed: Bool { failed }

    var result: LivenessCheckResult {
        LivenessCheckResult(
            .likeness, refusal: failed ? .faceChanged : nil, measured: lowest, limit: 0)
    }
}
