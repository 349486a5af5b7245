public import MienCore

/// Verifies a person in front of a frame source.
///
///     let verifier = FaceVerifier(
///         reader: engine, settings: .standard, compare: { try matcher.score(…) })
///     for try await update in verifier.updates(of: camera, capture: id) {
///         switch update {
///         case .frame(let event): show(event.guidance)
///         case .verdict(let verdict): …
///         }
///     }
///
/// Work happens only while the caller waits for the next update, so there are no tasks or listeners
/// to remove. Canceling the caller's task ends the session with the verdict
/// ``SessionRefusal/cancelled``.
public struct FaceVerifier<Reader: LiveFaceReader>: Sendable {
    public typealias Compare = @Sendable (FaceTemplate.Entry) throws -> MatchScore

    public let settings: VerificationSettings
    private let reader: Reader
    private let compare: Compare?
    private let describeAgain: DescribeAgain?

    /// Describes the face of a frame for other model packs, too. Returns `false` if one of them does
    /// not find it; the capture then counts as not described.
    package typealias DescribeAgain = @Sendable (FaceReading) async throws -> Bool

    /// - Parameter compare: Scores a face against the enrolled one. With `nil`, the session checks
    ///   only that a person is present.
    public init(reader: Reader, settings: VerificationSettings = .standard, compare: Compare?) {
        self.init(reader: reader, settings: settings, describeAgain: nil, compare: compare)
    }

    package init(
        reader: Reader, settings: VerificationSettings, describeAgain: DescribeAgain?,
        compare: Compare?
    ) {
        (self.reader, self.settings, self.compare) = (reader, settings, compare)
        self.describeAgain = describeAgain
    }

    /// - Parameters:
    ///   - capture: The identifier that the verdict names.
    ///   - challenge: Required for `livenessActive`. The party that judges the session must draw
    ///     it.
    /// - Throws: ``SessionSettingError`` when a required challenge is missing.
    public func updates<Source: FrameSource>(
        of source: Source, capture: CaptureID, challenge: LivenessChallenge? = nil
    ) throws(SessionSettingError) -> Updates<Source> {
        let verification = try FaceVerification(
            capture: capture, settings: settings, challenge: challenge,
            comparesFaces: compare != nil)
        return Updates(
            source: source, reader: reader, describeAgain: describeAgain, compare: compare,
            verification: verification)
    }

    /// Runs a session to its end.
    ///
    /// - Throws: ``SessionSettingError``, ``FrameSourceError``, and the errors of the reader or the
    ///   comparison. A refusal is returned, not thrown.
    public func verdict(
        of source: some FrameSource, capture: CaptureID, challenge: LivenessChallenge? = nil,
        onFrame: (@Sendable (FrameEvent) async -> Void)? = nil
    ) async throws -> VerificationVerdict {
        try await updates(of: source, capture: capture, challenge: challenge).verdict(
            onFrame: onFrame)
    }

    /// A session as a sequence: one event per frame, then the verdict. It can be iterated once.
    public struct Updates<Source: FrameSource>: AsyncSequence {
        public typealias Element = LiveUpdate<VerificationVerdict>
        let source: Source, reader: Reader, describeAgain: DescribeAgain?, compare: Compare?
        let verification: FaceVerification

        public func makeAsyncIterator() -> Iterator {
            let (reader, describeAgain, compare) = (reader, describeAgain, compare)
            return Iterator(
                driver: LiveDriver(
                    source.makeAsyncIterator(), reader: reader, session: verification
                ) { reading, _, verification in
                    let entry = try await reader.entry(of: reading)
                    guard try await describeAgain?(reading) ?? true else {
                        return verification.extracted(nil, score: nil)
                    }
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
