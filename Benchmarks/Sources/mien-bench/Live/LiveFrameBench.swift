import MienFace
import MienMedia
import MienModels
import MienTools

/// Processes one frame of a live stream, 640×480, from its JPEG bytes, on one thread:
/// docs/facts.md §5, row 2.
struct LiveFrameBench {
    let engine: FaceEngine
    let repeats: Int

    struct Result: Encodable, Sendable {
        let photo: String
        /// The budgeted work: JPEG decode, detect, mesh, pose, quality.
        let budgeted: Stopwatch.Summary
        /// The decoding alone.
        let decode: Stopwatch.Summary
        /// All the work of a session: also both eyes, one crop's descriptor, the patch, and the
        /// picture's hash.
        let session: Stopwatch.Summary
        /// The same with the pack's network against prints and screens; `nil` if it has none.
        let sessionWithPresentation: Stopwatch.Summary?
    }

    /// - Parameter frame: a JPEG.
    func run(_ photo: String, _ frame: [UInt8]) async throws -> Result {
        let repeats = repeats
        return try await engine.run { analyzer, networks in
            let live = LiveAnalyzer(analyzer),
                checking = LiveAnalyzer(analyzer, looksForAttacks: true)
            let hasNetwork = analyzer.geometry.presentationAttack != nil
            guard
                try analyzer.analyze(ImageDecoder.decode(frame), search: .near, with: networks).main
                    != nil
            else {
                throw Failure(
                    .badInput, QualityReason.noFace.rawValue,
                    "\(photo): \(QualityReason.noFace.advice)")
            }
            return Result(
                photo: photo,
                budgeted: try Stopwatch.measure(repeats) {
                    _ = try analyzer.analyze(
                        ImageDecoder.decode(frame), search: .near, readingEyes: false,
                        with: networks)
                },
                decode: try Stopwatch.measure(repeats) { _ = try ImageDecoder.decode(frame) },
                session: try Stopwatch.measure(repeats) {
                    _ = try live.reading(
                        of: Frame(image: ImageDecoder.decode(frame), time: .zero), index: 0,
                        with: networks)
                },
                sessionWithPresentation: hasNetwork
                    ? try Stopwatch.measure(repeats) {
                        _ = try checking.reading(
                            of: Frame(image: ImageDecoder.decode(frame), time: .zero), index: 0,
                            with: networks)
                    } : nil)
        }
    }

    /// Crops the photo like a camera of 640×480 pixels with a person in front of it: as much as
    /// fits around the face.
    ///
    /// - Parameter face: its box.
    static func frame(_ photo: RGBImage, around face: Rectangle) -> [UInt8] {
        let width = min(photo.width, photo.height * 4 / 3, Int(3.5 * face.width)),
            height = width * 3 / 4
        let left = min(max(0, Int(face.center.x) - width / 2), photo.width - width)
        let top = min(max(0, Int(face.center.y) - height / 2), photo.height - height)
        let cut = photo.reduced(by: 1, x: left, y: top, width: width, height: height)
        return JPEGEncoder.encode(cut.resized(width: 640, height: 480), quality: 85)
    }
}
