public import MienAPI
internal import MienCore

extension CaptureSession {
    /// Sends frames until the session is decided or the frames end, and returns the server's
    /// answers. The last answer is the verdict.
    ///
    /// Frames are read while others are being sent. Waiting frames are sent together, up to 3 MiB;
    /// when more than eight wait, the oldest is dropped. Nothing runs before the first answer is
    /// requested or after the last one. Releasing the iterator or canceling the task stops the
    /// sending and releases the source of the frames; ``cancel()`` ends the session.
    ///
    /// - Parameter consent: Called before the first frame if the session asks the person for
    ///   consent. If they do not agree, the session is canceled.
    /// - Throws, while iterating: ``MienError``, `.invalidState` if the session asks for consent and
    ///   `consent` is `nil`; errors of the frame source.
    public nonisolated func updates<Frames: AsyncSequence & Sendable>(
        of frames: Frames, consent: ConsentHandler? = nil
    ) -> CaptureUpdates<Frames> where Frames.Element == CaptureFrame {
        CaptureUpdates(session: self, frames: frames, consent: consent)
    }

    /// Sends frames of a live session.
    ///
    /// If no answer comes, the session is asked for the number of the next frame, and only frames
    /// that did not arrive are sent again. A batch that is too large for the server is sent in
    /// halves.
    ///
    /// - Parameter frames: 1...16, in the order in which they were taken.
    /// - Throws: ``MienError`` `client_response_not_valid` for a frame that is too large on its own
    ///   or not a picture.
    @discardableResult
    public func submitLive(_ frames: [CaptureFrame]) async throws -> CaptureAnswer {
        guard live != nil else {
            throw MienError(.invalidState, "No live session has begun. Call start() first.")
        }
        // Frames are stamped and linked before the first suspension, so they are sent in link
        // order.
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
                    "A frame of \(bytes) bytes is larger than the server accepts. Send smaller pictures: \(error.reason)",
                    problem: error.problem)
            }
            // Later batches are kept smaller, so that they are not refused first.
            batchBytes = min(batchBytes, bytes / 2)
            let half = frames.count / 2, answer = try await send(Array(frames.prefix(half)))
            // The first half decided the session, so the server accepts no more frames.
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
                // An earlier frame is missing and is no longer in memory.
                guard Int(missing[0].number) == next else { throw error }
                waiting = missing
                attempt += 1
            }
        }
    }
}

/// A session's answers to its frames, until the session is decided. It can be iterated once.
public struct CaptureUpdates<Frames: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Frames.Element == CaptureFrame {
    public typealias Element = CaptureAnswer
    let session: CaptureSession
    let frames: Frames
    let consent: ConsentHandler?

    public func makeAsyncIterator() -> Iterator {
        Iterator(session: session, frames: frames, consent: consent)
    }

    public final class Iterator: AsyncIteratorProtocol {
        private let session: CaptureSession
        private let frames: Frames
        private let consent: ConsentHandler?
        private let buffer = FrameBuffer()
        private var reader: Task<Void, Never>?
        private var isLive = false, hasEnded = false

        init(session: CaptureSession, frames: Frames, consent: ConsentHandler?) {
            (self.session, self.frames, self.consent) = (session, frames, consent)
        }

        deinit { stop() }

        public func next() async throws -> CaptureAnswer? {
            guard !hasEnded else { return nil }
            guard reader != nil else {
                let first = try await session.start(askingWith: consent)
                isLive = first.isLive
                if first.isOpen { read() } else { hasEnded = true }
                return first
            }
            let buffer = buffer, maxBytes = await session.batchBytes
            let batch = try await withTaskCancellationHandler {
                try await isLive ? buffer.take(atMost: 8, bytes: maxBytes) : buffer.take(atMost: 1)
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

        /// Stops accepting frames. The reader, which may wait for space, ends and releases the
        /// source of the frames.
        private func stop() {
            reader?.cancel()
            buffer.end(nil)
        }

        private func read() {
            let (frames, buffer, session, isLive) = (frames, buffer, session, isLive)
            reader = Task {
                do {
                    for try await frame in frames {
                        // The time is when the picture was taken, not when it is sent.
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

/// A buffer of frames that wait to be sent. One task puts frames and one takes them.
final class FrameBuffer: Sendable {
    private static let maxFrames = 8

    private struct State {
        var frames: [CaptureFrame] = []
        var hasEnded = false
        var error: (any Error)?
        var taker: CheckedContinuation<Void, Never>?
        var putter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Puts a frame into the buffer. Canceling the task ends the buffer.
    ///
    /// - Parameter waits: If true, waits until an earlier frame has been taken. If false, drops the
    ///   oldest frame when there are too many.
    /// - Returns: `false` if the buffer has ended and accepts no more frames.
    @discardableResult
    func put(_ frame: CaptureFrame, waits: Bool) async -> Bool {
        if waits {
            // A continuation does not notice that its task was canceled.
            await withTaskCancellationHandler {
                await room()
            } onCancel: {
                end(CancellationError())
            }
        }
        let (isTaken, taker) = state.withLock {
            state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.hasEnded else { return (false, nil) }
            if state.frames.count == Self.maxFrames { state.frames.removeFirst() }
            state.frames.append(frame)
            defer { state.taker = nil }
            return (true, state.taker)
        }
        taker?.resume()
        return isTaken
    }

    /// Waits until the buffer is empty or has ended.
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

    /// - Parameter bytes: The largest total size, unless a single frame is larger.
    /// - Returns: `nil` after the last frame.
    func take(atMost count: Int, bytes: Int = .max) async throws -> [CaptureFrame]? {
        while true {
            // Frames and the end are read together: a frame that arrives just before the end must not
            // be missed.
            let (frames, putter, ended) = state.withLock {
                state -> ([CaptureFrame], CheckedContinuation<Void, Never>?, (Bool, (any Error)?))
                in
                let ended = (state.hasEnded, state.error)
                var size = 0, fitting = 0
                for frame in state.frames.prefix(count) {
                    size += frame.bytes.count
                    if size > bytes, fitting > 0 { break }
                    fitting += 1
                }
                let taken = Array(state.frames.prefix(fitting))
                state.frames.removeFirst(taken.count)
                defer { if !taken.isEmpty { state.putter = nil } }
                return (taken, taken.isEmpty ? nil : state.putter, ended)
            }
            putter?.resume()
            if !frames.isEmpty { return frames }
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
