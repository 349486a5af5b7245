public import MienFace

/// Reads frames of live sessions on its workers.
extension FaceEngine: LiveFaceReader {
    public func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        try await run { analyzer, networks in try LiveAnalyzer(analyzer).reading(of: frame, index: index, with: networks) }
    }

    public func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry {
        try await run { analyzer, networks in try LiveAnalyzer(analyzer).entry(of: reading, with: networks) }
    }
}
