/// Checks that no picture occurs twice.
///
/// Camera noise makes every frame unique. An identical picture means that a clip is looped or a
/// still is sent as a stream. A driver may deliver a frame twice, so consecutive repeats count as
/// one frame, as long as they are fewer than the other frames.
struct RepetitionCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.repetition
    static let refusals = [SessionRefusal.repeatedFrames]

    /// Number of frames remembered: half a minute at 30 frames per second.
    private static let memory = 1024

    private var recent: [UInt64] = []
    private var next = 0
    private var known: Set<UInt64> = []
    private var last: UInt64?
    private var fresh = 0, stale = 0
    private var looped = false

    init(limits: LivenessLimits) {}
    private init() {}

    mutating func observe(_ observation: LivenessObservation) {
        if case .picture(let hash) = observation { see(hash) }
    }

    mutating func restart() { self = RepetitionCheck() }

    private mutating func see(_ hash: UInt64) {
        if hash == last {
            stale += 1
            return
        }
        last = hash
        if known.contains(hash) { looped = true }
        fresh += 1
        if recent.count < Self.memory {
            recent.append(hash)
        } else {
            known.remove(recent[next])
            recent[next] = hash
            next = (next + 1) % Self.memory
        }
        known.insert(hash)
    }

    var failure: SessionRefusal? {
        looped || (stale > fresh && fresh + stale >= 10) ? .repeatedFrames : nil
    }

    /// `nil` until two pictures were compared.
    var result: LivenessCheckResult? {
        guard fresh + stale >= 2 else { return nil }
        return LivenessCheckResult(
            Self.name, refusal: failure, measured: Double(stale) / Double(fresh + stale),
            limit: 0.5)
    }
}

extension LivenessCheckResult.Check {
    public static let repetition = Self(rawValue: "repetition")
}

extension SessionRefusal {
    /// Identical pictures came again.
    public static let repeatedFrames = SessionRefusal(
        "repeated_frames", "the same pictures were repeated")
}
