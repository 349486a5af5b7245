internal import Foundation

/// Measurements on a mesh that follow a head over time. All are unitless, so they do not depend on
/// the picture's size.
extension FaceMesh {
    /// The head's turn sideways: −1...1, positive with the nose toward the picture's
    /// right.
    ///
    /// Computed as the nose tip's distance from the right cheek minus its distance from the left,
    /// divided by their sum. A tilted photo stays within 0.18; a real turn passes 0.5 (docs/facts.md §3).
    package var turn: Double {
        let p = points, nose = p[Landmark.noseTip]
        let a = nose.distance(to: p[Landmark.rightCheek]),
            b = nose.distance(to: p[Landmark.leftCheek])
        return (a - b) / max(a + b, 1e-9)
    }

    /// The head's elevation: −1...1, positive with the nose toward the picture's top. The
    /// same measure as ``turn``, between chin and forehead.
    ///
    /// The chin's position is derived from the mouth corners, which the jaw moves less.
    package var nod: Double {
        let p = points, nose = p[Landmark.noseTip]
        let brow = p[Landmark.forehead],
            mouth = (p[Landmark.mouthRight] + p[Landmark.mouthLeft]) * 0.5
        let a = nose.distance(to: mouth), b = nose.distance(to: brow)
        return (a - b) / max(a + b, 1e-9)
    }

    /// The mouth's opening: the distance between the lips' inner edges divided by the
    /// distance between the eyes. About 0 when closed, 0.4 or more when wide open.
    package var mouthOpening: Double {
        points[Landmark.lipTop].distance(to: points[Landmark.lipBottom]) / max(eyeDistance, 1e-9)
    }

    /// Size of the face in pixels, nearly independent of turns: the distance between the eyes or
    /// from their midpoint to the base of the nose, whichever is longer.
    package var extent: Double {
        let between = (rightEyeCenter + leftEyeCenter) * 0.5
        return max(eyeDistance, 1.2 * between.distance(to: points[Landmark.noseBase]))
    }

    /// Points that do not move with the jaw, lids, or brows: eye corners, nose, temples,
    /// cheekbones, forehead.
    static let rigid = [
        33, 133, 362, 263, 1, 2, 4, 5, 6, 168, 195, 197, 98, 327, 129, 358, 48, 278, 127, 356, 234,
        454, 93, 323, 10, 67, 297, 109, 338, 50, 280, 9,
        151, 108, 337,
    ]

    package var rigidPoints: [Point] { Self.rigid.map { points[$0] } }
}
