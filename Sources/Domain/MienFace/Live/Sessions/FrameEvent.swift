public import MienPixels

/// What a session has to say about one frame.
public struct FrameEvent: Sendable {
    /// How a session took a frame.
    public enum Status: String, Sendable, CaseIterable, Codable {
        /// Seen, nothing to object to.
        case success
        case noFace = "no_face"
        case multipleFaces = "multiple_faces"
        /// Under the quality that is asked for; ``FrameEvent/guidance`` says what to do.
        case badQuality = "bad_quality"
        /// The head does not point where it has to.
        case badPose = "bad_pose"
        /// A countdown runs; frames are shown and not used.
        case countingDown = "counting_down"
        /// The app did not want it.
        case vetoed
        /// The very picture that came before; it counts for nothing.
        case repeated
        /// The session ends with this frame. How, its verdict says: an end is not a success.
        case finished
    }

    /// What became of the last frame that was taken for extraction.
    public enum Extraction: String, Sendable, CaseIterable, Codable {
        case success
        case failed
    }

    /// Frames are counted from 0.
    public let index: Int
    public let frame: Frame
    /// `nil` when there is no face.
    public let face: Rectangle?
    public let pose: HeadPose?
    /// The nine parts; `nil` without a face.
    public let quality: FaceQuality?
    public let status: Status
    public let lastExtraction: Extraction?
    /// What is asked of the person now.
    public let action: LivenessAction?
    /// 0...100: how much of what has to be shown has been shown. For a progress bar; a verdict
    /// never depends on it.
    public let livenessScore: Int
    /// Until frames are used; `nil` when nothing is counted down.
    public let countdown: Duration?
    public let guidance: Guidance?
    /// What an enrolment looks for now; `nil` elsewhere.
    public let view: EnrollmentView?
    /// Frames taken, of how many.
    public let captured: Int, wanted: Int

    init(
        _ reading: FaceReading, status: Status, lastExtraction: Extraction? = nil,
        action: LivenessAction? = nil, livenessScore: Int = 0,
        countdown: Duration? = nil, guidance: Guidance?, view: EnrollmentView? = nil,
        captured: Int = 0, wanted: Int = 1
    ) {
        (index, frame) = (reading.index, reading.frame)
        (face, pose, quality) = (reading.face?.box, reading.face?.pose, reading.face?.quality)
        (self.status, self.lastExtraction, self.action, self.livenessScore) = (
            status, lastExtraction, action, livenessScore
        )
        (self.countdown, self.guidance, self.view) = (countdown, guidance, view)
        (self.captured, self.wanted) = (captured, wanted)
    }
}
