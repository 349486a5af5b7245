public import MienAPI
internal import MienCore
internal import Synchronization

extension CaptureSession {
    /// Sends frames until the session is decided or there are no more, and tells what came of them;
    /// the last answer is the verdict.
    ///
    /// Frames are read while others are under way: what waits goes together, up to 3 MiB of it; of
    /// more than eight the oldest is dropped. Nothing runs before the first answer is asked for nor
    /// after the last; letting go of the iterator or cancelling the task ends the sending and lets
    /// go of the frames' source, and ``cancel()`` ends the session.
    ///
    /// - Throws, while iterating: ``MienError``; what the frames throw.
    public nonisolated func updates<Frames: AsyncSequence & Sendable>(of frames: Frames)
        -> CaptureUpdates<Frames>
    where Frames.Element == CaptureFrame {
        CaptureUpdates(session: self, frames: frames)
    }

    /// Sends frames of a live session.
    ///
    /// When no answer comes, the session is asked which frame is next, and only those are sent
    /// again that did not arrive. Frames that are too many bytes together for the server go in
    /// halves.
    ///
    /// - Parameter frames: 1...16, in the order in which they were taken.
    /// - Throws: ``MienError``: `client_response_not_valid` for a frame that is too large by
    ///   itself, or no picture.
    @discardableResult
    public func submitLive(_ frames: [CaptureFrame]) async throws -> CaptureAnswer {
        guard live != nil else {
            throw MienError(.invalidState, "no live session has begun: call start()")
        }
        // Stamped and linked before anything waits: what is linked is sent in this order.
        return try await send(frames.compactMap { live?.append($0) })
    }

    private func send(_ frames: [LinkedFrame]) async throws -> CaptureAnswer {
        do { return try await sendTogether(frames) } catch let error as MienError
            where error.problem?.code == .payloadTooLarge
        {
            let bytes = frames.reduce(0) { $0 + $1.picture.count }
            guard frames.count > 1 else {
                throw MienError(
                    .clientResponseNotValid,
                    "one frame of \(bytes) bytes is more than the server takes, send smaller pictures: \(error.reason)",
                    problem: error.problem)
            }
            // The next ones need not be refused first.
            batchBytes = min(batchBytes, bytes / 2)
            let half = frames.count / 2, answer = try await send(Array(frames.prefix(half)))
            // Decided by these: nobody takes the others.
            guard answer.isOpen else { return answer }
            return try await send(Array(frames.dropFirst(half)))
        }
    }

    private func sendTogether(_ frames: [LinkedFrame]) async throws -> CaptureAnswer {
        var waiting = frames, generator = SystemRandomNumberGenerator(), attempt = 1
        while true {
            do {
                return noted(
                    try await connection.json(
                        .init(
                            method: .post, path: ["v1", "capture", "frames"], bearer: token,
                            contentType: FrameBatch.contentType,
                            body: FrameBatch.encode(waiting), isRepeatable: false)))
            } catch let error as MienError {
                if error.problem?.code == .captureClosed, attempt > 1 { return try await status() }
                let isLost = error.code == .networkError || error.problem?.code == .frameOutOfOrder
                guard isLost,
                    let delay = connection.retry.delay(
                        after: attempt, asked: nil, using: &generator)
                else { throw error }
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
public struct CaptureUpdates<Frames: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Frames.Element == CaptureFrame {
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

        init(session: CaptureSession, frames: Frames) {
            (self.session, self.frames) = (session, frames)
        }

        deinit { stop() }

        public func next() async throws -> CaptureAnswer? {
            guard !hasEnded else { return nil }
            guard reader != nil else {
                let first = try await session.start()
                isLive = first.isLive
                if first.isOpen { read() } else { hasEnded = true }
                return first
            }
            let buffer = buffer, most = await session.batchBytes
            let batch = try await withTaskCancellationHandler {
                try await isLive ? buffer.take(atMost: 8, bytes: most) : buffer.take(atMost: 1)
            } onCancel: {
                buffer.end(CancellationError())
            }
            guard let batch else {
                hasEnded = true
                return nil
            }
            let answer =
                isLive ? try await session.submitLive(batch) : try await session.submit(batch[0])
            if !answer.isOpen {
                hasEnded = true
                stop()
            }
            return answer
        }

        /// Nobody takes frames any more: the reader, which may wait for that, ends and lets go of
        /// their source.
        private func stop() {
            reader?.cancel()
            buffer.end(nil)
        }

        private func read() {
            let (frames, buffer, session, isLive) = (frames, buffer, session, isLive)
            reader = Task {
                do {
                    for try await frame in frames {
                        // The time is that of the picture, not of its sending.
                        let time =
                            isLive && frame.time == nil ? await session.live?.now : frame.time
                        guard
                            await buffer.put(
                                CaptureFrame(frame.bytes, frame.type, time: time), waits: !isLive)
                        else { return }
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

    /// Cancelling the task ends it.
    ///
    /// - Parameter waits: with a frame there already, until it is taken; else of too many the
    ///   oldest goes.
    /// - Returns: `false` when it has ended: nobody takes this frame or another one.
    @discardableResult
    func put(_ frame: CaptureFrame, waits: Bool) async -> Bool {
        if waits {
            // A continuation does not hear of the task's end by itself.
            await withTaskCancellationHandler {
                await room()
            } onCancel: {
                end(CancellationError())
            }
        }
        let (isTaken, taker) = state.withLock {
            state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.hasEnded else { return (false, nil) }
            if state.frames.count == Self.most { state.frames.removeFirst() }
            state.frames.append(frame)
            defer { state.taker = nil }
            return (true, state.taker)
        }
        taker?.resume()
        return isTaken
    }

    /// Waits until no frame is there, or until the end.
    private func room() async {
        await withCheckedContinuation { continuation in
            let mayGoOn = state.withLock { state -> Bool in
                if state.frames.isEmpty || state.hasEnded { return true }
                state.putter = continuation
                return false
            }
            if mayGoOn { continuation.resume() }
        }
    }

    func end(_ error: (any Error)?) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>?] in
            if !state.hasEnded { (state.hasEnded, state.error) = (true, error) }
            defer { (state.taker, state.putter) = (nil, nil) }
            return [state.taker, state.putter]
        }
        for continuation in waiting { continuation?.resume() }
    }

    /// - Parameter bytes: of all that are taken, unless it is only one.
    /// - Returns: `nil` after the last one.
    func take(atMost count: Int, bytes: Int = .max) async throws -> [CaptureFrame]? {
        while true {
            let (frames, putter) = state.withLock {
                state -> ([CaptureFrame], CheckedContinuation<Void, Never>?) in
                var size = 0, fitting = 0
                for frame in state.frames.prefix(count) {
                    size += frame.bytes.count
                    if size > bytes, fitting > 0 { break }
                    fitting += 1
                }
                let taken = Array(state.frames.prefix(fitting))
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
