/// A reason for refusing a session. The raw values are stable: they are part of JSON output and of
/// the wire protocol.
public enum SessionRefusal: String, Sendable, CaseIterable, Codable {
    // The session.
    case timedOut = "timed_out"
    case cancelled
    /// The source ended before the session.
    case sourceEnded = "source_ended"
    /// No frame had sufficient quality.
    case badQuality = "bad_quality"
    /// The face does not match the enrolled one.
    case noMatch = "no_match"
    /// A frame's time precedes that of an earlier frame.
    case clockWentBack = "clock_went_back"

    // Liveness: one value per check.
    /// The requested action did not come in time.
    case actionMissed = "action_missed"
    /// A different action came, or the action came before it was requested.
    case actionOutOfOrder = "action_out_of_order"
    /// No blink came in time.
    case blinkMissed = "blink_missed"
    /// The face went out of sight.
    case faceLost = "face_lost"
    /// The face jumped within the picture.
    case faceJumped = "face_jumped"
    /// Another face replaced it.
    case faceChanged = "face_changed"
    /// The head turned like a flat picture.
    case flat
    /// Identical pictures came again.
    case repeatedFrames = "repeated_frames"
    /// All frames show one still picture.
    case stillPicture = "still_picture"
    /// The pictures were shown in an earlier session.
    case replayed
    /// The picture has the marks of a print or a screen.
    case printOrScreen = "print_or_screen"
    /// The presentation-attack network detected an attack.
    case presentationAttack = "presentation_attack"
}
