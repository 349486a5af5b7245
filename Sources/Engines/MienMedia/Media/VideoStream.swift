internal import Foundation

/// A video as an asynchronous sequence of upright frames with their times.
///
/// ```swift
/// let video = try await VideoStream.open(.file("clip.mp4"))
/// for try await frame in video { print(frame.time, frame.image.width) }
/// ```
///
/// Reading and decoding run on the stream's own thread, so that no task blocks the cooperative
/// pool. At most ``VideoOptions/buffered`` frames are ready at a time: a file waits until they are
/// taken, and a camera drops its oldest.
///
/// The stream is read once; iterators share the remaining frames. When the loop ends, whether at
/// the last frame, with an error, or because its task was canceled, the thread has already closed
/// the file or camera. After a `break`, the thread closes it within a frame's duration; ``close()``
/// waits for that.
public final class VideoStream: AsyncSequence, Sendable {
    public typealias Element = VideoFrame

    /// The properties known before the first frame.
    public let info: VideoInfo
    private let exchange: FrameExchange

    private init(_ info: VideoInfo, _ exchange: FrameExchange) {
        (self.info, self.exchange) = (info, exchange)
    }

    deinit { exchange.stop() }

    /// Opens the source and starts reading.
    ///
    /// - Throws: ``MediaError``; `CancellationError` when the task is canceled.
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

        /// - Returns: The next frame; `nil` at the end and after the stream was closed.
        /// - Throws: ``MediaError``; `CancellationError` when the task is canceled, which ends the
        ///   stream.
        public mutating func next() async throws -> VideoFrame? { try await stream.exchange.next() }
    }

    /// Ends the stream. Returns when its thread has released the file or camera.
    public func close() async {
        exchange.stop()
        await exchange.finished()
    }
}
