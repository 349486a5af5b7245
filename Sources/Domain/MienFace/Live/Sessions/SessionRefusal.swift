/// Why a session did not end well. Stable words: part of JSON output and of the wire protocol.
public enum SessionRefusal: String, Sendable, CaseIterable, Codable {
    // The session.
    case timedOut = "timed_out"
    case cancelled
    /// The source ended first.
    case sourceEnded = "source_ended"
    /// No frame was good enough.
    case badQuality = "bad_quality"
    /// The face is not the enrolled one.
    case noMatch = "no_match"
    /// Frames do not come in the order of their times.
    case clockWentBack = "clock_went_back"

    // Liveness: one word per check.
    /// The action that was asked for did not come in time.
    case actionMissed = "action_missed"
    /// Another one came, or it came before it was asked for.
    case actionOutOfOrder = "action_out_of_order"
    /// No blink in time.
    case blinkMissed = "blink_missed"
    /// The face was lost from sight.
    case faceLost = "face_lost"
    /// The face jumped from one place to another.
    case faceJumped = "face_jumped"
    /// Another face took its place.
    case faceChanged = "face_changed"
    /// The head turned as a flat picture turns.
    case flat
    /// The same pictures came again.
    case repeatedFrames = "repeated_frames"
    /// All frames show one picture.
    case stillPicture = "still_picture"
    /// These pictures were shown in an earlier session.
    case replayed
    /// The picture has the marks of a print or a screen.
    case printOrScreen = "print_or_screen"
    /// A network for presentation attacks took it for one.
    case presentationAttack = "presentation_attack"
}
