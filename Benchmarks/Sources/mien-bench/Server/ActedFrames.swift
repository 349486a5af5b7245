import Foundation
import MienFace
import MienMedia
import MienModels
import MienTesting
import MienTools

/// JPEG frames of a head that is animated from a photo and does what a capture asks, drawn before
/// the measurement. No two are the same picture.
struct ActedFrames: Sendable {
    /// Enough for a session, so that none occurs twice.
    private static let restSeconds = 10.0
    /// From the request to the end of the action and a little longer.
    private static let actionSeconds = 1.5

    private let rest: [[UInt8]]
    /// The frames of each action, on the way there and on the way back.
    private let actions: [String: (out: [[UInt8]], back: [[UInt8]])]

    init(_ portrait: RGBImage, framesPerSecond rate: Int, engine: FaceEngine) async throws {
        let photo = Self.atArmsLength(portrait)
        guard let mesh = try await engine.analyze(photo).main?.mesh else {
            throw Failure(
                .badInput, QualityReason.noFace.rawValue, QualityReason.noFace.advice)
        }
        func frames(_ asked: LivenessAction?, _ seconds: Double, seed: UInt64) -> [[UInt8]] {
            var head = SolidHead(photo, mesh: mesh, seed: seed)
            return (0..<Int(seconds * Double(rate))).map {
                JPEGEncoder.encode(
                    head.image(asked: asked, at: Double($0) / Double(rate)), quality: 85)
            }
        }
        rest = frames(nil, Self.restSeconds, seed: 1)
        var actions: [String: (out: [[UInt8]], back: [[UInt8]])] = [:]
        for (seed, action) in LivenessAction.drawable.enumerated() {
            actions[action.rawValue] = (
                frames(action, Self.actionSeconds, seed: UInt64(2 * seed + 2)),
                frames(action, Self.actionSeconds, seed: UInt64(2 * seed + 3))
            )
        }
        self.actions = actions
    }

    /// Returns a frame of 640×480 with the portrait as far away as people hold a phone, in front of a
    /// gray wall: a face that fills the frame is asked to move back and is not judged.
    private static func atArmsLength(_ portrait: RGBImage) -> RGBImage {
        let scale = 0.6 * min(640 / Double(portrait.width), 480 / Double(portrait.height))
        let small = portrait.resized(
            width: Int(Double(portrait.width) * scale), height: Int(Double(portrait.height) * scale)
        )
        let (left, top) = ((640 - small.width) / 2, 480 - small.height)
        var frame = RGBImage(width: 640, height: 480, filledWith: RGBColor(128, 128, 128))
        for y in 0..<small.height {
            for x in 0..<small.width { frame[left + x, top + y] = small[x, y] }
        }
        return frame
    }

    /// The position of one actor.
    struct Position {
        fileprivate var rest = 0
        fileprivate var doing: (action: String, index: Int)?
    }

    /// Returns the next frame.
    ///
    /// - Parameter asked: The action that the capture requests.
    func next(_ position: inout Position, asked: String?) -> [UInt8] {
        if let asked, let frames = actions[asked]?.out {
            let index =
                position.doing.map { $0.action == asked ? $0.index + 1 : 0 } ?? 0
            position.doing = (asked, min(index, frames.count - 1))
            return frames[position.doing!.index]
        }
        if let (action, index) = position.doing, let frames = actions[action]?.back {
            position.doing = index == 0 ? nil : (action, index - 1)
            return frames[index]
        }
        position.rest += 1
        return rest[position.rest % rest.count]
    }
}
