internal import MienPixels

/// A flat picture cannot turn its head: its points in one view go over into those of another by one
/// homography. Those of a head do not.
struct DepthCheck: Sendable {
    private let limits: LivenessLimits
    private var front: [Point] = []
    private var extent = 1.0
    private var largest: [Double] = []

    init(limits: LivenessLimits) { self.limits = limits }

    /// A frame from the front: what the others are held against.
    mutating func front(_ mesh: FaceMesh) { (front, extent) = (mesh.rigidPoints, mesh.extent) }

    /// Another turn begins.
    mutating func begin() { largest.append(0) }

    /// A frame of the turn.
    mutating func see(_ mesh: FaceMesh) {
        guard !largest.isEmpty,
            let residual = Homography.residual(from: mesh.rigidPoints, to: front)
        else { return }
        largest[largest.count - 1] = max(largest[largest.count - 1], residual / max(extent, 1e-9))
    }

    /// Has the turn that runs shown depth?
    var isShown: Bool { (largest.last ?? 0) >= limits.depth }

    /// `nil` when nothing turned.
    var result: LivenessCheckResult? {
        guard let least = largest.min() else { return nil }
        return LivenessCheckResult(
            .depth, refusal: least < limits.depth ? .flat : nil, measured: least,
            limit: limits.depth)
    }
}
