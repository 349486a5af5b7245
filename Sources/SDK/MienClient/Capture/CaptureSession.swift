public import MienAPI
public import MienCore

/// A picture for a capture session, as the camera's encoder returns it.
public struct CaptureFrame: Sendable {
    public enum ContentType: String, Sendable, Hashable {
        case jpeg = "image/jpeg", png = "image/png", gif = "image/gif"
    }

    public let bytes: [UInt8]
    public let type: ContentType
    /// The time at which it was taken, since the session began. `nil` means the time of submission.
    public let time: Duration?

    public init(_ bytes: [UInt8], _ type: ContentType = .jpeg, time: Duration? = nil) {
        (self.bytes, self.type, self.time) = (bytes, type, time)
    }
}

/// A frame shows a face, so only its type and size are printed.
extension CaptureFrame: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(type.rawValue), \(bytes.count) bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Sends frames to the capture session of a step until the session has passed or failed.
///
///     let session = try CaptureSession(startToken: token, MienOptions(serverPath: "https://login.example.org"))
///     for try await answer in session.updates(of: camera.frames) { show(answer.guidance, answer.action) }
///     if try await session.status().hasPassed { … }
///
/// If the server requires liveness, the frames come from a camera at ten or more a second, and each
/// is linked to the earlier ones. If a picture is enough, frames are sent one at a time until one
/// passes.
public actor CaptureSession {
    let token: Sensitive<String>
    let connection: Connection
    private var framesLeft: Int?
    var live: LiveFrames?
    /// The nonce of the live session that ``live`` belongs to.
    private var nonce: [UInt8]?
    /// The maximum size of a batch of pictures in bytes. It is well below the servers' default
    /// limit of 16 MiB, and shrinks when a server accepted less.
    var batchBytes = 3 << 20

    public init(startToken: Sensitive<String>, _ options: MienOptions) throws(MienError) {
        self.init(startToken, try options.connection { try await Task.sleep(for: $0) })
    }

    /// - Parameter clock: The time since any fixed moment; it must advance steadily.
    init(
        _ token: Sensitive<String>, _ connection: Connection,
        clock: @escaping @Sendable () -> Duration = CaptureSession.steady
    ) {
        (self.token, self.connection, self.clock) = (token, connection, clock)
    }

    private let clock: @Sendable () -> Duration
    private static let zero = ContinuousClock.now
    static let steady: @Sendable () -> Duration = { ContinuousClock.now - zero }

    /// Sends one frame.
    ///
    /// If no answer comes, the session is asked whether the frame arrived before it is sent again,
    /// so each frame counts once.
    ///
    /// - Returns: the guidance for the person, or the decision.
    /// - Throws: ``MienError`` `client_response_not_valid` for data that is not a picture,
    ///   `invalid_state` if the session has ended.
    @discardableResult
    public func submitFrame(_ bytes: [UInt8], _ type: CaptureFrame.ContentType = .jpeg) async throws
        -> CaptureAnswer
    {
        try await submit(CaptureFrame(bytes, type))
    }

    @discardableResult
    public func submit(_ frame: CaptureFrame) async throws -> CaptureAnswer {
        var generator = SystemRandomNumberGenerator()
        var attempt = 1
        while true {
            do {
                return noted(
                    try await connection.json(
                        .init(
                            method: .post, path: ["v1", "capture", "frames"], bearer: token,
                            contentType: frame.type.rawValue, body: frame.bytes,
                            isRepeatable: false)))
            } catch let error as MienError {
                // The frame may have decided the session even though its answer was lost.
                if error.problem?.code == .captureClosed, attempt > 1 { return try await status() }
                guard error.code == .networkError,
                    let delay = connection.retry.delay(
                        after: attempt, asked: nil, using: &generator)
                else {
                    throw error
                }
                let before = framesLeft
                try await connection.sleep(delay)
                let now = try await status()
                if !now.isOpen || before.map({ now.framesLeft < $0 }) ?? false { return now }
                attempt += 1
            }
        }
    }

    /// Starts the session and, for a live session, its clock. Further calls return the session's
    /// state. A session that ended as `interrupted`, because its server was lost, begins again, with
    /// other actions: ask the person to start it.
    ///
    /// - Returns: what the server requires. ``updates(of:consent:)`` and
    ///   ``run(_:onGuidance:consent:)`` call this themselves. A session with
    ///   ``CaptureAnswer/consent`` starts only after ``giveConsent(to:)``.
    @discardableResult
    public func start() async throws -> CaptureAnswer {
        let answer: CaptureAnswer = noted(
            try await connection.json(
                .init(method: .post, path: ["v1", "capture", "start"], bearer: token)))
        if let nonce = answer.nonce.flatMap({ Base64URL.decode($0) }), answer.isOpen,
            nonce != self.nonce
        {
            guard answer.nextFrame == 1 else {
                throw MienError(
                    .invalidState,
                    "This capture was started by another device or by an earlier run of this app. Start the journey's step again."
                )
            }
            live = LiveFrames(
                nonce: nonce, elapsed: .milliseconds(answer.elapsed ?? 0), clock: clock)
            self.nonce = nonce
        }
        return answer
    }

    /// Sends frames one at a time until the session is decided or the frames end.
    /// ``updates(of:consent:)`` sends more frames a second in a live session.
    ///
    /// - Parameters:
    ///   - onGuidance: Called with the answer to each frame.
    ///   - consent: Called before the first frame if the session asks the person for consent. If
    ///     they do not agree, the session is canceled.
    /// - Returns: the session's last answer.
    /// - Throws: ``MienError`` `.invalidState` if the session asks for consent and `consent` is
    ///   `nil`.
    public nonisolated(nonsending) func run<Frames: AsyncSequence>(
        _ frames: Frames, onGuidance: (CaptureAnswer) -> Void = { _ in },
        consent: ConsentHandler? = nil
    ) async throws -> CaptureAnswer where Frames.Element == CaptureFrame {
        let first = try await start(askingWith: consent)
        if first.status == .known(.failed) || first.status == .known(.cancelled) { return first }
        let isLive = first.isLive
        if isLive { onGuidance(first) }
        var last: CaptureAnswer?
        for try await frame in frames {
            let answer = try await isLive ? submitLive([frame]) : submit(frame)
            onGuidance(answer)
            if !answer.isOpen { return answer }
            last = answer
        }
        if let last { return last }
        return try await status()
    }

    public func status() async throws -> CaptureAnswer {
        noted(
            try await connection.json(.init(method: .get, path: ["v1", "capture"], bearer: token)))
    }

    /// Ends the session. Nothing of it is kept.
    @discardableResult
    public func cancel() async throws -> CaptureAnswer {
        noted(
            try await connection.json(
                .init(method: .delete, path: ["v1", "capture"], bearer: token)))
    }

    func noted(_ answer: CaptureAnswer) -> CaptureAnswer {
        framesLeft = answer.framesLeft
        return answer
    }
}

extension CaptureAnswer {
    /// Whether the session accepts more frames.
    public var isOpen: Bool { status == .known(.open) }
    /// Whether the session requires liveness.
    public var isLive: Bool { mode == .known(.livenessActive) || mode == .known(.livenessPassive) }
    /// Whether the session passed. Answer the step with `.clientInput` then.
    public var hasPassed: Bool { status == .known(.passed) }
}
