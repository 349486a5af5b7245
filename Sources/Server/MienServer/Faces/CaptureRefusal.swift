/// A reason that a capture failed, besides those of the liveness checks (`SessionRefusal`). The raw
/// values are stable because they are part of the wire protocol.
enum CaptureRefusal: String, CaseIterable {
    /// A frame's link does not follow from the frames before it: data was altered on the way.
    case frameAltered = "frame_altered"
    /// A frame's time is in the future.
    case frameEarly = "frame_early"
    /// A frame was delayed or held back.
    case frameLate = "frame_late"
    /// The client sent the maximum number of frames of a session.
    case tooManyFrames = "too_many_frames"
    /// The server was restarted during the session.
    case interrupted
    /// The capture requires colors of the screen, and the client has not said that it shows them.
    case lightNotShown = "light_not_shown"
    /// The pictures of one capture show different people.
    case differentFace = "different_face"
}
