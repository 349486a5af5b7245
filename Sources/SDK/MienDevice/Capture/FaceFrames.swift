public import MienFace

/// The source of a device's face frames. It is opened for each capture and released after it.
///
/// It makes no statement about liveness: ``LocalFaceCapture`` requires liveness unless it is
/// explicitly told not to.
public struct FaceFrames: Sendable {
    package let open: @Sendable () async throws -> any FrameSource
    package let check: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - check: Throws `FrameSourceError` if the source cannot be opened: there is no camera, or
    ///     no permission to use it. It must not open the source.
    ///   - open: Returns a source that starts from the beginning on each call. Throws
    ///     `FrameSourceError`.
    public init(
        check: @escaping @Sendable () async throws -> Void = {},
        _ open: @escaping @Sendable () async throws -> any FrameSource
    ) {
        (self.check, self.open) = (check, open)
    }
}
