internal import Foundation
internal import MienCore

/// Passes frames from the reading thread to the tasks that wait for them. One condition lock guards
/// all state.
final class FrameExchange: @unchecked Sendable {
    // Unchecked: every stored variable below is accessed only while `condition` is locked.
    let flag = StopFlag()
    private let condition = NSCondition()
    private let isLive: Bool
    private let capacity: Int

    private var frames: [VideoFrame] = []
    private var info: VideoInfo?
    private var error: MediaError?
    /// Whether the thread has released all resources.
    private var isFinished = false
    private var isCancelled = false

    private var openers: [CheckedContinuation<VideoInfo, any Error>] = []
    private var readers: [CheckedContinuation<VideoFrame?, any Error>] = []
    private var closers: [CheckedContinuation<Void, Never>] = []

    /// The name of the reading thread for debuggers and `top`.
    static let threadName = "mien.media"
    /// The maximum time without a frame from a camera.
    private static let patience = Duration.seconds(10)

    init(isLive: Bool, capacity: Int) { (self.isLive, self.capacity) = (isLive, capacity) }

    // MARK: The thread

    /// Starts the thread. `make` and all reading run on it.
    func start(
        _ make: @escaping @Sendable () throws(MediaError) -> FrameReader,
        explaining: @escaping @Sendable (MediaError) -> MediaError
    ) {
        let thread = WorkerThread(name: Self.threadName) {
            // In a separate function, so that the reader is released when it returns. Only then are
            // waiting tasks notified.
            self.finish(self.serve(make).map(explaining))
        }
        if let thread {
            // Its last action notifies the waiting tasks.
            thread.detach()
        } else {
            finish(
                MediaError(
                    .tooMuchMemory,
                    "Cannot start a thread: the system limit is reached. Stop other programs and try again."
                ))
        }
    }

    private func serve(_ make: () throws(MediaError) -> FrameReader) -> MediaError? {
        do throws(MediaError) {
            let reader = try make()
            announce(reader.info)
            var lastFrame = ContinuousClock.now
            while !flag.isSet {
                switch try reader.next() {
                case .frame(let frame):
                    lastFrame = .now
                    put(frame)
                case .nothingYet:
                    guard ContinuousClock.now - lastFrame < Self.patience else {
                        throw MediaError(
                            .cameraSilent,
                            "The camera has returned no picture for \(Self.patience.components.seconds) s. Reconnect it."
                        )
                    }
                    rest()
                case .end: return nil
                }
            }
            return nil
        } catch { return error }
    }

    private func announce(_ info: VideoInfo) {
        let waiting = condition.withLock {
            self.info = info
            defer { openers = [] }
            return openers
        }
        for opener in waiting { opener.resume(returning: info) }
    }

    /// Delivers the frame. When the buffer is full, a file's thread waits for room, and a camera's
    /// drops the oldest frame.
    private func put(_ frame: VideoFrame) {
        let reader: CheckedContinuation<VideoFrame?, any Error>? = condition.withLock {
            if !readers.isEmpty { return readers.removeFirst() }
            while !isLive, frames.count >= capacity, !flag.isSet { condition.wait() }
            if !readers.isEmpty { return readers.removeFirst() }
            if frames.count >= capacity { frames.removeFirst() }
            frames.append(frame)
            return nil
        }
        reader?.resume(returning: frame)
    }

    /// Waits briefly, or until ``stop()``.
    private func rest() {
        condition.withLock {
            if !flag.isSet { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.004)) }
        }
    }

    private func finish(_ error: MediaError?) {
        condition.lock()
        isFinished = true
        self.error = flag.isSet ? nil : error
        if flag.isSet { frames = [] }
        let end = end
        let (openers, readers, closers) = (openers, readers, closers)
        (self.openers, self.readers, self.closers) = ([], [], [])
        condition.unlock()
        for opener in openers { opener.resume(throwing: end ?? CancellationError()) }
        for reader in readers {
            if let end { reader.resume(throwing: end) } else { reader.resume(returning: nil) }
        }
        for closer in closers { closer.resume() }
    }

    /// The result for readers when there are no more frames; `nil` means the end.
    private var end: (any Error)? { isCancelled ? CancellationError() : error }

    // MARK: Tasks

    func opened() async throws -> VideoInfo {
        try await cancellable { opener in
            if let info = self.info { return { opener.resume(returning: info) } }
            if self.isFinished {
                let end = self.end ?? CancellationError()
                return { opener.resume(throwing: end) }
            }
            self.openers.append(opener)
            return nil
        }
    }

    func next() async throws -> VideoFrame? {
        try await cancellable { reader in
            if !self.flag.isSet, !self.frames.isEmpty {
                let frame = self.frames.removeFirst()
                self.condition.signal()
                return { reader.resume(returning: frame) }
            }
            if self.isFinished {
                let end = self.end
                return {
                    if let end {
                        reader.resume(throwing: end)
                    } else {
                        reader.resume(returning: nil)
                    }
                }
            }
            self.readers.append(reader)
            return nil
        }
    }

    func finished() async {
        await withCheckedContinuation { closer in
            let isFinished = condition.withLock {
                if !self.isFinished { closers.append(closer) }
                return self.isFinished
            }
            if isFinished { closer.resume() }
        }
    }

    func stop() { stop(cancelling: false) }

    private func stop(cancelling: Bool) {
        condition.withLock {
            // If reading has already ended, keep that result.
            if cancelling, !isFinished { isCancelled = true }
            flag.set()
            frames = []
            condition.broadcast()
        }
    }

    /// Runs `body` under the lock, and then the action it returns outside it. On cancellation,
    /// reading stops, and the thread resumes the waiting tasks after it has released its resources.
    private func cancellable<Output: Sendable>(
        _ body: (CheckedContinuation<Output, any Error>) -> (() -> Void)?
    ) async throws -> Output {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Output, any Error>) in
                condition.withLock { body(continuation) }?()
            }
        } onCancel: {
            stop(cancelling: true)
        }
    }
}
