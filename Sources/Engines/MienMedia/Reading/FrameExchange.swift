internal import Foundation

/// Between the thread that reads and the tasks that want frames. All state is under one condition
/// lock.
final class FrameExchange: @unchecked Sendable {
    // Unchecked: every stored variable below is touched only while `condition` is locked.
    let flag = StopFlag()
    private let condition = NSCondition()
    private let isLive: Bool
    private let capacity: Int

    private var frames: [VideoFrame] = []
    private var info: VideoInfo?
    private var error: MediaError?
    /// The thread has let go of everything.
    private var isFinished = false
    private var isCancelled = false

    private var openers: [CheckedContinuation<VideoInfo, any Error>] = []
    private var readers: [CheckedContinuation<VideoFrame?, any Error>] = []
    private var closers: [CheckedContinuation<Void, Never>] = []

    /// How long a camera may give nothing.
    private static let patience = Duration.seconds(10)

    init(isLive: Bool, capacity: Int) { (self.isLive, self.capacity) = (isLive, capacity) }

    // MARK: The thread

    /// Starts the thread. `make` runs on it, and so does all reading.
    func start(
        _ make: @escaping @Sendable () throws(MediaError) -> FrameReader,
        explaining: @escaping @Sendable (MediaError) -> MediaError
    ) {
        let started = MediaThread.start {
            // In a function of its own: the reader is gone when it returns, and only then is anyone
            // told.
            self.finish(self.serve(make).map(explaining))
        }
        if !started {
            finish(
                MediaError(
                    .tooMuchMemory,
                    "No thread can be started: the machine has no room for one. Run less beside this."
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
                            "The camera has given no picture for \(Self.patience.components.seconds) s. Plug it in again."
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

    /// Hands the frame over. A file's thread waits here for room, a camera's drops the oldest
    /// frame.
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

    /// For a moment, or until ``stop()``.
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

    /// What a reader gets when there are no frames any more; `nil` for the end.
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
            // What has ended by itself stays as it ended.
            if cancelling, !isFinished { isCancelled = true }
            flag.set()
            frames = []
            condition.broadcast()
        }
    }

    /// Runs `body` under the lock; what it returns is done outside it, at once. Cancelled,
    /// everything stops, and the thread resumes whoever waits once it has let go.
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
