internal import MienCore

/// The height of a movement that is seen in few frames. At six frames a second, a quick turn of the
/// head ends between two frames; the frames around it show how far it went.
///
/// Only where frames are far apart, and only for a movement that was nearly complete in a frame: no
/// flat picture that was measured comes that far.
struct ActionPeak: Sendable {
    /// The least progress in a frame from which more is concluded.
    static let nearly = 0.85
    /// The least time between frames.
    static let slow = Duration.milliseconds(110)
    /// The most time between frames. Farther apart, they do not belong to one movement.
    static let slowest = Duration.milliseconds(250)

    private var last: [(progress: Double, time: Duration)] = []

    /// - Parameter progress: In this frame; 1 is complete.
    /// - Returns: The progress in this frame or at the peak before it, whichever is greater.
    mutating func see(_ progress: Double, at time: Duration) -> Double {
        last = last.suffix(2) + [(progress, time)]
        guard last.count == 3, last[1].progress >= Self.nearly else { return progress }
        let (a, b, c) = (last[0], last[1], last[2])
        let (before, after) = (b.time - a.time, c.time - b.time)
        guard [before, after].allSatisfy({ (Self.slow...Self.slowest).contains($0) }),
            a.progress < b.progress, c.progress < b.progress
        else { return progress }
        // The parabola through the three.
        let x = -before.seconds, z = after.seconds
        let left = (a.progress - b.progress) / x, right = (c.progress - b.progress) / z
        let curve = (right - left) / (z - x), slope = left - curve * x
        guard curve < 0 else { return progress }
        return max(progress, b.progress - slope * slope / (4 * curve))
    }
}
