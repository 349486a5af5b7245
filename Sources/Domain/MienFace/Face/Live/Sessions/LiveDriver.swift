/// A session that ``LiveDriver`` can run: takes readings and returns events, and at the end a
/// verdict.
protocol DrivenSession: Sendable {
    associatedtype Verdict: Sendable

    /// `nil` while the session runs.
    var verdict: Verdict? { get }
    /// Whether the last reading must be described before the next one is handled.
    var wantsExtraction: Bool { get }
    mutating func handle(_ reading: FaceReading) -> FrameEvent
    mutating func sourceEnded()
    mutating func cancel()
}

extension FaceVerification: DrivenSession {}
extension FaceEnrollment: DrivenSession {}

/// Pulls frames through a session, one update per call to ``next()``. Does nothing between calls.
struct LiveDriver<Frames: AsyncIteratorProtocol, Reader: LiveFaceReader, Session: DrivenSession>
where Frames.Element == Frame {
    /// Supplies the entry that ``DrivenSession/wantsExtraction`` requests.
    typealias Extract =
        @Sendable (_ reading: FaceReading, _ event: FrameEvent, _ session: inout Session)
        async throws -> Void

    /// Passes on what the app has requested since the last frame.
    typealias Respond =
        @Sendable (_ last: FaceReading?, _ session: inout Session) async throws -> Void

    private var frames: Frames?
    private let reader: Reader
    private var session: Session
    private let extract: Extract
    private let respond: Respond?
    private var last: FaceReading?
    private var index = 0, hasTold = false

    init(
        _ frames: Frames, reader: Reader, session: Session, respond: Respond? = nil,
        extract: @escaping Extract
    ) {
        (self.frames, self.reader, self.session, self.extract) = (frames, reader, session, extract)
        self.respond = respond
    }

    mutating func next() async throws -> LiveUpdate<Session.Verdict>? {
        if session.verdict == nil { try await respond?(last, &session) }
        if session.verdict == nil {
            switch try await nextFrame() {
            case .frame(let frame):
                let reading = try await reader.reading(of: frame, index: index)
                index += 1
                if respond != nil { last = reading }
                let event = session.handle(reading)
                if session.wantsExtraction { try await extract(reading, event, &session) }
                return .frame(event)
            case .ended: session.sourceEnded()
            case .cancelled: session.cancel()
            }
        }
        // Release the source before returning the verdict, so that a camera's light goes out.
        (frames, last) = (nil, nil)
        guard !hasTold, let verdict = session.verdict else { return nil }
        hasTold = true
        return .verdict(verdict)
    }

    /// The outcome of waiting for a frame.
    private enum NextFrame { case frame(Frame), ended, cancelled }

    /// Returns the next frame. Cancellation is an outcome, not an error.
    private mutating func nextFrame() async throws -> NextFrame {
        if Task.isCancelled { return .cancelled }
        do {
            guard let frame = try await frames?.next() else {
                return Task.isCancelled ? .cancelled : .ended
            }
            return .frame(frame)
        } catch let error as FrameSourceError where error.code == .cancelled {
            return .cancelled
        } catch is CancellationError {
            return .cancelled
        }
    }
}

extension AsyncSequence {
    /// Processes a session's updates and returns its verdict.
    func verdict<Verdict>(onFrame: (@Sendable (FrameEvent) async -> Void)?) async throws -> Verdict
    where Element == LiveUpdate<Verdict> {
        for try await update in self {
            switch update {
            case .frame(let event): await onFrame?(event)
            case .verdict(let verdict): return verdict
            }
        }
        throw FrameSourceError(.failed, "the session ended without a verdict")
    }
}
