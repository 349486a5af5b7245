/// The limits of all checks, from `livenessThreshold`. How they were set, and how often they err:
/// docs/measurements/liveness.md.
public struct LivenessLimits: Sendable, Hashable {
    /// 0...1 of the threshold's range.
    private let strictness: Double

    public init(threshold: Int) { strictness = Double(min(100, max(0, threshold))) / 100 }

    private func between(_ lax: Double, _ strict: Double) -> Double {
        lax + (strict - lax) * strictness
    }

    /// How long to keep still: 1 s, at 100 three.
    public var still: Duration { .milliseconds(Int(between(1000, 3000))) }
    /// Frames of the still phase at least.
    public var stillFrames: Int { Int(between(5, 15)) }

    /// Change of ``FaceMesh/turn`` that is a turn.
    package var turn: Double { between(0.55, 0.65) }
    /// Change of ``FaceMesh/nod`` that is a look up or down.
    package var nod: Double { between(0.13, 0.16) }
    /// Change of ``FaceMesh/mouthOpening`` that is an open mouth.
    package var mouth: Double { between(0.25, 0.35) }
    /// Growth of the face that is coming closer.
    package var closer: Double { between(0.25, 0.35) }

    /// Eyes under this part of their own open median are closed.
    package var closed: Double { between(0.6, 0.5) }
    /// Eyes over it are open again.
    package var open: Double { between(0.75, 0.8) }
    /// A blink lasts no longer.
    package var longestBlink: Duration { .milliseconds(Int(between(600, 450))) }
    /// An action within this time of its instruction was not done on it.
    package var reaction: Duration { .milliseconds(100) }

    /// Of the homography between front and side, as a part of the face's extent.
    package var depth: Double { between(0.05, 0.06) }
    /// Cosine of two frames' likenesses next to each other.
    package var likenessNext: Double { between(0.93, 0.95) }
    /// Cosine of a frame from the front and the still phase.
    package var likenessFront: Double { between(0.95, 0.96) }
    /// Frames far apart differ by so much more than neighbours.
    package var unrest: Double { between(1.25, 1.5) }
    /// ``TextureCues/peak``, in decibels.
    package var texturePeak: Double { between(40, 34) }
    /// ``TextureCues/glare``.
    package var glare: Double { between(0.25, 0.1) }
    /// ``TextureCues/border``, in levels.
    package var border: Double { between(170, 100) }
    /// Rows' differences between frames ÷ columns'.
    package var banding: Double { between(6, 3) }
    /// Of the pack's own limit for its presentation-attack network.
    package var presentationAttack: Double { between(1, 0.5) }
    /// How long the face may be out of sight.
    package var gap: Duration { .milliseconds(Int(between(500, 300))) }
}
