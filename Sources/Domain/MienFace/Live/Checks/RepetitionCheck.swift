/// No picture twice.
///
/// A camera's noise makes every frame another. The very same picture comes again when a clip is
/// looped or a still is shown as a stream. A driver may hand out a frame twice, so repeats in a row
/// count as one frame, as long as they are fewer than the others.
struct RepetitionCheck: Sendable {
    /// Frames remembered: half a minute at 30 a second.
    private static let memory = 1024

    private var recent: [UInt64] = []
    private var next = 0
    private var known: Set<UInt64> = []
    private var last: UInt64?
    private var fresh = 0, stale = 0
    private var looped = false

    /// - Returns: is it the picture that came before?
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
