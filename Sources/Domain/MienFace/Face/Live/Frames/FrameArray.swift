/// Frames that are already in memory, such as decoded photos of a folder or a synthetic clip.
public struct FrameArray: FrameSource {
    public let frames: [Frame]

    /// - Parameter frames: Frames with increasing times.
    public init(_ frames: [Frame]) { self.frames = frames }

    public func makeAsyncIterator() -> Iterator { Iterator(frames: frames[...]) }

    public struct Iterator: AsyncIteratorProtocol {
        var frames: ArraySlice<Frame>

        public mutating func next() async throws(FrameSourceError) -> Frame? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation _: isolated (any Actor)?) async throws(FrameSourceError)
            -> Frame?
        {
            if Task.isCancelled { throw FrameSourceError(.cancelled, "the task was canceled") }
            return frames.popFirst()
        }
    }
}
