import MienCore
import MienFace
import MienMedia
import MienPixels

/// What was seen until now. Holds one picture: the best.
struct Watched: Sendable {
    struct Best: Sendable {
        let frame: VideoFrame
        let face: AnalysedFace
    }

    private(set) var frames = 0
    private(set) var withFace = 0
    /// Of the last frame.
    private(set) var time = Duration.zero
    /// A camera's frames that came while another was looked at.
    private(set) var dropped = 0
    private(set) var best: Best?

    mutating func add(_ frame: VideoFrame, _ analysis: FaceAnalysis) {
        frames += 1
        (time, dropped) = (frame.time, frame.number + 1 - frames)
        guard let face = analysis.main else { return }
        withFace += 1
        // Somebody else in the picture is no flaw of the face's, but which of them is meant?
        let score = analysis.qualityScore
        if best.map({ score > $0.face.quality.score }) ?? true { best = Best(frame: frame, face: face) }
    }
}

/// One frame, as it is shown.
struct WatchedFrame: Encodable {
    struct Face: Encodable {
        let box: Rectangle
        let confidence: Double
    }
    let event = "frame"
    let frame: Int
    /// Seconds since the first.
    let time: Double
    let faces: [Face]
    let pose: HeadPose?
    let eyes: EyeOpening?
    let quality: Int
    let reasons: [QualityReason]
    /// What to tell the person, for long enough to be read; `nil` when nothing is wrong.
    var guidance: Guidance?

    init(_ frame: VideoFrame, _ analysis: FaceAnalysis, quality threshold: Int) {
        self.frame = frame.number
        time = frame.time / .seconds(1)
        faces = analysis.faces.map { Face(box: $0.box, confidence: $0.confidence) }
        pose = analysis.main?.pose
        eyes = analysis.main?.eyes
        quality = analysis.qualityScore
        reasons = analysis.reasons(below: threshold)
    }

    private enum CodingKeys: CodingKey { case event, frame, time, faces, pose, eyes, quality, reasons, guidance }

    var advice: String { reasons.first?.advice ?? "good" }

    /// "yaw 3.5°, pitch −1.8°, roll 0.9°".
    var angles: String? {
        pose.map { pose in
            [("yaw", pose.yaw), ("pitch", pose.pitch), ("roll", pose.roll)].map { "\($0) \(String.decimal(Double($1)))°" }.joined(separator: ", ")
        }
    }
}

/// How it ended.
struct WatchVerdict {
    struct Finding {
        let match: Bool
        let threshold: Double
        let score: MatchScore
    }
    let isGood: Bool
    /// With somebody to compare with, and a frame good enough to do it.
    let finding: Finding?
    var name: String?
}
