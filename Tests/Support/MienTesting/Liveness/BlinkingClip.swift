import MienCore
import MienFace

/// A person's clip, played back and forth without end, with the eyes drawn shut whenever a blink is
/// requested: genuine behavior on cue.
public struct BlinkingClip: LivenessActor {
    private let frames: [RGBImage]
    private let meshes: [FaceMesh?]
    private let framesPerSecond, reaction: Double
    private var generator: SeededGenerator
    private var askedAt: Double?

    /// - Parameters:
    ///   - meshes: The mesh of each frame. A frame without a mesh keeps its eyes unchanged.
    ///   - reaction: Seconds from the instruction to the movement of the lids.
    /// - Precondition: There is at least one frame, and as many meshes as frames.
    public init(
        _ frames: [RGBImage], meshes: [FaceMesh?], framesPerSecond: Double, reaction: Double = 0.3,
        seed: UInt64 = 1
    ) {
        precondition(
            !frames.isEmpty && frames.count == meshes.count,
            "a clip must have frames and a mesh for each")
        (self.frames, self.meshes, self.framesPerSecond, self.reaction) = (
            frames, meshes, framesPerSecond, reaction
        )
        generator = SeededGenerator(seed: seed)
    }

    public mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        if asked != .blink { askedAt = nil } else if askedAt == nil { askedAt = time }
        let number = Int((time * framesPerSecond).rounded()), period = max(1, 2 * frames.count - 2)
        let index = number % period < frames.count ? number % period : period - number % period
        var image = frames[index]
        if let askedAt, let mesh = meshes[index] {
            // Down in 0.06 s, shut for 0.11 s, up in 0.06 s.
            let amount = max(0, min(1, 1.7 - abs(time - askedAt - reaction - 0.11) / 0.08))
            if amount > 0 { image = ClosedEyes(of: mesh, by: amount).drawn(on: image) }
        }
        // Add new camera noise to repeated pictures, so that they are not identical.
        return number < frames.count ? image : image.withCameraNoise(1, using: &generator)
    }
}
