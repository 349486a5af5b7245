/// Checks that the face moves continuously and does not jump.
struct TrackCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.track
    static let refusals = [SessionRefusal.faceLost, .faceJumped]

    private let limits: LivenessLimits
    private var last: (box: Rectangle, time: Duration)?
    /// Largest step, as a fraction of the distance allowed in the elapsed time.
    private var largest = 0.0
    private var hasMoved = false
    private(set) var failure: SessionRefusal?

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func observe(_ observation: LivenessObservation) {
        switch observation {
        case .position(let box, let time): see(box, at: time)
        case .beginning(let face, let time):
            restart()
            see(face.box, at: time)
        default: break
        }
    }

    mutating func restart() { self = TrackCheck(limits: limits) }

    private mutating func see(_ box: Rectangle?, at time: Duration) {
        guard let last else {
            if let box { self.last = (box, time) }
            return
        }
        let dt = (time - last.time).seconds
        guard let box else {
            if time - last.time > limits.gap { failure = failure ?? .faceLost }
            return
        }
        // In widths of the face: a third for the detector's own jitter, plus ten per second.
        let width = max(last.box.width, 1)
        let allowed = 0.33 + 4 * min(dt, 0.5)
        let moved = box.center.distance(to: last.box.center) / width / allowed
        let grown = abs(box.width / width - 1) / allowed
        largest = max(largest, moved, grown)
        hasMoved = true
        if dt > limits.gap.seconds { failure = failure ?? .faceLost }
        if largest > 1 { failure = failure ?? .faceJumped }
        self.last = (box, time)
    }

    /// `nil` until two positions were compared.
    var result: LivenessCheckResult? {
        guard hasMoved || failure != nil else { return nil }
        return LivenessCheckResult(Self.name, refusal: failure, measured: largest, limit: 1)
    }
}

extension LivenessCheckResult.Check {
    public static let track = Self(rawValue: "track")
}

extension SessionRefusal {
    /// The face went out of sight.
    public static let faceLost = SessionRefusal("face_lost", "the face was lost")
    /// The face jumped within the picture.
    public static let faceJumped = SessionRefusal(
        "face_jumped", "the face jumped to another position")
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
