import MienFace

/// A person's clip cut into pieces, each shown when its action is requested: genuine behavior on
/// cue.
public struct CuedClip: LivenessActor {
    private let rest: RGBImage
    private let pieces: [LivenessAction: [RGBImage]]
    private let framesPerSecond: Double
    private var camera: Camera
    private var playing: (piece: [RGBImage], since: Double)?
    private var asked: LivenessAction?

    /// - Parameters:
    ///   - rest: Shown when nothing is requested, with the sway and noise of a camera.
    ///   - pieces: The pieces, each from rest to the action and back.
    public init(
        rest: RGBImage, pieces: [LivenessAction: [RGBImage]], framesPerSecond: Double,
        noise: Double = 1, seed: UInt64 = 1
    ) {
        (self.rest, self.pieces, self.framesPerSecond) = (rest, pieces, framesPerSecond)
        camera = Camera(noise: noise, sway: 0.3, seed: seed)
    }

    public mutating func image(asked now: LivenessAction?, at time: Double) -> RGBImage {
        if now != asked, let now, let piece = pieces[now] { playing = (piece, time + 0.3) }
        asked = now
        if let playing, time >= playing.since {
            let i = Int((time - playing.since) * framesPerSecond)
            if i < playing.piece.count { return camera.seen(playing.piece[i]) }
            self.playing = nil
        }
        let shift = camera.shift(at: time)
        return camera.seen(rest.remapped(width: rest.width, height: rest.height) { $0 - shift })
    }
}
