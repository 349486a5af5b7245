internal import MienPixels

/// Detects flat pictures. One homography maps a flat picture's points from one view to another; it
/// cannot do so for the points of a turning head.
struct DepthCheck: Sendable {
    private let limits: LivenessLimits
    private var front: [Point] = []
    private var extent = 1.0
    private var largest: [Double] = []

    init(limits: LivenessLimits) { self.limits = limits }

    /// Records a frontal frame as the reference for the other views.
    mutating func front(_ mesh: FaceMesh) { (front, extent) = (mesh.rigidPoints, mesh.extent) }

    /// Begins another turn.
    mutating func begin() { largest.append(0) }

    /// Processes a frame of the turn.
    mutating func see(_ mesh: FaceMesh) {
        guard !largest.isEmpty,
            let residual = Homography.residual(from: mesh.rigidPoints, to: front)
        else { return }
        largest[largest.count - 1] = max(largest[largest.count - 1], residual / max(extent, 1e-9))
    }

    /// Whether the current turn has shown depth.
    var isShown: Bool { (largest.last ?? 0) >= limits.depth }

    /// `nil` when no turn took place.
    var result: LivenessCheckResult? {
        guard let smallest = largest.min() else { return nil }
        return LivenessCheckResult(
            .depth, refusal: smallest < limits.depth ? .flat : nil, measured: smallest,
            limit: limits.depth)
    }
}
