/// Detects blinks: both eyes close well below their own open median for a moment and open again.
struct BlinkDetector: Sendable {
    private let limits: LivenessLimits
    private let median: Double
    private var closedSince: Duration?
    private var closedFrames = 0
    private var lastTime: Duration?
    /// Approximate frame interval in seconds.
    private var interval = 0.0

    /// - Parameter median: The person's own opening with open eyes.
    init(median: Double, limits: LivenessLimits) { (self.median, self.limits) = (median, limits) }

    /// - Returns: Whether a blink ended with this frame.
    mutating func see(_ eyes: EyeOpening, at time: Duration) -> Bool {
        if let lastTime {
            interval =
                interval == 0
                ? (time - lastTime).seconds : 0.8 * interval + 0.2 * (time - lastTime).seconds
        }
        lastTime = time
        let share = eyes.mean / max(median, 1e-6)
        let isClosed = share < limits.closed
        if isClosed {
            if closedSince == nil { (closedSince, closedFrames) = (time, 0) }
            closedFrames += 1
            return false
        }
        guard let since = closedSince, share > limits.open else {
            // Between closed and open: the blink continues.
            return false
        }
        closedSince = nil
        // At 30 frames per second, one dark frame is a network error; at 12, it is all that a blink
        // leaves.
        let enough = interval < 0.045 ? 2 : 1
        return closedFrames >= enough && time - since <= limits.longestBlink
    }
}
