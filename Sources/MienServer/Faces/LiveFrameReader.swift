internal import MienFace

/// Looks at the frames of live captures: the seam between sessions and what runs networks.
protocol LiveFrameReader: Sendable {
    /// What one frame shows, and the picture, which is to be let go.
    ///
    /// - Throws: `ImageError` for what is no picture, or too large a one; ``ServerBusy``.
    func liveReading(of bytes: [UInt8], index: Int, at time: Duration) async throws -> FaceReading
    /// What a template is made of, from the frame that a session took; `nil` when its face cannot be described.
    func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry?
}
