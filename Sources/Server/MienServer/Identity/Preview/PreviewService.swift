internal import MienAPI
package import MienCore
internal import MienDocument
internal import MienFace
internal import MienIdentity
internal import MienMedia
internal import MienModels

/// Looks at pictures of documents while a person takes them. Nothing is stored.
package struct PreviewService: Sendable {
    /// The maximum size of a frame of a camera, and its longer side.
    package static let maxBytes = 300 * 1024, maxSide = 1280
    static let frameLimits = ImageLimits(maxBytes: maxBytes, maxPixels: maxSide * maxSide)
    /// The frames of one session: at once, and in a minute.
    package static let burst = 10, perMinute = 360

    /// Frames are dropped rather than kept waiting: the next one says the same.
    private let frames: WorkQueue
    /// Pictures that a person took are worth waiting for.
    private let pictures: WorkQueue
    private let pace: RateLimiter
    private let clock: ServerClock

    package init(limits: WorkLimits, clock: ServerClock) {
        frames = WorkQueue(
            "mien.preview", workers: 1,
            limits: WorkLimits(total: 16, perOwner: 4, perPart: 1, wait: .milliseconds(500)))
        pictures = WorkQueue("mien.picture", workers: 1, limits: limits)
        pace = RateLimiter(.init(burst: Self.burst, perMinute: Self.perMinute))
        self.clock = clock
    }

    /// - Returns: the time to wait before the next frame; `nil` if it may come now.
    func wait(for session: IdentityAttemptID) async throws -> Duration? {
        try await pace.take(session.text, at: clock.now)
    }

    /// - Throws: `ImageError`; ``ServerBusy`` if other frames are being checked.
    func frame(_ bytes: [UInt8], of session: IdentityAttemptID) async throws -> DocumentPreview {
        try await frames.run(for: .stranger(naming: session.text)) {
            DocumentPreview(of: try ImageDecoder.decode(bytes, limits: Self.frameLimits))
        }
    }

    /// Judges pictures of a document that was tilted.
    ///
    /// - Parameter front: The picture of the document at rest, if there is one.
    /// - Returns: Also the pictures as they are stored.
    /// - Throws: `ImageError`, ``ServerBusy``.
    func tilt(_ frames: [[UInt8]], front: [UInt8]?, of session: IdentityAttemptID) async throws
        -> (check: ReflectionCheck, stored: [[UInt8]])
    {
        try await pictures.run(for: .stranger(naming: session.text)) {
            let frames = try frames.map { bytes throws(ImageError) in
                try ImageDecoder.decode(bytes, limits: Self.frameLimits)
            }
            let front = front.flatMap { try? ImageDecoder.decode($0) }
            return (
                ReflectionCheck(
                    TiltMeasurements(of: frames, front: front.map { ($0, CardPlace(in: $0)) })),
                frames.map { StoredPicture.encode($0, maxBytes: Self.maxBytes) }
            )
        }
    }

    /// - Returns: Also the picture as it is stored.
    /// - Throws: `ImageError`, ``ServerBusy``.
    func picture(_ bytes: [UInt8], of session: IdentityAttemptID) async throws -> (
        preview: DocumentPreview, stored: [UInt8]
    ) {
        try await pictures.run(for: .stranger(naming: session.text)) {
            let image = try ImageDecoder.decode(bytes)
            return (DocumentPreview(of: image), StoredPicture.encode(image))
        }
    }

    /// Decodes a picture.
    ///
    /// - Throws: `ImageError`, ``ServerBusy``.
    func decoded(_ bytes: [UInt8], of session: IdentityAttemptID) async throws -> RGBImage {
        try await pictures.run(for: .stranger(naming: session.text)) {
            try ImageDecoder.decode(bytes)
        }
    }
}
