/// What a capture session says: at its start, after each frame, and when asked.
public struct CaptureAnswer: Sendable, Hashable, Codable {
    /// `open`, `passed`, `failed`, `cancelled`.
    public var status: String
    /// For the person: `look_straight`, `face_too_far` …
    public var guidance: [String]
    /// 0...100 of the frame just sent.
    public var quality: Int?
    /// Where the face is, in pixels of the frame: x, y, width, height.
    public var face: [Double]?
    public var framesLeft: Int
    /// Milliseconds since 1970.
    public var expiresAt: Int64
    /// `image`, `liveness_passive`, `liveness_active`: what is asked for.
    public var mode: String?
    /// What the person has to do now; told when it is due, not before.
    public var action: String?
    /// 0...100: how far a live session has come. The verdict does not depend on it.
    public var progress: Int?
    /// Until a live session ends by itself, in milliseconds.
    public var countdown: Int?
    /// Since a live session began, in milliseconds: what the frames' times are counted from.
    public var elapsed: Int?
    /// Number of the next frame of a live session.
    public var nextFrame: Int?
    /// Of a live session that has begun: what its chain of frames begins with. base64url.
    public var nonce: String?
    /// Why it failed; the first is the one to tell.
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
