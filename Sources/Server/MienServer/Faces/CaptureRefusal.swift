/// Why a capture failed, beyond what the checks of liveness say (`SessionRefusal`). Stable words:
/// part of the wire protocol.
enum CaptureRefusal: String, CaseIterable {
    /// A frame's link does not follow from those before: something on the way was changed.
    case frameAltered = "frame_altered"
    /// A frame says that it was taken later than now.
    case frameEarly = "frame_early"
    /// A frame was long under way, or was held back.
    case frameLate = "frame_late"
    /// All frames were sent that a session takes.
    case tooManyFrames = "too_many_frames"
    /// The server was restarted while the session went on.
    case interrupted
    /// Pictures of one capture show two people.
    case differentFace = "different_face"
}
