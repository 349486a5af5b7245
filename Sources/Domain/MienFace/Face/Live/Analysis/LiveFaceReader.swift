/// Reads frames for a session. Separates sessions, which are pure, from the code that runs
/// networks.
public protocol LiveFaceReader: Sendable {
    /// Returns what the pipeline finds in `frame`, the stream's frame number `index`.
    func reading(of frame: Frame, index: Int) async throws -> FaceReading
    /// Returns a template entry for the face in `reading`, either to enroll or to compare.
    func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry
}
