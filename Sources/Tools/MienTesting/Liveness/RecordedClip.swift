public import MienFace
public import MienPixels

/// A recording: it plays whatever is asked, from the start, then stands still on its last picture,
/// or begins again.
public struct RecordedClip: LivenessActor {
    private let frames: [RGBImage]
    private let framesPerSecond: Double
    private let loops: Bool

    /// - Precondition: at least one frame.
    public init(_ frames: [RGBImage], framesPerSecond: Double, loops: Bool = false) {
        precondition(!frames.isEmpty, "a clip has frames")
        (self.frames, self.framesPerSecond, self.loops) = (frames, framesPerSecond, loops)
    }

    public mutating func image(asked _: LivenessAction?, at time: Double) -> RGBImage {
        let i = Int((time * framesPerSecond).rounded())
        return frames[loops ? i % frames.count : min(i, frames.count - 1)]
    }
}

/// One actor, then another: the attacker takes the first's place when `changes` says so.
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
        // Both go on, so that the second is where the first has been.
        let a = first.image(asked: asked, at: time), b = second.image(asked: asked, at: time)
        return hasChanged ? b : a
    }
}

/// Does other actions than those that are asked for.
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
