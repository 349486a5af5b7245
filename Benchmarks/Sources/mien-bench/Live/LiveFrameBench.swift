import MienCommandSupport
import MienCore
import MienFace
import MienImage
import MienModels
import MienPixels
import MienTesting

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
        /// The work on an examined frame of a session: also both eyes, one crop's descriptor, the
        /// networks against prints and screens if the pack has them, the patch, and the picture's
        /// hash.
        let session: Stopwatch.Summary
    }

    /// - Parameter frame: a JPEG.
    func run(_ photo: String, _ frame: [UInt8]) async throws -> Result {
        let (repeats, engine) = (repeats, engine)
        return try await engine.run { analyzer, networks in
            let live = engine.liveAnalyzer
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
                })
        }
    }

    /// The frames of active sessions, as the sessions requested them.
    struct SessionResult: Encodable, Sendable {
        var sessions = 0, passed = 0, frames = 0
        /// Frames in which the face was only followed.
        var followed = 0
        /// The processor time of all frames, from their JPEG bytes.
        var milliseconds = 0.0, followedMilliseconds = 0.0
    }

    /// Plays sessions of a head that is animated from a photo and performs drawn actions, at 10 frames
    /// a second.
    func sessions(_ frame: [UInt8], count: Int) async throws -> SessionResult {
        let engine = engine, hasAttackNetworks = engine.liveAnalyzer.looksForAttacks
        return try await engine.run { analyzer, networks in
            let photo = try ImageDecoder.decode(frame)
            var result = SessionResult()
            guard let face = try analyzer.analyze(photo, search: .near, with: networks).main else {
                return result
            }
            let settings = try VerificationSettings(
                mode: .livenessActive, presentation: hasAttackNetworks ? .observe : .off)
            for seed in 1...count {
                var generator = SeededGenerator(seed: UInt64(seed))
                var session = LivenessSession(
                    challenge: .drawn(using: &generator), settings: settings)
                var actor = SolidHead(photo, mesh: face.mesh, reach: 60, seed: UInt64(seed))
                var asked: LivenessAction?
                for index in 0..<300 where session.refusals == nil {
                    let time = Double(index) / 10
                    let bytes = JPEGEncoder.encode(actor.image(asked: asked, at: time), quality: 85)
                    let watch = Stopwatch()
                    let reading = try engine.liveAnalyzer.reading(
                        of: Frame(image: ImageDecoder.decode(bytes), time: .seconds(time)),
                        index: index, for: session.request, with: networks)
                    let spent = watch.reading.cpuMilliseconds
                    result.frames += 1
                    result.milliseconds += spent
                    if reading.face?.isExamined == false {
                        result.followed += 1
                        result.followedMilliseconds += spent
                    }
                    asked = session.handle(reading).action
                }
                result.sessions += 1
                if session.refusals == [] { result.passed += 1 }
            }
            return result
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
