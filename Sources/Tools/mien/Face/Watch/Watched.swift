import MienCore
import MienFace
import MienMedia
import MienTools

/// The results so far. Stores one picture: the best.
struct Watched: Sendable {
    struct Best: Sendable {
        let frame: VideoFrame
        let face: AnalyzedFace
    }

    private(set) var frames = 0
    private(set) var withFace = 0
    /// The time of the last frame.
    private(set) var time = Duration.zero
    /// The number of a camera's frames that arrived while another was processed.
    private(set) var dropped = 0
    private(set) var best: Best?

    mutating func add(_ frame: VideoFrame, _ analysis: FaceAnalysis) {
        frames += 1
        (time, dropped) = (frame.time, frame.number + 1 - frames)
        guard let face = analysis.main else { return }
        withFace += 1
        // Another person in the picture does not lower the face's quality, but makes it unclear
        // which of them is meant.
        let score = analysis.qualityScore
        if best.map({ score > $0.face.quality.score }) ?? true {
            best = Best(frame: frame, face: face)
        }
    }
}

/// The output for one frame.
struct WatchedFrame: Encodable {
    struct Face: Encodable {
        let box: Rectangle
        /// `nil` in sessions, which do not report it.
        let confidence: Double?
    }
    let event = "frame"
    let frame: Int
    /// Seconds since the first frame.
    let time: Double
    let faces: [Face]
    let pose: HeadPose?
    let eyes: EyeOpening?
    let quality: Int
    let reasons: [QualityReason]
    /// The instruction to show, held for long enough to be read; `nil` when nothing is wrong.
    var guidance: Guidance?

    /// A session's values for a frame.
    struct Session: Sendable {
        let status: FrameEvent.Status
        let action: LivenessAction?
        /// 0...100.
        let progress: Int
        /// The measurement so far, 0...100.
        let livenessScore: Int
        /// The time left in the session, in seconds.
        let secondsLeft: Double
    }
    /// Present with `--mode`.
    let session: Session?

    init(_ frame: VideoFrame, _ analysis: FaceAnalysis, quality threshold: Int) {
        self.frame = frame.number
        time = frame.time / .seconds(1)
        faces = analysis.faces.map { Face(box: $0.box, confidence: $0.confidence) }
        pose = analysis.main?.pose
        eyes = analysis.main?.eyes
        quality = analysis.qualityScore
        reasons = analysis.reasons(below: threshold)
        session = nil
    }

    /// - Parameters:
    ///   - number: the frame's number in the stream, including dropped frames.
    ///   - settings: the session's settings.
    init(_ event: FrameEvent, number: Int, begin: Duration, settings: VerificationSettings) {
        frame = number
        time = event.frame.time / .seconds(1)
        faces = event.face.map { [Face(box: $0, confidence: nil)] } ?? []
        (pose, eyes) = (event.pose, nil)
        quality = event.quality?.score ?? 0
        reasons = event.quality?.reasons(below: settings.qualityThreshold) ?? [.noFace]
        guidance = event.guidance
        let left = max(.zero, settings.timeout - (event.frame.time - begin))
        session = Session(
            status: event.status, action: event.action, progress: event.progress,
            livenessScore: event.livenessScore,
            secondsLeft: (left / .seconds(1) * 1000).rounded() / 1000)
    }

    private enum CodingKeys: CodingKey {
        case event, frame, time, faces, pose, eyes, quality, reasons, guidance, status, action,
            progress, livenessScore, secondsLeft
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(event, forKey: .event)
        try container.encode(frame, forKey: .frame)
        try container.encode(time, forKey: .time)
        try container.encode(faces, forKey: .faces)
        try container.encodeIfPresent(pose, forKey: .pose)
        try container.encodeIfPresent(eyes, forKey: .eyes)
        try container.encode(quality, forKey: .quality)
        try container.encode(reasons, forKey: .reasons)
        try container.encodeIfPresent(guidance, forKey: .guidance)
        guard let session else { return }
        try container.encode(session.status, forKey: .status)
        try container.encodeIfPresent(session.action, forKey: .action)
        try container.encode(session.progress, forKey: .progress)
        try container.encode(session.livenessScore, forKey: .livenessScore)
        try container.encode(session.secondsLeft, forKey: .secondsLeft)
    }

    var advice: String {
        session == nil ? reasons.first?.advice ?? "good" : guidance?.words ?? "good"
    }

    /// "yaw 3.5°, pitch −1.8°, roll 0.9°".
    var angles: String? {
        pose.map { pose in
            [("yaw", pose.yaw), ("pitch", pose.pitch), ("roll", pose.roll)].map {
                "\($0) \(String.decimal(Double($1)))°"
            }.joined(separator: ", ")
        }
    }
}

/// The output at the end.
struct WatchVerdict {
    struct Finding {
        let match: Bool
        let threshold: Double
        let score: MatchScore
    }
    let isGood: Bool
    /// Present with a name, if a frame was good enough to compare.
    let finding: Finding?
    var name: String?
}
