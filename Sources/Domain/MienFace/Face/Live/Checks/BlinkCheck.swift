/// Checks that a requested blink came, and measures how far the eyes closed. ``BlinkDetector``
/// detects the blink itself.
struct BlinkCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.blink
    static let refusals = [SessionRefusal.blinkMissed]

    static func isNeeded(for challenge: LivenessChallenge) -> Bool {
        challenge.actions.contains(.blink)
    }

    private let limits: LivenessLimits
    private var openEyes = 1.0
    /// The smallest ratio of the eyes' opening to that at rest, while a blink was requested.
    private var lowest = 1.0
    private var isMissed = false

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func observe(_ observation: LivenessObservation) {
        switch observation {
        case .request(.blink, let openEyes): self.openEyes = openEyes
        case .face(let face, _, _, .blink):
            lowest = min(lowest, face.eyes.mean / max(openEyes, 1e-6))
        case .refusal(.blinkMissed): isMissed = true
        default: break
        }
    }

    /// `nil` until the eyes have closed, or the blink is missed.
    var result: LivenessCheckResult? {
        guard isMissed || lowest < limits.closed else { return nil }
        return LivenessCheckResult(
            Self.name, refusal: isMissed ? .blinkMissed : nil, measured: lowest,
            limit: limits.closed,
            // Eyes that closed far enough, but too long or too late, failed for another reason.
            score: isMissed && lowest < limits.closed
                ? nil : LivenessLimits.closedScale.score(lowest))
    }
}

extension LivenessCheckResult.Check {
    public static let blink = Self(rawValue: "blink")
}

extension SessionRefusal {
    /// No blink came in time.
    public static let blinkMissed = SessionRefusal("blink_missed", "there was no blink in time")
}

extension LivenessLimits {
    /// Eyes below this fraction of their own open median count as closed.
    package var closed: Double { at(Self.closedScale) }
    static let closedScale = LivenessScale(0.6, 0.5)
    /// Eyes above this fraction count as open again.
    package var open: Double { between(0.75, 0.8) }
    /// Maximum duration of a blink.
    package var longestBlink: Duration { .milliseconds(Int(between(600, 450))) }
}
