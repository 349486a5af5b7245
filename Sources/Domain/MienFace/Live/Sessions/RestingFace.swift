/// Measurements of the person at rest, with which a session compares later frames.
struct RestingFace: Sendable {
    var opening, turn, nod, mouth, extent: Double

    /// Whether the head points as it did at rest.
    func isFrontal(_ mesh: FaceMesh) -> Bool {
        abs(mesh.turn - turn) < 0.2 && abs(mesh.nod - nod) < 0.08
    }

    /// Returns the progress of `action`; 1 or more means done. 0 for actions of the eyes.
    func progress(of action: LivenessAction, in mesh: FaceMesh, _ limits: LivenessLimits) -> Double
    {
        switch action {
        case .keepStill, .blink: 0
        case .turnLeft: (mesh.turn - turn) / limits.turn
        case .turnRight: (turn - mesh.turn) / limits.turn
        case .lookUp: (mesh.nod - nod) / limits.nod
        case .lookDown: (nod - mesh.nod) / limits.nod
        case .openMouth: (mesh.mouthOpening - mouth) / limits.mouth
        case .comeCloser: (mesh.extent / max(extent, 1e-9) - 1) / limits.closer
        }
    }
}
