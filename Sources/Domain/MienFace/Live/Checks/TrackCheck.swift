internal import MienPixels

/// Checks that the face moves continuously and does not jump.
struct TrackCheck: Sendable {
    private let limits: LivenessLimits
    private var last: (box: Rectangle, time: Duration)?
    /// Largest step, as a fraction of the distance allowed in the elapsed time.
    private(set) var largest = 0.0
    private(set) var refusal: SessionRefusal?

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func see(_ box: Rectangle?, at time: Duration) {
        guard let last else {
            if let box { self.last = (box, time) }
            return
        }
        let dt = (time - last.time).seconds
        guard let box else {
            if time - last.time > limits.gap { refusal = refusal ?? .faceLost }
            return
        }
        // In widths of the face: a third for the detector's own jitter, plus ten per second.
        let width = max(last.box.width, 1)
        let allowed = 0.33 + 4 * min(dt, 0.5)
        let moved = box.centre.distance(to: last.box.centre) / width / allowed
        let grown = abs(box.width / width - 1) / allowed
        largest = max(largest, moved, grown)
        if dt > limits.gap.seconds { refusal = refusal ?? .faceLost }
        if largest > 1 { refusal = refusal ?? .faceJumped }
        self.last = (box, time)
    }

    var result: LivenessCheckResult {
        LivenessCheckResult(.track, refusal: refusal, measured: largest, limit: 1)
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
