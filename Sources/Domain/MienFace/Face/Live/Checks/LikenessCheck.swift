/// Checks that the face stays the same: each frame must resemble the previous one, and frontal
/// frames must resemble the still phase.
struct LikenessCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.likeness
    static let refusals = [SessionRefusal.faceChanged]

    private let limits: LivenessLimits
    private var comparison: Comparison
    /// The still phase is only judged once it is complete.
    private var isConfirmed = false

    init(limits: LivenessLimits) {
        self.limits = limits
        comparison = Comparison(limits: limits)
    }

    mutating func observe(_ observation: LivenessObservation) {
        switch observation {
        case .beginning(let face, let time):
            restart()
            comparison.anchor(face.likeness)
            comparison.see(face, isFrontal: true, at: time)
        case .stillness(let face, let time):
            comparison.see(face, isFrontal: true, at: time)
            if failure == nil { comparison.anchor(face.likeness) }
        case .rest: isConfirmed = true
        case .face(let face, let time, let isFrontal, _):
            comparison.see(face, isFrontal: isFrontal, at: time)
        case .picture, .position, .request, .refusal: break
        }
    }

    mutating func restart() { self = LikenessCheck(limits: limits) }

    var failure: SessionRefusal? { comparison.hasFailed ? .faceChanged : nil }

    /// `nil` until the still phase is complete.
    var result: LivenessCheckResult? {
        guard isConfirmed else { return nil }
        return LivenessCheckResult(
            Self.name, refusal: failure, measured: comparison.lowest, limit: 0,
            score: comparison.lowestScore)
    }

    private struct Comparison: Sendable {
        let limits: LivenessLimits
        private var anchorSum: [Float] = []
        private var anchor: FaceDescriptor?
        private var last: (likeness: FaceDescriptor, time: Duration)?
        /// Smallest margin seen: how far the worst cosine is above its limit.
        private(set) var lowest = 1.0
        private var worstScore = 100
        /// Whether the likeness was unknown for longer than allowed, which no threshold accepts.
        private var wasUnknown = false
        private(set) var hasFailed = false

        init(limits: LivenessLimits) { self.limits = limits }

        /// Records a frame of the still phase.
        mutating func anchor(_ likeness: FaceDescriptor?) {
            guard let likeness else { return }
            likeness.withValues { values in
                if anchorSum.isEmpty { anchorSum = [Float](repeating: 0, count: values.count) }
                for i in values.indices { anchorSum[i] += values[i] }
            }
            anchor = try? FaceDescriptor(normalizing: anchorSum)
        }

        /// Compares neighbors regardless of their distance in time and pose, so that sending few
        /// frames does not hide a swap between two of them.
        mutating func see(_ face: LiveFace, isFrontal: Bool, at time: Duration) {
            guard let likeness = face.likeness else {
                // One or two frames from far to the side may not identify the person. After a
                // longer gap, the person is unknown.
                if let last, time - last.time > limits.gap {
                    (hasFailed, wasUnknown) = (true, true)
                }
                return
            }
            if let last {
                judge(
                    Double(likeness.cosine(with: last.likeness)), face.likenessLimits.nextScale)
            }
            if isFrontal, let anchor {
                judge(Double(likeness.cosine(with: anchor)), face.likenessLimits.frontScale)
            }
            last = (likeness, time)
        }

        /// The score of the worst cosine; `nil` if it failed for another reason.
        var lowestScore: Int? { wasUnknown ? nil : worstScore }

        private mutating func judge(_ cosine: Double, _ scale: LivenessScale) {
            let limit = limits.at(scale)
            lowest = min(lowest, cosine - limit)
            worstScore = min(worstScore, scale.score(cosine))
            if cosine < limit { hasFailed = true }
        }
    }
}

extension LivenessCheckResult.Check {
    public static let likeness = Self(rawValue: "likeness")
}

extension SessionRefusal {
    /// The face differs from the first one, as that of another person does.
    public static let faceChanged = SessionRefusal(
        "face_changed", "the face differs from the one at the beginning")
}
