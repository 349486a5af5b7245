/// Reads frames for a session: the seam between sessions, which are pure, and what runs networks.
public protocol LiveFaceReader: Sendable {
    /// What the pipeline finds in `frame`, which is the stream's `index`th.
    func reading(of frame: Frame, index: Int) async throws -> FaceReading
    /// What a template is made of, or compared with.
    func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry
}
