internal import MienCore
internal import MienFace
internal import MienModels

extension FaceEngine {
    /// Runs a job of a client, which leaves the queue when the client hangs up.
    ///
    /// - Throws: The error of `job`; as ``HangUp/cancels(_:)``.
    func serve<Output: Sendable>(
        _ share: WorkShare,
        _ job: @escaping @Sendable (FaceAnalyzer, OpenVINOFaceNetworks) throws -> Output
    ) async throws -> Output {
        try await HangUp.cancels { try await self.run(for: share, job) }
    }

    /// Describes the face of a live capture's frame; `nil` if it cannot be described.
    func entry(of reading: FaceReading, for share: WorkShare) async throws -> FaceTemplate.Entry? {
        let live = liveAnalyzer
        do {
            return try await serve(share) { _, networks in
                try live.entry(of: reading, with: networks)
            }
        } catch is FaceModelError { return nil }
    }
}
