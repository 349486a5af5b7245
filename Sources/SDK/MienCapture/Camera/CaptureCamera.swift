internal import MienClient

/// A camera for the screens. ``SystemCamera`` is that of the device; an app may pass another one.
public protocol CaptureCamera: Sendable {
    /// Begins to deliver pictures, upright and not mirrored, until ``close()``.
    ///
    /// - Throws: ``CameraTrouble``.
    func open(_ position: CameraPosition) async throws -> AsyncStream<CameraPicture>
    /// Ends the stream of pictures and releases the camera.
    func close()
}

public enum CameraPosition: Sendable, Hashable {
    /// Toward the person.
    case front
    /// Away from the person.
    case back
}

/// Why the camera cannot be used.
public enum CameraTrouble: Error, Sendable, Hashable {
    /// The person has not allowed it.
    case denied
    case missing
    /// Another app uses it, or it failed.
    case busy
}

/// A picture of a camera, encoded only if somebody needs it.
public struct CameraPicture: Sendable {
    public let width, height: Int
    private let encode: @Sendable (_ side: Int, _ quality: Double) -> [UInt8]?

    /// - Parameter encode: Returns a JPEG whose longer side has at most that many pixels, of a
    ///   quality of 0...1; `nil` if it cannot be encoded.
    public init(
        width: Int, height: Int,
        encode: @escaping @Sendable (_ side: Int, _ quality: Double) -> [UInt8]?
    ) {
        (self.width, self.height, self.encode) = (width, height, encode)
    }

    func jpeg(side: Int, quality: Double) -> [UInt8]? { encode(side, quality) }

    /// A JPEG of at most `bytes`, made smaller until it fits.
    func jpeg(side: Int, atMost bytes: Int) -> [UInt8]? {
        var side = min(side, max(width, height))
        while side > 320 {
            for quality in [0.93, 0.85] {
                guard let jpeg = encode(side, quality) else { return nil }
                if jpeg.count <= bytes { return jpeg }
            }
            side = side * 3 / 4
        }
        return nil
    }
}

extension AsyncStream<CameraPicture> {
    /// Encoded frames, at most one in `interval`. Encoding happens outside the caller's actor.
    func frames(side: Int, quality: Double, every interval: Duration) -> AsyncStream<CaptureFrame> {
        AsyncStream<CaptureFrame>(bufferingPolicy: .bufferingNewest(2)) { continuation in
            let pictures = self
            let task = Task.detached {
                var next = ContinuousClock.now
                for await picture in pictures {
                    let now = ContinuousClock.now
                    guard now >= next else { continue }
                    next = now + interval
                    guard let jpeg = picture.jpeg(side: side, quality: quality) else { continue }
                    continuation.yield(CaptureFrame(jpeg, .jpeg))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
