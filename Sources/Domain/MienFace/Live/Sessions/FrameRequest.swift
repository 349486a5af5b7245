package import MienPixels

/// The needs of a session for its next frame, so that readers run no network without need.
///
/// A frame is either examined or only followed. To follow a face is to fit the mesh where it was in
/// the last frame, which costs a third of an examination: no other face is looked for, and nothing
/// tells who it is. Therefore a session uses a followed frame only against the person, such as
/// when the head moves in a wrong direction or jumps. Whatever a session accepts as proof was examined:
/// the still phase, the end of each action, its depth, each open or closed eye of a blink, the return
/// to the front, and all that is judged of the face's surface. So an attacker gains nothing from
/// frames that are not examined, even one who knows which they are.
///
/// A face is examined as soon as it has moved since it was last examined, so that neighbors remain
/// comparable, and otherwise every 250 ms.
public struct FrameRequest: Sendable {
    /// Examines the frame completely.
    public static let everything = FrameRequest(rest: nil, following: nil)

    /// A face that may be followed.
    struct Following: Sendable {
        /// The face in the last frame.
        let mesh: FaceMesh
        let box: Rectangle
        /// The mesh when the person was last recognized.
        let examined: FaceMesh
        /// When to examine the face again, even if it keeps still.
        let due: Duration
        let rest: RestingFace
        /// The requested action.
        let action: LivenessAction?
        /// Whether the face is expected to return to the front.
        let isReturning: Bool
        let limits: LivenessLimits
    }

    /// `nil` if the surface and the eyes are judged in every pose.
    private let rest: RestingFace?
    private let following: Following?

    init(rest: RestingFace?, following: Following?) {
        (self.rest, self.following) = (rest, following)
    }

    /// Returns the face to follow in a frame of this time; `nil` if the frame must be examined.
    package func followed(at time: Duration) -> (mesh: FaceMesh, box: Rectangle)? {
        guard let following, time < following.due else { return nil }
        return (following.mesh, following.box)
    }

    /// Whether a followed face shows something that may count for the person, or has moved since it
    /// was examined. Such a frame must be examined.
    package func isNotable(_ mesh: FaceMesh) -> Bool {
        guard let following else { return true }
        let last = following.examined, rest = following.rest
        if let action = following.action,
            rest.progress(of: action, in: mesh, following.limits) >= 0.9
        {
            return true
        }
        if following.isReturning, rest.isFrontal(mesh) { return true }
        return abs(mesh.turn - last.turn) > 0.1 || abs(mesh.nod - last.nod) > 0.05
            || abs(mesh.mouthOpening - last.mouthOpening) > 0.1
            || abs(mesh.extent / max(last.extent, 1e-9) - 1) > 0.1
    }

    /// Whether the session judges the surface and the eyes of a face in this position.
    func judgesSurface(of mesh: FaceMesh) -> Bool { rest?.isFrontal(mesh) ?? true }
}
