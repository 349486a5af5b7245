/// The limits of all checks, derived from `livenessThreshold`. For how they were set and their
/// error rates, see docs/measurements/liveness.md.
public struct LivenessLimits: Sendable, Hashable {
    /// The position in the threshold's range, 0...1.
    private let strictness: Double

    public init(threshold: Int) { strictness = Double(min(100, max(0, threshold))) / 100 }

    private func between(_ lax: Double, _ strict: Double) -> Double {
        lax + (strict - lax) * strictness
    }

    /// Duration of the still phase: 1 s, or 3 s at a threshold of 100.
    public var still: Duration { .milliseconds(Int(between(1000, 3000))) }
    /// Minimum number of frames in the still phase.
    public var stillFrames: Int { Int(between(5, 15)) }

    /// Minimum change of ``FaceMesh/turn`` for a turn.
    package var turn: Double { between(0.55, 0.65) }
    /// Minimum change of ``FaceMesh/nod`` for a look up or down.
    package var nod: Double { between(0.13, 0.16) }
    /// Minimum change of ``FaceMesh/mouthOpening`` for an open mouth.
    package var mouth: Double { between(0.25, 0.35) }
    /// Minimum growth of the face for coming closer.
    package var closer: Double { between(0.25, 0.35) }

    /// Eyes below this fraction of their own open median count as closed.
    package var closed: Double { between(0.6, 0.5) }
    /// Eyes above this fraction count as open again.
    package var open: Double { between(0.75, 0.8) }
    /// Maximum duration of a blink.
    package var longestBlink: Duration { .milliseconds(Int(between(600, 450))) }
    /// Minimum time from an instruction to the action. A faster action was not a response to it.
    package var reaction: Duration { .milliseconds(100) }

    /// Minimum homography residual between front and side, as a fraction of the face's extent.
    package var depth: Double { between(0.05, 0.06) }
    /// Minimum cosine between the likenesses of neighboring frames.
    package var likenessNext: Double { between(0.93, 0.95) }
    /// Minimum cosine between a frontal frame and the still phase.
    package var likenessFront: Double { between(0.95, 0.96) }
    /// Minimum ratio of the difference between distant frames to that between neighbors.
    package var unrest: Double { between(1.25, 1.5) }
    /// Maximum ``TextureCues/peak``, in decibels.
    package var texturePeak: Double { between(40, 34) }
    /// Maximum ``TextureCues/glare``.
    package var glare: Double { between(0.25, 0.1) }
    /// Maximum ``TextureCues/border``, in levels.
    package var border: Double { between(170, 100) }
    /// Maximum ratio of the rows' differences between frames to the columns'.
    package var banding: Double { between(6, 3) }
    /// Fraction of the pack's own limit for its presentation-attack network.
    package var presentationAttack: Double { between(1, 0.5) }
    /// Maximum time that the face may be out of sight.
    package var gap: Duration { .milliseconds(Int(between(500, 300))) }
}
