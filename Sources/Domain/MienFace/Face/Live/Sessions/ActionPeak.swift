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
        last = last.suffix(3) + [(progress, time)]
        guard last.count == 4 else { return progress }
        let (a, b, c, d) = (last[0], last[1], last[2], last[3]), seen = max(b.progress, c.progress)
        let gaps = [b.time - a.time, c.time - b.time, d.time - c.time]
        guard seen >= Self.nearly,
            gaps.allSatisfy({ (Self.slow...Self.slowest).contains($0) })
        else { return progress }
        // Where the line of the way out meets that of the way back. Heads slow down before they turn
        // around, so the peak is lower: halfway to it from the highest frame.
        let rise = (b.progress - a.progress) / gaps[0].seconds,
            fall = (c.progress - d.progress) / gaps[2].seconds, gap = gaps[1].seconds
        guard rise > 0, fall > 0 else { return progress }
        let turned = (c.progress - b.progress + fall * gap) / (rise + fall)
        guard (0...gap).contains(turned) else { return progress }
        return max(progress, (seen + b.progress + rise * turned) / 2)
    }
}
