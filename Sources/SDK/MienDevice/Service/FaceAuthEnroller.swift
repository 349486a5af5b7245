internal import MienCore
public import MienFace

/// One enrollment in front of the service's camera: a countdown, then frames, then the face to
/// store.
///
/// ```swift
/// let enroller = try await service.enroller(reader: engine)
/// for try await update in try enroller.updates() {
///     switch update {
///     case .countdown(let seconds): show(seconds)
///     case .capturingStarted, .capturingEnded: …
///     case .frame(let event): show(event)
///     case .finished(let result):
///         guard let face = result.face else { return show(result.verdict.refusals) }
///         try await service.enroll(face, as: ada, pin: pin)
///     }
/// }
/// ```
///
/// With settings whose control is manual, the app decides: ``addFrame(_:)`` and
/// ``completeEnrollment()`` while handling an update.
public struct FaceAuthEnroller<Reader: LiveFaceReader>: Sendable {
    public let settings: EnrollmentSettings
    private let frames: ServiceFrames
    private let reader: Reader
    private let packID: PackID
    private let now: @Sendable () -> Instant
    private let control = EnrollmentControl()

    init(
        settings: EnrollmentSettings, frames: ServiceFrames, reader: Reader, packID: PackID,
        now: @escaping @Sendable () -> Instant
    ) {
        (self.settings, self.frames, self.reader) = (settings, frames, reader)
        (self.packID, self.now) = (packID, now)
    }

    /// Marks the frame of the last event for extraction, see ``EnrollmentControl/addFrame(_:)``.
    public func addFrame(_ event: FrameEvent) throws(EnrollmentRequestError) {
        try control.addFrame(event)
    }

    /// Ends the enrollment with the frames taken so far.
    public func completeEnrollment() throws(EnrollmentRequestError) {
        try control.completeEnrollment()
    }

    /// Ends the enrollment without a result, before the next frame. To end it at once, cancel the
    /// task that iterates over the updates.
    public func cancel() { control.cancel() }

    /// Returns the updates. They can be iterated once, and the camera is released with them.
    ///
    /// - Parameter accepts: Lets the app reject frames that the session would take.
    public func updates(accepts: @escaping FaceEnroller<Reader>.Accepts = { _ in true })
        throws(SessionSettingError) -> Updates
    {
        let enroller = FaceEnroller(
            reader: reader, settings: settings, control: control, accepts: accepts)
        var generator = SystemRandomNumberGenerator()
        return Updates(
            base: try enroller.updates(
                of: frames, capture: .random(using: &generator),
                challenge: settings.challenge(using: &generator)), packID: packID, now: now)
    }

    /// Runs the enrollment to its end.
    public func result(onUpdate: (@Sendable (FaceAuthEnrollmentUpdate) async -> Void)? = nil)
        async throws -> FaceAuthEnrollmentResult
    {
        for try await update in try updates() {
            await onUpdate?(update)
            if case .finished(let result) = update { return result }
        }
        throw CancellationError()
    }

    public struct Updates: AsyncSequence {
        public typealias Element = FaceAuthEnrollmentUpdate
        fileprivate let base: FaceEnroller<Reader>.Updates<ServiceFrames>
        fileprivate let packID: PackID
        fileprivate let now: @Sendable () -> Instant

        public func makeAsyncIterator() -> Iterator {
            Iterator(base: base.makeAsyncIterator(), packID: packID, now: now)
        }
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: FaceEnroller<Reader>.Updates<ServiceFrames>.Iterator
        fileprivate let packID: PackID
        fileprivate let now: @Sendable () -> Instant
        private var phases = EnrollmentPhases()
        private var waiting: [FaceAuthEnrollmentUpdate] = []

        fileprivate init(
            base: FaceEnroller<Reader>.Updates<ServiceFrames>.Iterator, packID: PackID,
            now: @escaping @Sendable () -> Instant
        ) {
            (self.base, self.packID, self.now) = (base, packID, now)
        }

        public mutating func next() async throws -> FaceAuthEnrollmentUpdate? {
            while waiting.isEmpty {
                switch try await base.next() {
                case nil: return nil
                case .frame(let event)?: waiting = phases.updates(for: event)
                case .verdict(let verdict)?:
                    waiting = phases.end()
                    waiting.append(
                        .finished(
                            try FaceAuthEnrollmentResult(verdict, packID: packID, at: now())))
                }
            }
            return waiting.removeFirst()
        }
    }
}

/// A step of an enrollment. The last update is always `finished`, which does not mean success.
public enum FaceAuthEnrollmentUpdate: Sendable {
    /// The whole seconds until frames are taken, each once.
    case countdown(seconds: Int)
    /// The countdown is over, and frames are taken from now on.
    case capturingStarted
    /// A frame, with guidance for the person.
    case frame(FrameEvent)
    /// No more frames are taken.
    case capturingEnded
    case finished(FaceAuthEnrollmentResult)
}

/// The end of an enrollment.
public struct FaceAuthEnrollmentResult: Sendable {
    public let verdict: EnrollmentVerdict
    /// The face to store; `nil` if the verdict refuses.
    public let face: CapturedFace?

    init(_ verdict: EnrollmentVerdict, packID: PackID, at now: Instant) throws {
        self.verdict = verdict
        if case .captured(let captures) = verdict.outcome {
            face = try CapturedFace(captures, packID: packID, createdAt: now)
        } else {
            face = nil
        }
    }
}

/// Finds the countdown and the start and end of capturing in a session's events.
struct EnrollmentPhases: Sendable {
    private var lastSecond: Int?
    private var hasStarted = false, hasEnded = false

    mutating func updates(for event: FrameEvent) -> [FaceAuthEnrollmentUpdate] {
        var updates: [FaceAuthEnrollmentUpdate] = []
        if let countdown = event.countdown {
            let second = Int((countdown / .seconds(1)).rounded(.up))
            if second != lastSecond { updates.append(.countdown(seconds: second)) }
            lastSecond = second
        } else if !hasStarted, event.status != .finished {
            hasStarted = true
            updates.append(.capturingStarted)
        }
        updates.append(.frame(event))
        if event.status == .finished { updates += end() }
        return updates
    }

    mutating func end() -> [FaceAuthEnrollmentUpdate] {
        guard hasStarted, !hasEnded else { return [] }
        hasEnded = true
        return [.capturingEnded]
    }
}
