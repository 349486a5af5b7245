/// What a capture session says after each frame.
public struct CaptureAnswer: Sendable, Hashable, Codable {
    /// `open`, `passed`, `failed`, `cancelled`.
    public var status: String
    /// For the person: `LOOK_STRAIGHT`, `MOVE_CLOSER` …
    public var guidance: [String]
    /// 0...100 of the frame just sent.
    public var quality: Int?
    /// Where the face is, in pixels of the frame: x, y, width, height.
    public var face: [Double]?
    public var framesLeft: Int
    /// Milliseconds since 1970.
    public var expiresAt: Int64

    public init(status: String, guidance: [String], quality: Int? = nil, face: [Double]? = nil, framesLeft: Int, expiresAt: Int64) {
        (self.status, self.guidance, self.quality, self.face) = (status, guidance, quality, face)
        (self.framesLeft, self.expiresAt) = (framesLeft, expiresAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case status, guidance, quality, face, framesLeft = "frames_left", expiresAt = "expires_at"
    }
}
