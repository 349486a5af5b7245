public import MienFace

/// The source of a device's face frames. It is opened for each capture and released after it.
///
/// It makes no statement about liveness: ``LocalFaceCapture`` requires liveness unless it is
/// explicitly told not to.
public struct FaceFrames: Sendable {
    package let open: @Sendable () async throws -> any FrameSource

    /// - Parameter open: Returns a source that starts from the beginning on each call. Throws
    ///   `FrameSourceError`.
    public init(_ open: @escaping @Sendable () async throws -> any FrameSource) { self.open = open }
}
