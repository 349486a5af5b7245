/// Recognizes the dark frames of a camera that lights only some of its frames.
///
/// Cameras for face sign-in to desktops flash an infrared lamp on every second frame. The frames
/// between show a dark room. They say nothing about the person, so sessions skip them.
struct DarkFrames: Sendable {
    /// The fraction of the last lit frame's brightness below which a frame is dark.
    static let fraction = 0.6
    /// How long frames may stay dark. Longer darkness is that of the room, or of a covered lens.
    static let gap = Duration.milliseconds(300)

    private var lit: (brightness: Double, time: Duration)?

    /// Returns whether a frame lies between lit ones. Each frame has to be passed once, in order.
    mutating func contains(_ reading: FaceReading) -> Bool {
        if let lit, reading.time - lit.time <= Self.gap,
            reading.brightness < Self.fraction * lit.brightness
        {
            return true
        }
        lit = (reading.brightness, reading.time)
        return false
    }
}
