internal import MienCore

/// Frames that a caller pushes: a server those of its client, an app those of its camera.
///
/// Buffers a few unread frames. When the buffer is full, a new frame replaces the oldest one, so
/// the reader sees recent frames and memory stays bounded. Supports one reader.
public final class PushedFrames: FrameSource {
    private struct State {
        var waiting: [Frame] = []
        var reader: CheckedContinuation<Result<Frame?, FrameSourceError>, Never>?
        var end: Result<Frame?, FrameSourceError>?
        var dropped = 0
    }

    /// The result of pushing a frame.
    public enum Pushed: Sendable, Equatable {
        case taken
        /// The frame was added and replaced an older one.
        case insteadOfOlder
        /// The stream had already ended.
        case tooLate
    }

    public let capacity: Int
    private let state = Locked(State())

    /// - Parameter capacity: The maximum number of buffered frames, at least 1.
    public init(capacity: Int = 4) {
        precondition(capacity >= 1, "capacity must be at least 1")
        self.capacity = capacity
    }

    /// The number of frames that were replaced before they were read.
    public var dropped: Int { state.withLock { $0.dropped } }

    @discardableResult
    public func push(_ frame: Frame) -> Pushed {
        let (result, reader) = state.withLock {
            state -> (Pushed, CheckedContinuation<Result<Frame?, FrameSourceError>, Never>?) in
            guard state.end == nil else { return (.tooLate, nil) }
            if let reader = state.reader {
                state.reader = nil
                return (.taken, reader)
            }
            state.waiting.append(frame)
            guard state.waiting.count > capacity else { return (.taken, nil) }
            state.waiting.removeFirst()
            state.dropped += 1
            return (.insteadOfOlder, nil)
        }
        reader?.resume(returning: .success(frame))
        return result
    }

    /// Ends the stream. Buffered frames are still delivered.
    public func finish() { end(.success(nil)) }

    /// Ends the stream with an error. Buffered frames are still delivered, then `error` is thrown.
    public func fail(_ error: FrameSourceError) { end(.failure(error)) }

    private func end(_ result: Result<Frame?, FrameSourceError>) {
        let reader = state.withLock { state in
            guard state.end == nil else {
                return nil as CheckedContinuation<Result<Frame?, FrameSourceError>, Never>?
            }
            state.end = result
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: result)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    public struct Iterator: AsyncIteratorProtocol {
        let source: PushedFrames

        public mutating func next() async throws(FrameSourceError) -> Frame? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation _: isolated (any Actor)?) async throws(FrameSourceError)
            -> Frame?
        { try await source.next() }
    }

    private func next() async throws(FrameSourceError) -> Frame? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Frame?, FrameSourceError>, Never>) in
                let now = state.withLock { state -> Result<Frame?, FrameSourceError>? in
                    precondition(state.reader == nil, "PushedFrames supports only one reader")
                    if Task.isCancelled { return .failure(Self.cancelled) }
                    if !state.waiting.isEmpty { return .success(state.waiting.removeFirst()) }
                    if let end = state.end { return end }
                    state.reader = continuation
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: .failure(Self.cancelled))
        }
        return try result.get()
    }

    private static let cancelled = FrameSourceError(.cancelled, "the task was canceled")
}
