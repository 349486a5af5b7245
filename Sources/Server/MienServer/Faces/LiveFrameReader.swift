package import MienCore
package import MienFace

/// Analyzes the frames of live captures. Separates sessions from the code that runs networks.
package protocol LiveFrameReader: Sendable {
    /// Whether sessions judge the presentation-attack scores of its readings.
    var presentation: PresentationMode { get }
    /// Returns what one frame shows, and its picture, which the caller must release.
    ///
    /// - Parameter share: The client that the analysis is queued for.
    /// - Throws: `ImageError` for malformed or too large pictures; ``ServerBusy``.
    func liveReading(of bytes: [UInt8], index: Int, at time: Duration, for share: WorkShare)
        async throws -> FaceReading
    /// Returns the template entry of a frame that a session took, or `nil` if its face cannot be
    /// described.
    func entry(of reading: FaceReading, for share: WorkShare) async throws -> FaceTemplate.Entry?
    /// Returns the entries of the same face for templates of other model packs, or `nil` if one of
    /// the packs finds no face, or another one than the session.
    func entries(of reading: FaceReading, forPacks packs: [PackID], share: WorkShare) async throws
        -> [PackID: FaceTemplate.Entry]?
}

extension LiveFrameReader {
    package var presentation: PresentationMode { .off }
}
