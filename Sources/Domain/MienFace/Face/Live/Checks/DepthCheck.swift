/// Measures depth, to detect flat pictures. One homography maps a flat picture's points from one view to another; it
/// cannot do so for the points of a turning head.
struct DepthCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.depth
    static let refusals = [SessionRefusal.flat]

    private var front: [Point] = []
    private var extent = 1.0
    private var largest: [Double] = []

    init(limits: LivenessLimits) {}

    mutating func observe(_ observation: LivenessObservation) {
        switch observation {
        case .rest(let face): front(face.mesh)
        case .request(let action, _) where action.showsDepth: begin()
        case .face(let face, _, _, let action?) where action.showsDepth: see(face.mesh)
        default: break
        }
    }

    /// Records a frontal frame as the reference for the other views.
    private mutating func front(_ mesh: FaceMesh) {
        (front, extent) = (mesh.rigidPoints, mesh.extent)
    }

    /// Begins another turn.
    private mutating func begin() { largest.append(0) }

    /// Processes a frame of the turn.
    private mutating func see(_ mesh: FaceMesh) {
        guard !largest.isEmpty,
            let residual = Homography.residual(from: mesh.rigidPoints, to: front)
        else { return }
        largest[largest.count - 1] = max(largest[largest.count - 1], residual / max(extent, 1e-9))
    }

    var cues: [LivenessDecision.Cue: Double] { largest.min().map { [.depth: $0] } ?? [:] }

    /// `nil` when no turn took place.
    var result: LivenessCheckResult? {
        largest.min().map { LivenessCheckResult(Self.name, refusal: nil, measured: $0) }
    }
}

extension LivenessCheckResult.Check {
    public static let depth = Self(rawValue: "depth")
}

extension SessionRefusal {
    /// The head turned like a flat picture.
    public static let flat = SessionRefusal("flat", "the head turned like a flat picture")
}
