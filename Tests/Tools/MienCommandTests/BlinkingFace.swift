import MienFace
import MienImage
import MienModels
import MienPixels
import MienTesting
import Testing

/// A demo photo's face that keeps still, blinks, and looks up, at ten frames per second. It passes
/// in passive mode. Every random challenge of the active mode requires a turn, too.
enum BlinkingFace {
    static let framesPerSecond: Int32 = 10

    static func frames(_ photo: String) async throws -> [RGBImage] {
        let whole = try ImageFile.decode(photo)
        let engine = try FaceEngine(pack: try ModelPack(folder: TemporaryHome.Machine.pack))
        // The face and its surroundings, so that frames are small.
        let box = try #require(try await engine.analyze(whole).main).detection.box,
            side = min(whole.width, whole.height, Int(2.6 * box.width))
        let left = min(max(0, Int(box.center.x) - side / 2), whole.width - side),
            top = min(max(0, Int(box.center.y) - side / 2), whole.height - side)
        let cut = whole.reduced(by: 1, x: left, y: top, width: side, height: side).resized(
            width: 240, height: 240)
        let mesh = try #require(try await engine.analyze(cut).main).mesh
        return try await LivenessSession.played(
            SolidHead(cut, mesh: mesh, reach: 60),
            LivenessChallenge(steps: [.init(.blink), .init(.lookUp, pauseMilliseconds: 500)]),
            settings: VerificationSettings(mode: .livenessActive),
            framesPerSecond: Double(framesPerSecond), reader: engine, keepingFrames: true
        ).frames
    }
}
