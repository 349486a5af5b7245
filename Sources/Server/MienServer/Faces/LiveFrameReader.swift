internal import MienCore
internal import MienFace

/// Looks at the frames of live captures: the seam between sessions and what runs networks.
protocol LiveFrameReader: Sendable {
    /// What one frame shows, and the picture, which is to be let go.
    ///
    /// - Parameter share: whose turn the analysis takes.
    /// - Throws: `ImageError` for malformed or too large pictures; ``ServerBusy``.
    func liveReading(of bytes: [UInt8], index: Int, at time: Duration, for share: WorkShare)
        async throws -> FaceReading
    /// What a template is made of, from the frame that a session took; `nil` when its face cannot
    /// be described.
    func entry(of reading: FaceReading, for share: WorkShare) async throws -> FaceTemplate.Entry?
}
