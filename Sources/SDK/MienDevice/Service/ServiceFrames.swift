internal import MienCore
public import MienFace

/// The cameras that a service may select.
package protocol FaceCameras: Sendable {
    /// Whether there is any.
    var isAny: Bool { get }
}

/// The source that a service has selected.
package struct FaceSource: Sendable {
    /// The camera; `nil` for other frames. Its type is that of the platform's cameras.
    package let camera: (any Sendable)?
    let open: @Sendable (_ longestSide: Int, _ streams: OpenStreams) async throws -> any FrameSource

    package init(
        camera: (any Sendable)? = nil,
        open:
            @escaping @Sendable (_ longestSide: Int, _ streams: OpenStreams) async throws ->
            any FrameSource
    ) {
        (self.camera, self.open) = (camera, open)
    }
}

/// A stream that a service closes.
package protocol ClosableStream: AnyObject, Sendable {
    func close() async
}

/// The streams of a service between its initialization and ``FaceAuthService/uninitialize()``.
package final class OpenStreams: Sendable {
    /// Tells every stream that the service was uninitialized.
    package final class Gate: Sendable {
        private let closed = Locked(false)
        package var isClosed: Bool { closed.withLock { $0 } }
        func close() { closed.withLock { $0 = true } }
    }

    private struct Entry: Sendable { weak let stream: (any ClosableStream)? }

    package let gate = Gate()
    private let entries = Locked<[Entry]>([])

    package func add(_ stream: any ClosableStream) {
        entries.withLock { entries in
            entries.removeAll { $0.stream == nil }
            entries.append(Entry(stream: stream))
        }
    }

    func close() async {
        gate.close()
        for entry in entries.withLock({ $0 }) { await entry.stream?.close() }
    }
}

/// Frames of the source that a service has selected. They end as canceled when the service is
/// uninitialized: a camera's at once, those of another source with the next frame.
public struct ServiceFrames: FrameSource {
    private let base: any FrameSource
    private let gate: OpenStreams.Gate

    init(_ base: any FrameSource, gate: OpenStreams.Gate) { (self.base, self.gate) = (base, gate) }

    public func makeAsyncIterator() -> Iterator {
        func erased(_ source: some FrameSource) -> ErasedFrames {
            IteratedFrames(source.makeAsyncIterator())
        }
        return Iterator(frames: erased(base), gate: gate)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let frames: ErasedFrames
        let gate: OpenStreams.Gate

        public mutating func next() async throws(FrameSourceError) -> Frame? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(FrameSourceError) -> Frame?
        {
            guard !gate.isClosed else { throw Self.closed }
            do throws(FrameSourceError) {
                let frame = try await frames.next(isolation: actor)
                guard !gate.isClosed else { throw Self.closed }
                return frame
            } catch { throw gate.isClosed ? Self.closed : error }
        }

        private static let closed = FrameSourceError(
            .cancelled, "The service was uninitialized, which closes its streams.")
    }
}

extension FaceFrames {
    /// Frames from the camera or the source that a service has selected. Opening throws
    /// ``FaceAuthError`` `.notInitialized` if the service has selected none.
    public static func camera(of service: FaceAuthService, longestSide: Int = 1280) -> Self {
        Self { try await service.openFrames(longestSide: longestSide) }
    }
}

/// The iterator of any source.
private class ErasedFrames {
    func next(isolation: isolated (any Actor)?) async throws(FrameSourceError) -> Frame? { nil }
}

private final class IteratedFrames<Base: AsyncIteratorProtocol>: ErasedFrames
where Base.Element == Frame, Base.Failure == FrameSourceError {
    private var base: Base

    init(_ base: Base) { self.base = base }

    override func next(isolation: isolated (any Actor)?) async throws(FrameSourceError) -> Frame? {
        try await base.next(isolation: isolation)
    }
}
