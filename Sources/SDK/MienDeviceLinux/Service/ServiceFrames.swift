internal import MienCore
internal import MienDevice
public import MienFace
internal import MienMedia

/// The source that a service has selected.
enum FaceSource: Sendable {
    case camera(Camera)
    case frames(FaceFrames)
}

/// The streams of a service between ``FaceAuthService/initialize(choosing:)`` and
/// ``FaceAuthService/uninitialize()``.
final class OpenStreams: Sendable {
    /// Tells every stream that the service was uninitialized.
    final class Gate: Sendable {
        private let closed = Locked(false)
        var isClosed: Bool { closed.withLock { $0 } }
        func close() { closed.withLock { $0 = true } }
    }

    private struct Entry: Sendable { weak let stream: VideoStream? }

    let gate = Gate()
    private let entries = Locked<[Entry]>([])

    func add(_ stream: VideoStream) {
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
