internal import Foundation

/// A video as its frames come, upright and with their times.
///
/// ```swift
/// let video = try await VideoStream.open(.file("clip.mp4"))
/// for try await frame in video { print(frame.time, frame.image.width) }
/// ```
///
/// Reading and decoding run on a thread of the stream's own, so that no task holds one of the
/// cooperative pool's. At most ``VideoOptions/buffered`` frames are ready at a time: a file waits
/// until they are taken, a camera drops its oldest.
///
/// It is read once: iterators share what is left. When the loop ends, at the last frame, by an
/// error or because its task was cancelled, the thread has closed the file or camera already. Left
/// by `break` it is closed within a frame's time; ``close()`` waits for that.
public final class VideoStream: AsyncSequence, Sendable {
    public typealias Element = VideoFrame

    /// What was known before the first frame.
    public let info: VideoInfo
    private let exchange: FrameExchange

    private init(_ info: VideoInfo, _ exchange: FrameExchange) {
        (self.info, self.exchange) = (info, exchange)
    }

    deinit { exchange.stop() }

    /// Opens it and begins to read.
    ///
    /// - Throws: ``MediaError``; `CancellationError` when the task is cancelled.
    public static func open(_ source: VideoSource, options: VideoOptions = VideoOptions())
        async throws -> VideoStream
    {
        let exchange = FrameExchange(isLive: source.isLive, capacity: options.buffered)
        let name = source.name
        exchange.start { () throws(MediaError) in
            try FrameReader(source, options: options, stop: exchange.flag)
        } explaining: {
            $0.about(name)
        }
        return VideoStream(try await exchange.opened(), exchange)
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate let stream: VideoStream

        /// - Returns: `nil` at the end, and once the stream was closed.
        /// - Throws: ``MediaError``; `CancellationError` when the task is cancelled, which ends the
        ///   stream.
        public mutating func next() async throws -> VideoFrame? { try await stream.exchange.next() }
    }

    /// Ends the stream; returns when its thread has let go of the file or camera.
    public func close() async {
        exchange.stop()
        await exchange.finished()
    }
}
