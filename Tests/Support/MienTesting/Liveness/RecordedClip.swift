import MienFace

/// A recording that plays from the start regardless of requests, then stops at its last picture or
/// starts again.
public struct RecordedClip: LivenessActor {
    private let frames: [RGBImage]
    private let framesPerSecond: Double
    private let loops: Bool

    /// - Precondition: There is at least one frame.
    public init(_ frames: [RGBImage], framesPerSecond: Double, loops: Bool = false) {
        precondition(!frames.isEmpty, "a clip must have frames")
        (self.frames, self.framesPerSecond, self.loops) = (frames, framesPerSecond, loops)
    }

    public mutating func image(asked _: LivenessAction?, at time: Double) -> RGBImage {
        let i = Int((time * framesPerSecond).rounded())
        return frames[loops ? i % frames.count : min(i, frames.count - 1)]
    }
}

/// One actor, then another: the attacker replaces the first as soon as `changes` returns `true`.
public struct Splice: LivenessActor {
    private var first, second: any LivenessActor
    private var hasChanged = false
    private let changes: @Sendable (_ asked: LivenessAction?, _ time: Double) -> Bool

    public init(
        _ first: any LivenessActor, _ second: any LivenessActor,
        changes: @escaping @Sendable (LivenessAction?, Double) -> Bool
    ) {
        (self.first, self.second, self.changes) = (first, second, changes)
    }

    public mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        if changes(asked, time) { hasChanged = true }
        // Advance both, so that the second is in the same phase as the first.
        let a = first.image(asked: asked, at: time), b = second.image(asked: asked, at: time)
        return hasChanged ? b : a
    }
}

/// Performs other actions than the requested ones.
public struct Disobedient: LivenessActor {
    private var actor: any LivenessActor
    private let instead: @Sendable (LivenessAction) -> LivenessAction

    public init(
        _ actor: any LivenessActor, instead: @escaping @Sendable (LivenessAction) -> LivenessAction
    ) {
        (self.actor, self.instead) = (actor, instead)
    }

    public mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        actor.image(asked: asked.map { $0 == .keepStill ? .keepStill : instead($0) }, at: time)
    }
}
