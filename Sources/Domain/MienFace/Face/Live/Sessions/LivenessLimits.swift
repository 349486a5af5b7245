public import MienCore

/// The limits of a session, derived from `livenessThreshold`. Each check adds its own in its file.
/// For how they were set and their error rates, see docs/measurements/liveness.md.
public struct LivenessLimits: Sendable, Hashable {
    /// The position in the threshold's range, 0...1.
    private let strictness: Double
    /// Whether the presentation-attack network's scores are judged.
    public let presentation: PresentationMode
    /// Whether the reflection of the screen's colors is judged.
    public let lightMode: LightMode
    /// The colors; `nil` without.
    let light: LightChallenge?

    public init(
        threshold: Int, presentation: PresentationMode = .off, lightMode: LightMode = .off,
        light: LightChallenge? = nil
    ) {
        strictness = Double(min(100, max(0, threshold))) / 100
        self.presentation = presentation
        (self.lightMode, self.light) = (lightMode, light)
    }

    /// Returns the value at this strictness, between the laxest and the strictest.
    func between(_ lax: Double, _ strict: Double) -> Double {
        lax + (strict - lax) * strictness
    }

    /// Duration of the still phase: 1 s, or 3 s at a threshold of 100.
    public var still: Duration { .milliseconds(Int(between(1000, 3000))) }
    /// Minimum number of frames in the still phase.
    public var stillFrames: Int { Int(between(5, 15)) }

    /// How long frames in the still phase may be unfit to judge, as when a hand passes, before the
    /// phase begins again.
    var lapse: Duration { .milliseconds(500) }

    /// Minimum change of ``FaceMesh/turn`` for a turn.
    package var turn: Double { between(0.55, 0.65) }
    /// Minimum change of ``FaceMesh/nod`` for a look up or down.
    package var nod: Double { between(0.13, 0.16) }
    /// Minimum change of ``FaceMesh/mouthOpening`` for an open mouth.
    package var mouth: Double { between(0.25, 0.35) }
    /// Minimum growth of the face for coming closer.
    package var closer: Double { between(0.25, 0.35) }

    /// Minimum time from an instruction to the action. A faster action was not a response to it.
    package var reaction: Duration { .milliseconds(100) }
    /// Maximum time that the face may be out of sight.
    package var gap: Duration { .milliseconds(Int(between(500, 300))) }
}
