public import MienCore

/// Enrolls a person in front of a frame source. As with ``FaceVerifier``, it works only while the
/// caller waits for an update.
public struct FaceEnroller<Reader: LiveFaceReader>: Sendable {
    /// Lets the app reject a suitable frame by returning `false`.
    public typealias Accepts = @Sendable (FrameEvent) async -> Bool

    public let settings: EnrollmentSettings
    private let reader: Reader
    private let accepts: Accepts
    private let control: EnrollmentControl?

    /// - Parameters:
    ///   - control: Adds frames and completes the enrollment, if the settings leave that to the
    ///     app; cancels it.
    ///   - accepts: Lets the app reject frames that the session would take.
    public init(
        reader: Reader, settings: EnrollmentSettings = .standard,
        control: EnrollmentControl? = nil, accepts: @escaping Accepts = { _ in true }
    ) {
        (self.reader, self.settings, self.accepts) = (reader, settings, accepts)
        self.control = control
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
        control?.begin(isManual: settings.control == .manual)
        return Updates(
            source: source, reader: reader, accepts: accepts, control: control,
            enrollment: enrollment)
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
        let source: Source, reader: Reader, accepts: Accepts, control: EnrollmentControl?
        let enrollment: FaceEnrollment

        public func makeAsyncIterator() -> Iterator {
            typealias Driver = LiveDriver<Source.AsyncIterator, Reader, FaceEnrollment>
            let (reader, accepts, control) = (reader, accepts, control)
            let respond: Driver.Respond = { last, enrollment in
                guard let requests = control?.take() else { return }
                try await enrollment.respond(to: requests, last, reader)
            }
            let driver = Driver(
                source.makeAsyncIterator(), reader: reader, session: enrollment,
                respond: control == nil ? nil : respond
            ) { reading, event, enrollment in
                guard await accepts(event) else { return enrollment.vetoed() }
                enrollment.extracted(try await reader.entry(of: reading))
            }
            return Iterator(driver: driver, control: control)
        }

        public struct Iterator: AsyncIteratorProtocol {
            var driver: LiveDriver<Source.AsyncIterator, Reader, FaceEnrollment>
            let control: EnrollmentControl?

            public mutating func next() async throws -> LiveUpdate<EnrollmentVerdict>? {
                let update = try await driver.next()
                switch update {
                case .frame(let event): control?.told(event, isOver: event.status == .finished)
                case .verdict, nil: control?.end()
                }
                return update
            }
        }
    }
}

extension FaceEnrollment {
    /// Performs what the app requested since the last frame.
    fileprivate mutating func respond(
        to requests: EnrollmentControl.Requests, _ last: FaceReading?, _ reader: some LiveFaceReader
    ) async throws {
        if requests.cancels { return cancel() }
        if let frame = requests.frame, let last, last.index == frame {
            addLastFrame()
            if wantsExtraction { extracted(try await reader.entry(of: last)) }
        }
        if requests.completes { complete() }
    }
}
