import MienFace
import MienMedia
import Synchronization

/// A video as the frame source of a session, to its end or for a limited time. Remembers what was
/// delivered, and the video's own error if it failed.
final class WatchedStream: FrameSource {
    struct Seen: Sendable {
        /// The number of frames delivered.
        var frames = 0
        /// The number of the last frame, including dropped frames.
        var number = 0
        /// The times of the first and of the last frame.
        var begin = Duration.zero, time = Duration.zero
        var failure: MediaError?

        /// The number of a camera's frames that arrived while another was processed.
        var dropped: Int { frames == 0 ? 0 : number + 1 - frames }
    }

    private let stream: VideoStream
    private let seconds: Int?
    private let state = Mutex(Seen())

    init(_ stream: VideoStream, seconds: Int?) { (self.stream, self.seconds) = (stream, seconds) }

    var seen: Seen { state.withLock { $0 } }

    func makeAsyncIterator() -> Iterator {
        Iterator(source: self, frames: stream.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        let source: WatchedStream
        var frames: VideoStream.AsyncIterator

        mutating func next() async throws(FrameSourceError) -> Frame? {
            try await next(isolation: nil)
        }

        mutating func next(isolation _: isolated (any Actor)?) async throws(FrameSourceError)
            -> Frame?
        {
            do {
                guard let frame = try await frames.next() else { return nil }
                return source.take(frame) ? Frame(image: frame.image, time: frame.time) : nil
            } catch let error as MediaError {
                source.state.withLock { $0.failure = error }
                throw FrameSourceError(.failed, error.reason)
            } catch { throw FrameSourceError(.cancelled, "the task was canceled") }
        }
    }

    private func take(_ frame: VideoFrame) -> Bool {
        if let seconds, frame.time >= .seconds(seconds) { return false }
        state.withLock { seen in
            if seen.frames == 0 { seen.begin = frame.time }
            seen.frames += 1
            (seen.number, seen.time) = (frame.number, frame.time)
        }
        return true
    }
}
