import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools
import Synchronization

/// Measures the wall-clock time from the last frame of a session, as JPEG bytes, to its verdict.
struct VerdictBench {
    let engine: FaceEngine
    let matcher: FaceMatcher
    let frame: [UInt8]
    let repeats: Int

    struct Result: Encodable, Sendable {
        let mode: FaceCaptureMode
        let milliseconds: Double
        let maxMilliseconds: Double
        /// The verdict, which must be the same every time, because different verdicts take
        /// different work.
        let verdict: String
    }

    /// Measures image mode: the frame is processed, described in all crops, and compared.
    func image() async throws -> Result {
        try await run(.image, frames: 1) { engine }
    }

    /// Measures passive mode: the frame is processed, and all checks run over all the recorded
    /// frames. The comparison already took place when the person had kept still.
    ///
    /// The networks process the same picture repeatedly. The signals that sessions use (lids, small
    /// changes of the skin) are added afterwards, because otherwise nobody would blink.
    func passive() async throws -> Result {
        try await run(.livenessPassive, frames: Blinking.frames) { Blinking(engine: engine) }
    }

    private func run(_ mode: FaceCaptureMode, frames: Int, _ reader: () -> some LiveFaceReader)
        async throws -> Result
    {
        let settings = try VerificationSettings(mode: mode, qualityThreshold: 0),
            own = try matcher.reference(for: try await template())
        let capture = try capture(), matcher = matcher
        var times: [Double] = [], words: Set<String> = []
        for _ in 0...repeats {
            let stream = StampedFrames(frame, count: frames)
            let verifier = FaceVerifier(reader: reader(), settings: settings) { entry in
                matcher.score(try matcher.reference(for: entry.descriptor), own)
            }
            let verdict = try await verifier.verdict(of: stream, capture: capture)
            times.append((ContinuousClock.now - stream.lastHandedOut) / .milliseconds(1))
            words.insert(verdict.refusals.first?.rawValue ?? "accepted")
        }
        guard words.count == 1, let word = words.first else {
            throw Failure(
                .notSetUp, "bench.live",
                "the same frames got different verdicts: \(words.sorted().joined(separator: ", "))")
        }
        // The first run warms up.
        let sorted = times.dropFirst().sorted()
        return Result(
            mode: mode, milliseconds: sorted[sorted.count / 2],
            maxMilliseconds: sorted[sorted.count - 1], verdict: word)
    }

    private func capture() throws -> CaptureID {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }

    private func template() async throws -> FaceTemplate {
        let frame = Frame(image: try ImageDecoder.decode(frame), time: .zero)
        let entry = try await engine.entry(of: try await engine.reading(of: frame, index: 0))
        return try FaceTemplate(
            entries: [entry], packID: engine.packID,
            createdAt: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
    }
}

/// A source that returns the same JPEG ten times per second of its own time, and records when it
/// returned the last one, before decoding it.
private final class StampedFrames: FrameSource {
    private let bytes: [UInt8]
    private let count: Int
    private let handedOut = Mutex(ContinuousClock.now)

    init(_ bytes: [UInt8], count: Int) { (self.bytes, self.count) = (bytes, count) }

    var lastHandedOut: ContinuousClock.Instant { handedOut.withLock { $0 } }

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    struct Iterator: AsyncIteratorProtocol {
        let source: StampedFrames
        var index = 0

        mutating func next() async throws(FrameSourceError) -> Frame? {
            try await next(isolation: nil)
        }

        mutating func next(isolation _: isolated (any Actor)?) async throws(FrameSourceError)
            -> Frame?
        {
            guard index < source.count else { return nil }
            defer { index += 1 }
            source.handedOut.withLock { $0 = .now }
            do {
                return Frame(
                    image: try ImageDecoder.decode(source.bytes), time: .milliseconds(100 * index))
            } catch {
                throw FrameSourceError(.unreadable, error.description)
            }
        }
    }
}

/// A reader that runs the full pipeline on every frame, then makes the face breathe and blink.
private struct Blinking: LiveFaceReader {
    let engine: FaceEngine
    static let frames = 40

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        let reading = try await engine.reading(of: frame, index: index)
        return FaceReading(
            index: index, frame: frame, contentHash: reading.contentHash &+ UInt64(index),
            faceCount: reading.faceCount,
            // Frames 0 to 10 are one second of keeping still.
            face: reading.face.map {
                LivingFace.moment(of: $0, at: index, lidsDown: (14...15).contains(index))
            })
    }

    func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry {
        try await engine.entry(of: reading)
    }
}
