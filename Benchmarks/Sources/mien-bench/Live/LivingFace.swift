import Foundation
import MienFace

/// Turns one real reading of a face into frames of a person who breathes and blinks, for
/// measurements without a person.
enum LivingFace {
    /// - Parameters:
    ///   - index: the index of the frame; each index gives a different frame.
    ///   - lidsDown: whether the eyes are nearly closed.
    static func moment(of face: LiveFace, at index: Int, lidsDown: Bool) -> LiveFace {
        let eyes =
            lidsDown
            ? EyeOpening(right: 0.2 * face.eyes.right, left: 0.2 * face.eyes.left) : face.eyes
        return LiveFace(
            box: face.box, mesh: face.mesh, pose: face.pose, eyes: eyes, quality: face.quality,
            likeness: face.likeness,
            patch: face.patch.map { breathing($0, at: index) })
    }

    /// Adds slow shadows over the skin: distant frames differ more than neighboring ones, and no
    /// affine map removes the difference.
    private static func breathing(_ patch: FacePatch, at index: Int) -> FacePatch {
        let phase = Double(index) * 0.35
        return FacePatch(
            brightness: patch.brightness.indices.map { i in
                let x = Double(i % FacePatch.side), y = Double(i / FacePatch.side)
                let shadow = 9 * sin(phase + x / 7) * cos(0.7 * phase + y / 5)
                return UInt8(min(255, max(0, Double(patch.brightness[i]) + shadow)))
            })
    }
}
