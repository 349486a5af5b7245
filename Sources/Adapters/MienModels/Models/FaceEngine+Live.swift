public import MienFace

/// Analyzes frames of live sessions on the engine's workers.
extension FaceEngine: LiveFaceReader {
    public func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        let analyzer = liveAnalyzer
        return try await run { _, networks in
            try analyzer.reading(of: frame, index: index, with: networks)
        }
    }

    public func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry {
        let analyzer = liveAnalyzer
        return try await run { _, networks in try analyzer.entry(of: reading, with: networks) }
    }
}
