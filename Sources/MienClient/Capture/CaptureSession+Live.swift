public import MienAPI
internal import MienCore
internal import Synchronization

extension CaptureSession {
    /// Sends frames until the session is decided or there are no more, and tells what came of them; the last answer is the verdict.
    ///
    /// Frames are read while others are under way: what waits goes together, of more than eight the oldest is dropped. Nothing runs before
    /// the first answer is asked for nor after the last; letting go of the iterator or cancelling the task ends the sending, and ``cancel()``
    /// the session.
    ///
    /// - Throws, while iterating: ``MienError``; what the frames throw.
    public nonisolated func updates<Frames: AsyncSequence & Sendable>(of frames: Frames) -> CaptureUpdates<Frames>
    where Frames.Element == CaptureFrame {
        CaptureUpdates(session: self, frames: frames)
    }

    /// Sends frames of a live session.
    ///
    /// When no answer comes, the session is asked which frame is next, and only those are sent again that did not arrive.
    ///
    /// - Parameter frames: 1...16, in the order in which they were taken.
    @discardableResult
    public func submitLive(_ frames: [CaptureFrame]) async throws -> CaptureAnswer {
        guard live != nil else { throw MienError(.invalidState, "no live session has begun: call start()") }
        // Stamped and linked before anything waits: what is linked is sent in this order.
        var waiting = frames.compactMap { live?.append($0) }
        var generator = SystemRandomNumberGenerator(), attempt = 1
        while true {
            do {
                return noted(
                    try await connection.json(
                        .init(
                            method: .post, path: ["v1", "capture", "frames"], bearer: token, contentType: FrameBatch.contentType,
                            body: FrameBatch.encode(waiting), isRepeatable: false)))
            } catch let error as MienError {
                if error.problem?.code == .captureClosed, attempt > 1 { return try await status() }
                let isLost = error.code == .networkError || error.problem?.code == .frameOutOfOrder
                guard isLost, let delay = connection.retry.delay(after: attempt, asked: nil, using: &generator) else { throw error }
                if error.code == .networkError { try await connection.sleep(delay) }
                let now = try await status()
                guard now.isOpen, let next = now.nextFrame else { return now }
                let missing = waiting.filter { Int($0.number) >= next }
                if missing.isEmpty { return now }
                // Something before these is missing, and is no longer here.
                guard Int(missing[0].number) == next else { throw error }
                waiting = missing
                attempt += 1
            }
        }
    }
}

/// What a session says of the frames that it is sent, until it is decided. Gone through once.
public struct CaptureUpdates<Frames: AsyncSequence & Sendable>: AsyncSequence, Sendable where Frames.Element == CaptureFrame {
    public typealias Element = CaptureAnswer
    let session: CaptureSession
    let frames: Frames

    public func makeAsyncIterator() -> Iterator { Iterator(session: session, frames: frames) }

    public final class Iterator: AsyncIteratorProtocol {
        private let session: CaptureSession
        private let frames: Frames
        private let buffer = FrameBuffer()
        private var reader: Task<Void, Never>?
        private var isLive = false, hasEnded = false

        init(session: CaptureSession, frames: Frames) { (self.session, self.frames) = (session, frames) }

        deinit { reader?.cancel() }

        public func next() async throws -> CaptureAnswer? {
            guard !hasEnded else { return nil }
            guard reader != nil else {
                let first = try await session.start()
                isLive = first.isLive
                if first.isOpen { read() } else { hasEnded = true }
                return first
            }
            let buffer = buffer
            let batch = try await withTaskCancellationHandler {
                try await buffer.take(atMost: isLive ? 8 : 1)
            } onCancel: {
                buffer.end(CancellationError())
            }
            guard let batch else {
                hasEnded = true
                return nil
            }
            let answer = isLive ? try await session.submitLive(batch) : try await session.submit(batch[0])
            if !answer.isOpen {
                hasEnded = true
                reader?.cancel()
            }
            return answer
        }

        private func read() {
            let (frames, buffer, session, isLive) = (frames, buffer, session, isLive)
            reader = Task {
                do {
                    for try await frame in frames {
                        // The time is that of the picture, not of its sending.
                        let time = isLive && frame.time == nil ? await session.live?.now : frame.time
                        await buffer.put(CaptureFrame(frame.bytes, frame.type, time: time), waits: !isLive)
                    }
                    buffer.end(nil)
                } catch { buffer.end(error) }
            }
        }
    }
}

/// Frames that wait to be sent: one task puts, one takes.
final class FrameBuffer: Sendable {
    private static let most = 8

    private struct State {
        var frames: [CaptureFrame] = []
        var hasEnded = false
        var error: (any Error)?
        var taker: CheckedContinuation<Void, Never>?
        var putter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// - Parameter waits: with a frame there already, until it is taken; else of too many the oldest goes.
    func put(_ frame: CaptureFrame, waits: Bool) async {
        if waits {
            await withCheckedContinuation { continuation in
                let mayGoOn = state.withLock { state -> Bool in
                    if state.frames.isEmpty || state.hasEnded { return true }
                    state.putter = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        }
        let taker = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.frames.count == Self.most { state.frames.removeFirst() }
            state.frames.append(frame)
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    func end(_ error: (any Error)?) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>?] in
            if !state.hasEnded { (state.hasEnded, state.error) = (true, error) }
            defer { (state.taker, state.putter) = (nil, nil) }
            return [state.taker, state.putter]
        }
        for continuation in waiting { continuation?.resume() }
    }

    /// - Returns: `nil` after the last one.
    func take(atMost count: Int) async throws -> [CaptureFrame]? {
        while true {
            let (frames, putter) = state.withLock { state -> ([CaptureFrame], CheckedContinuation<Void, Never>?) in
                let taken = Array(state.frames.prefix(count))
                state.frames.removeFirst(taken.count)
                defer { if !taken.isEmpty { state.putter = nil } }
                return (taken, taken.isEmpty ? nil : state.putter)
            }
            putter?.resume()
            if !frames.isEmpty { return frames }
            let ended = state.withLock { state in (state.hasEnded, state.error) }
            if let error = ended.1 { throw error }
            if ended.0 { return nil }
            await withCheckedContinuation { continuation in
                let mayGoOn = state.withLock { state -> Bool in
                    if !state.frames.isEmpty || state.hasEnded { return true }
                    state.taker = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        }
    }
}
