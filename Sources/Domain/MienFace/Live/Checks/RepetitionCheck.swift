/// Checks that no picture occurs twice.
///
/// Camera noise makes every frame unique. An identical picture means that a clip is looped or a
/// still is sent as a stream. A driver may deliver a frame twice, so consecutive repeats count as
/// one frame, as long as they are fewer than the other frames.
struct RepetitionCheck: Sendable {
    /// Number of frames remembered: half a minute at 30 frames per second.
    private static let memory = 1024

    private var recent: [UInt64] = []
    private var next = 0
    private var known: Set<UInt64> = []
    private var last: UInt64?
    private var fresh = 0, stale = 0
    private var looped = false

    /// - Returns: Whether this picture is the same as the previous one.
    mutating func isRepeated(_ hash: UInt64) -> Bool {
        if hash == last {
            stale += 1
            return true
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
        return false
    }

    var hasFailed: Bool { looped || (stale > fresh && fresh + stale >= 10) }

    var result: LivenessCheckResult {
        LivenessCheckResult(
            .repetition, refusal: hasFailed ? .repeatedFrames : nil,
            measured: fresh + stale == 0 ? nil : Double(stale) / Double(fresh + stale),
            limit: 0.5)
    }
}
