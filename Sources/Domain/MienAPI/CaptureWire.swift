/// The state of a capture session: the answer at its start, after each frame, and to a status
/// request.
public struct CaptureAnswer: Sendable, Hashable, Codable {
    /// `open`, `passed`, `failed`, `cancelled`.
    public var status: String
    /// Guidance for the person: `look_straight`, `face_too_far` …
    public var guidance: [String]
    /// The quality of the last frame, 0...100.
    public var quality: Int?
    /// The position of the face in pixels of the frame: x, y, width, height.
    public var face: [Double]?
    public var framesLeft: Int
    /// Milliseconds since 1970.
    public var expiresAt: Int64
    /// The required mode: `image`, `liveness_passive`, or `liveness_active`.
    public var mode: String?
    /// The action that the person has to perform now; revealed only when it is due.
    public var action: String?
    /// The progress of a live session, 0...100. The verdict does not depend on it.
    public var progress: Int?
    /// Milliseconds until a live session ends by itself.
    public var countdown: Int?
    /// Milliseconds since a live session began. The frames' times count from the same start.
    public var elapsed: Int?
    /// The number of the next frame of a live session.
    public var nextFrame: Int?
    /// The start of the frame chain of a live session that has begun. base64url.
    public var nonce: String?
    /// The reasons for a failure; show the first one to the person.
    public var reasons: [String]?

    public init(
        status: String, guidance: [String], quality: Int? = nil, face: [Double]? = nil,
        framesLeft: Int, expiresAt: Int64, mode: String? = nil,
        action: String? = nil, progress: Int? = nil, countdown: Int? = nil, elapsed: Int? = nil,
        nextFrame: Int? = nil, nonce: String? = nil,
        reasons: [String]? = nil
    ) {
        (self.status, self.guidance, self.quality, self.face) = (status, guidance, quality, face)
        (self.framesLeft, self.expiresAt, self.mode, self.action) = (
            framesLeft, expiresAt, mode, action
        )
        (self.progress, self.countdown, self.elapsed, self.nextFrame) = (
            progress, countdown, elapsed, nextFrame
        )
        (self.nonce, self.reasons) = (nonce, reasons)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case status, guidance, quality, face, framesLeft = "frames_left", expiresAt = "expires_at"
        case mode, action, progress, countdown, elapsed, nextFrame = "next_frame", nonce, reasons
    }
}
