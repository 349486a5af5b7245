public import MienCore

/// Verifies a person who is in front of a source of frames.
///
///     let verifier = FaceVerifier(reader: engine, settings: .standard, compare: { try matcher.score(…) })
///     for try await update in verifier.updates(of: camera, capture: id) {
///         switch update {
///         case .frame(let event): show(event.guidance)
///         case .verdict(let verdict): …
///         }
///     }
///
/// Nothing runs but while the caller waits for the next update: no task, no listener, nothing to
/// remove. Cancelling the caller's task ends the session with the verdict
/// ``SessionRefusal/cancelled``.
public struct FaceVerifier<Reader: LiveFaceReader>: Sendable {
    public typealias Compare = @Sendable (FaceTemplate.Entry) throws -> MatchScore

    public let settings: VerificationSettings
    private let reader: Reader
    private let compare: Compare?

    /// - Parameter compare: how well a face matches the enrolled one; `nil` asks only whether
    ///   somebody is there.
    public init(reader: Reader, settings: VerificationSettings = .standard, compare: Compare?) {
        (self.reader, self.settings, self.compare) = (reader, settings, compare)
    }

    /// - Parameters:
    ///   - capture: names what the verdict is about.
    ///   - challenge: for `livenessActive`, drawn by whoever judges.
    /// - Throws: ``SessionSettingError`` when a challenge is missing.
    public func updates<Source: FrameSource>(
        of source: Source, capture: CaptureID, challenge: LivenessChallenge? = nil
    ) throws(SessionSettingError) -> Updates<Source> {
        let verification = try FaceVerification(
            capture: capture, settings: settings, challenge: challenge,
            comparesFaces: compare != nil)
        return Updates(source: source, reader: reader, compare: compare, verification: verification)
    }

    /// Runs a session to its end.
    ///
    /// - Throws: ``SessionSettingError``, ``FrameSourceError`` and what the reader or the
    ///   comparison throws. A refusal is not thrown.
    public func verdict(
        of source: some FrameSource, capture: CaptureID, challenge: LivenessChallenge? = nil,
        onFrame: (@Sendable (FrameEvent) async -> Void)? = nil
    ) async throws -> VerificationVerdict {
        try await updates(of: source, capture: capture, challenge: challenge).verdict(
            onFrame: onFrame)
    }

    /// A session as a sequence: an event for each frame, then the verdict. Gone through once.
    public struct Updates<Source: FrameSource>: AsyncSequence {
        public typealias Element = LiveUpdate<VerificationVerdict>
        let source: Source, reader: Reader, compare: Compare?, verification: FaceVerification

        public func makeAsyncIterator() -> Iterator {
            let (reader, compare) = (reader, compare)
            return Iterator(
                driver: LiveDriver(
                    source.makeAsyncIterator(), reader: reader, session: verification
                ) { reading, _, verification in
                    let entry = try await reader.entry(of: reading)
                    verification.extracted(entry, score: try compare?(entry))
                })
        }

        public struct Iterator: AsyncIteratorProtocol {
            var driver: LiveDriver<Source.AsyncIterator, Reader, FaceVerification>

            public mutating func next() async throws -> LiveUpdate<VerificationVerdict>? {
                try await driver.next()
            }
        }
    }
}
