internal import Foundation
package import MienPixels

/// What is measured on a mesh to follow a head over time. All without unit: they do not change with
/// the size of the picture.
extension FaceMesh {
    /// How far the head is turned aside: −1...1, positive with the nose towards the picture's
    /// right.
    ///
    /// Distance of the nose's tip from the right cheek less that from the left, ÷ both. A tilted
    /// photo stays within 0.18, a real turn passes 0.5 (docs/facts.md §3).
    package var turn: Double {
        let p = points, nose = p[Landmark.noseTip]
        let a = nose.distance(to: p[Landmark.rightCheek]),
            b = nose.distance(to: p[Landmark.leftCheek])
        return (a - b) / max(a + b, 1e-9)
    }

    /// How far the head is raised: −1...1, positive with the nose towards the picture's top: the
    /// same between chin and forehead.
    ///
    /// The chin's place is taken from the mouth's corners, which the jaw moves less.
    package var nod: Double {
        let p = points, nose = p[Landmark.noseTip]
        let brow = p[Landmark.forehead],
            mouth = (p[Landmark.mouthRight] + p[Landmark.mouthLeft]) * 0.5
        let a = nose.distance(to: mouth), b = nose.distance(to: brow)
        return (a - b) / max(a + b, 1e-9)
    }

    /// How far the mouth is open: distance of the lips' inner edges ÷ distance of the eyes. About 0
    /// closed, 0.4 and more wide open.
    package var mouthOpening: Double {
        points[Landmark.lipTop].distance(to: points[Landmark.lipBottom]) / max(eyeDistance, 1e-9)
    }

    /// Size of the face in pixels, hardly changed by turns: the longer of the eyes' distance and of
    /// the way from between them to the nose's base.
    package var extent: Double {
        let between = (rightEyeCentre + leftEyeCentre) * 0.5
        return max(eyeDistance, 1.2 * between.distance(to: points[Landmark.noseBase]))
    }

    /// Points that neither jaw nor lids nor brows move: eye corners, nose, temples, cheekbones,
    /// forehead.
    static let rigid = [
        33, 133, 362, 263, 1, 2, 4, 5, 6, 168, 195, 197, 98, 327, 129, 358, 48, 278, 127, 356, 234,
        454, 93, 323, 10, 67, 297, 109, 338, 50, 280, 9,
        151, 108, 337,
    ]

    package var rigidPoints: [Point] { Self.rigid.map { points[$0] } }
}
