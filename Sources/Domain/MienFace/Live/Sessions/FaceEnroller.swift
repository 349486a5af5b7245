public import MienCore

/// Enrolls a person in front of a frame source. As with ``FaceVerifier``, it works only while the
/// caller waits for an update.
public struct FaceEnroller<Reader: LiveFaceReader>: Sendable {
    /// Lets the app reject a suitable frame by returning `false`.
    public typealias Accepts = @Sendable (FrameEvent) async -> Bool

    public let settings: EnrollmentSettings
    private let reader: Reader
    private let accepts: Accepts

    public init(
        reader: Reader, settings: EnrollmentSettings = .standard,
        accepts: @escaping Accepts = { _ in true }
    ) {
        (self.reader, self.settings, self.accepts) = (reader, settings, accepts)
    }

    /// - Parameters:
    ///   - capture: The identifier that the verdict names.
    ///   - challenge: Required for `livenessActive`. The party that judges the session must draw
    ///     it.
    /// - Throws: ``SessionSettingError`` when a required challenge is missing.
    public func updates<Source: FrameSource>(
        of source: Source, capture: CaptureID, challenge: LivenessChallenge? = nil
    ) throws(SessionSettingError) -> Updates<Source> {
        let enrollment = try FaceEnrollment(
            capture: capture, settings: settings, challenge: challenge)
        return Updates(source: source, reader: reader, accepts: accepts, enrollment: enrollment)
    }

    /// Runs a session to its end.
    ///
    /// - Throws: ``SessionSettingError``, ``FrameSourceError``, and the reader's errors. A refusal
    ///   is returned, not thrown.
    public func verdict(
        of source: some FrameSource, capture: CaptureID, challenge: LivenessChallenge? = nil,
        onFrame: (@Sendable (FrameEvent) async -> Void)? = nil
    ) async throws -> EnrollmentVerdict {
        try await updates(of: source, capture: capture, challenge: challenge).verdict(
            onFrame: onFrame)
    }

    /// A session as a sequence: one event per frame, then the verdict. It can be iterated once.
    public struct Updates<Source: FrameSource>: AsyncSequence {
        public typealias Element = LiveUpdate<EnrollmentVerdict>
        let source: Source, reader: Reader, accepts: Accepts, enrollment: FaceEnrollment

        public func makeAsyncIterator() -> Iterator {
            let (reader, accepts) = (reader, accepts)
            return Iterator(
                driver: LiveDriver(source.makeAsyncIterator(), reader: reader, session: enrollment)
                { reading, event, enrollment in
                    guard await accepts(event) else { return enrollment.vetoed() }
                    enrollment.extracted(try await reader.entry(of: reading))
                })
        }

        public struct Iterator: AsyncIteratorProtocol {
            var driver: LiveDriver<Source.AsyncIterator, Reader, FaceEnrollment>

            public mutating func next() async throws -> LiveUpdate<EnrollmentVerdict>? {
                try await driver.next()
            }
        }
    }
}
