public import MienAPI
public import MienCore

/// A picture for a capture session, as the camera's encoder gives it.
public struct CaptureFrame: Sendable {
    public enum ContentType: String, Sendable, Hashable { case jpeg = "image/jpeg", png = "image/png", gif = "image/gif" }

    public let bytes: [UInt8]
    public let type: ContentType

    public init(_ bytes: [UInt8], _ type: ContentType = .jpeg) { (self.bytes, self.type) = (bytes, type) }
}

/// Somebody's face: its size alone is printed.
extension CaptureFrame: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(type.rawValue), \(bytes.count) bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Sends frames to the capture session of a step until it has passed or failed. One frame at a time.
///
///     let session = try CaptureSession(startToken: token, MienOptions(serverPath: "https://login.example.org"))
///     let last = try await session.run(camera.frames) { show($0.guidance) }
///     if last.hasPassed { … }
public actor CaptureSession {
    private let token: Sensitive<String>
    private let connection: Connection
    private var framesLeft: Int?

    public init(startToken: Sensitive<String>, _ options: MienOptions) throws(MienError) {
        self.init(startToken, try options.connection { try await Task.sleep(for: $0) })
    }

    init(_ token: Sensitive<String>, _ connection: Connection) { (self.token, self.connection) = (token, connection) }

    /// Sends one frame.
    ///
    /// When no answer comes, the session is asked whether the frame arrived before it is sent again: a frame counts once.
    ///
    /// - Returns: what the person should do, or that it is decided.
    /// - Throws: ``MienError``: `client_response_not_valid` for what is no picture, `invalid_state` when the session has ended.
    @discardableResult
    public func submitFrame(_ bytes: [UInt8], _ type: CaptureFrame.ContentType = .jpeg) async throws -> CaptureAnswer {
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
                            method: .post, path: ["v1", "capture", "frames"], bearer: token, contentType: frame.type.rawValue, body: frame.bytes,
                            isRepeatable: false)))
            } catch let error as MienError {
                // A frame may have decided the session although its answer was lost.
                if error.problem?.code == .captureClosed, attempt > 1 { return try await status() }
                guard error.code == .networkError, let delay = connection.retry.delay(after: attempt, asked: nil, using: &generator) else {
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

    /// Sends frames until the session is decided or there are no more.
    ///
    /// - Parameter onGuidance: told what came of each frame.
    /// - Returns: what the session said last.
    public nonisolated(nonsending) func run<Frames: AsyncSequence>(
        _ frames: Frames, onGuidance: (CaptureAnswer) -> Void = { _ in }
    ) async throws -> CaptureAnswer where Frames.Element == CaptureFrame {
        var last: CaptureAnswer?
        for try await frame in frames {
            let answer = try await submit(frame)
            onGuidance(answer)
            if !answer.isOpen { return answer }
            last = answer
        }
        if let last { return last }
        return try await status()
    }

    public func status() async throws -> CaptureAnswer {
        noted(try await connection.json(.init(method: .get, path: ["v1", "capture"], bearer: token)))
    }

    /// Ends the session; nothing of it is kept.
    @discardableResult
    public func cancel() async throws -> CaptureAnswer {
        noted(try await connection.json(.init(method: .delete, path: ["v1", "capture"], bearer: token)))
    }

    private func noted(_ answer: CaptureAnswer) -> CaptureAnswer {
        framesLeft = answer.framesLeft
        return answer
    }
}

extension CaptureAnswer {
    /// More frames are wanted.
    public var isOpen: Bool { status == "open" }
    /// Answer the step with `.clientInput`.
    public var hasPassed: Bool { status == "passed" }
}
