/// A session's response to one frame.
public struct FrameEvent: Sendable {
    /// A session's classification of a frame.
    public enum Status: String, Sendable, CaseIterable, Codable {
        /// The frame has no problems.
        case success
        case noFace = "no_face"
        case multipleFaces = "multiple_faces"
        /// The frame is below the required quality; ``FrameEvent/guidance`` says what to do.
        case badQuality = "bad_quality"
        /// The head does not point in the required direction.
        case badPose = "bad_pose"
        /// A countdown is running. Frames are shown but not used.
        case countingDown = "counting_down"
        /// The app rejected the frame.
        case vetoed
        /// The picture is identical to the previous one and is ignored.
        case repeated
        /// The session ended with this frame. The verdict says how; the end alone does not mean
        /// success.
        case finished
    }

    /// The result for the last frame taken for extraction.
    public enum Extraction: String, Sendable, CaseIterable, Codable {
        case success
        case failed
    }

    /// Counted from 0.
    public let index: Int
    public let frame: Frame
    /// `nil` when there is no face.
    public let face: Rectangle?
    public let pose: HeadPose?
    /// The nine parts; `nil` without a face.
    public let quality: FaceQuality?
    public let status: Status
    public let lastExtraction: Extraction?
    /// The action currently requested from the person.
    public let action: LivenessAction?
    /// 0...100: how much of the session is done, for a progress bar.
    public let progress: Int
    /// 0...100: the highest `livenessThreshold` whose limits the evidence so far meets. 0 in the
    /// mode `image`, and until each action that is measured has been performed.
    public let livenessScore: Int
    /// The time until frames are used; `nil` without a countdown.
    public let countdown: Duration?
    public let guidance: Guidance?
    /// The view that an enrollment currently needs; `nil` in other sessions.
    public let view: EnrollmentView?
    /// The number of frames taken and required.
    public let captured: Int, wanted: Int

    init(
        _ reading: FaceReading, status: Status, lastExtraction: Extraction? = nil,
        action: LivenessAction? = nil, progress: Int = 0, livenessScore: Int = 0,
        countdown: Duration? = nil, guidance: Guidance?, view: EnrollmentView? = nil,
        captured: Int = 0, wanted: Int = 1
    ) {
        (index, frame) = (reading.index, reading.frame)
        (face, pose, quality) = (reading.face?.box, reading.face?.pose, reading.face?.quality)
        (self.status, self.lastExtraction, self.action) = (status, lastExtraction, action)
        (self.progress, self.livenessScore) = (progress, livenessScore)
        (self.countdown, self.guidance, self.view) = (countdown, guidance, view)
        (self.captured, self.wanted) = (captured, wanted)
    }
}
