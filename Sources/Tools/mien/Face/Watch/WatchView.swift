import Foundation
import MienCore
import MienFace
import MienMedia
import MienTools

/// The output of `mien face watch`.
protocol WatchView: AnyObject, Sendable {
    func begin(_ source: String, _ info: VideoInfo)
    func show(_ frame: WatchedFrame)
    func end(_ watched: Watched, _ verdict: WatchVerdict)
    func end(_ session: WatchSessionEnd)
}

/// Output for scripts: one JSON object per line.
final class WatchLines: WatchView, @unchecked Sendable {
    // Unchecked: only one task shows frames, one at a time.
    private var holder = GuidanceHolder()

    func begin(_ source: String, _ info: VideoInfo) {
        JSON.printLine(
            Start(
                source: source, width: info.width, height: info.height, codec: info.codec,
                framesPerSecond: info.framesPerSecond,
                duration: info.duration.map { $0 / .seconds(1) }))
    }

    func show(_ frame: WatchedFrame) {
        var frame = frame
        // In sessions, the session holds the guidance itself.
        if frame.session == nil {
            frame.guidance = holder.show(
                frame.reasons.first.map { Guidance($0) }, at: .seconds(frame.time))
        }
        JSON.printLine(frame)
    }

    func end(_ watched: Watched, _ verdict: WatchVerdict) {
        JSON.printLine(
            End(
                frames: watched.frames, withFace: watched.withFace, dropped: watched.dropped,
                quality: watched.best?.face.quality.score ?? 0,
                best: watched.best.map {
                    .init(frame: $0.frame.number, time: $0.frame.time / .seconds(1))
                }, good: verdict.isGood,
                name: verdict.name, match: verdict.finding?.match,
                threshold: verdict.finding?.threshold,
                result: verdict.finding.map { ScoreOutput($0.score) }))
    }

    func end(_ session: WatchSessionEnd) { JSON.printLine(SessionEnd(session)) }

    private struct SessionEnd: Encodable {
        struct Check: Encodable {
            let check: LivenessCheckResult.Check
            let passed: Bool
            let refusal: SessionRefusal?
            let measured: Double?
            let limit: Double?
        }
        let event = "end"
        let mode: FaceCaptureMode
        let frames: Int
        let withFace: Int
        let dropped: Int
        let good: Bool
        let livenessScore: Int
        let refusals: [SessionRefusal]
        let checks: [Check]
        /// Checks that gave no result.
        let notRun: [LivenessCheckResult.Check]
        let presentation: PresentationMode
        /// The number of the frame that the session took, among the processed frames.
        let taken: Int?
        let name: String?
        let match: Bool?
        let threshold: Double?
        let result: ScoreOutput?

        init(_ end: WatchSessionEnd) {
            (mode, frames, withFace, dropped) = (
                end.mode, end.seen.frames, end.withFace, end.seen.dropped
            )
            (good, refusals) = (end.verdict.isAccepted, end.verdict.refusals)
            livenessScore = end.verdict.livenessScore
            checks = end.verdict.checks.map {
                Check(
                    check: $0.check, passed: $0.hasPassed, refusal: $0.refusal,
                    measured: $0.measured, limit: $0.limit)
            }
            (notRun, presentation) = (end.notRun, end.presentation)
            if case .accepted(let live, _) = end.verdict.outcome {
                taken = live.frameIndex
            } else {
                taken = nil
            }
            (name, match) = (end.name, end.isMatch)
            threshold = end.name == nil ? nil : end.threshold.value
            result = end.score.map { ScoreOutput($0) }
        }

        private enum CodingKeys: CodingKey {
            case event, mode, frames, withFace, dropped, good, livenessScore, refusals, checks,
                notRun, presentation, taken, name, match, threshold, result
        }
    }

    private struct Start: Encodable {
        let event = "start"
        let source: String
        let width: Int
        let height: Int
        let codec: String
        let framesPerSecond: Double?
        let duration: Double?

        private enum CodingKeys: CodingKey {
            case event, source, width, height, codec, framesPerSecond, duration
        }
    }

    private struct End: Encodable {
        struct Frame: Encodable {
            let frame: Int
            let time: Double
        }
        let event = "end"
        let frames: Int
        let withFace: Int
        let dropped: Int
        let quality: Int
        let best: Frame?
        let good: Bool
        let name: String?
        let match: Bool?
        let threshold: Double?
        let result: ScoreOutput?

        private enum CodingKeys: CodingKey {
            case event, frames, withFace, dropped, quality, best, good, name, match, threshold,
                result
        }
    }
}

/// Output for files and pipes: a line whenever something changes.
final class WatchWords: WatchView, @unchecked Sendable {
    // Unchecked: only one task shows frames, one at a time.
    private var remark = SteadyRemark()

    func begin(_ source: String, _ info: VideoInfo) { Terminal.say(info.sentence(of: source)) }

    func show(_ frame: WatchedFrame) {
        guard
            let advice = remark.change(
                to: frame.advice, at: frame.time, isHeld: frame.session != nil)
        else { return }
        let details = [frame.angles, frame.faces.isEmpty ? nil : "quality \(frame.quality)"]
            .compactMap { $0 }.joined(separator: ", ")
        print(
            "  \(String.decimal(frame.time, 2)) s  \(advice)\(details.isEmpty ? "" : " (\(details))")"
        )
    }

    func end(_ watched: Watched, _ verdict: WatchVerdict) {
        for line in verdict.words(watched) { Terminal.say(line) }
    }
    func end(_ session: WatchSessionEnd) { for line in session.words { Terminal.say(line) } }
}

/// Output for people at a terminal: a few lines that are updated in place.
final class WatchScreen: WatchView, @unchecked Sendable {
    // Unchecked: only one task shows frames, one at a time.
    private var remark = SteadyRemark()
    private var advice = ""
    private var drawn = 0
    private var last = ContinuousClock.now - .seconds(1)

    func begin(_ source: String, _ info: VideoInfo) { Terminal.say(info.sentence(of: source)) }

    func show(_ frame: WatchedFrame) {
        let changed = remark.change(to: frame.advice, at: frame.time, isHeld: frame.session != nil)
        if let changed { advice = changed }
        // Faster updates are unreadable, but an instruction must be visible at once.
        guard
            ContinuousClock.now - last > .milliseconds(100)
                || (changed != nil && frame.session != nil)
        else { return }
        last = .now
        let session = frame.session.map { session in
            [
                "  progress \(Self.bar(session.progress)) \(session.progress)",
                "  liveness \(Self.bar(session.livenessScore)) \(session.livenessScore)",
                "  left     \(String.decimal(session.secondsLeft, 0)) s",
            ]
        }
        draw(
            [
                "  time     \(String.decimal(frame.time, 1)) s",
                "  angles   \(frame.angles ?? "–")",
                "  quality  \(Self.bar(frame.quality)) \(frame.quality)",
            ] + (session ?? []) + ["  \(advice)"])
    }

    func end(_ watched: Watched, _ verdict: WatchVerdict) {
        draw([])
        for line in verdict.words(watched) { Terminal.say(line) }
    }

    func end(_ session: WatchSessionEnd) {
        draw([])
        for line in session.words { Terminal.say(line) }
    }

    private func draw(_ lines: [String]) {
        let up = drawn > 0 ? "\u{1B}[\(drawn)A\u{1B}[J" : ""
        FileHandle.standardOutput.write(Data((up + lines.map { $0 + "\n" }.joined()).utf8))
        drawn = lines.count
    }

    private static func bar(_ value: Int) -> String {
        String(repeating: "█", count: value / 5) + String(repeating: "░", count: 20 - value / 5)
    }
}

/// Holds a remark for long enough to be read.
struct SteadyRemark {
    private static let seconds = 0.7
    private var shown: String?
    private var since = 0.0

    /// - Parameter isHeld: whether the caller already holds it for long enough.
    /// - Returns: the remark if it replaces another one.
    mutating func change(to remark: String, at time: Double, isHeld: Bool = false) -> String? {
        guard remark != shown, isHeld || shown == nil || time - since >= Self.seconds else {
            return nil
        }
        (shown, since) = (remark, time)
        return remark
    }
}

extension VideoInfo {
    fileprivate func sentence(of source: String) -> String {
        let rate = framesPerSecond.map { ", \(String.decimal($0)) frames a second" } ?? ""
        return "\(source): \(width) × \(height)\(rate), \(codec)"
    }
}

extension WatchVerdict {
    fileprivate func words(_ watched: Watched) -> [String] {
        let dropped = watched.dropped > 0 ? ", \(watched.dropped) dropped" : ""
        let seen =
            "\(watched.frames == 1 ? "one frame" : "\(watched.frames) frames") in \(String.decimal(watched.time / .seconds(1))) s, \(watched.withFace) with a face\(dropped)"
        guard let best = watched.best else { return ["No face: \(seen)."] }
        let bestFrame =
            "best at \(String.decimal(best.frame.time / .seconds(1), 2)) s, quality \(best.face.quality.score) of 100"
        guard let name else {
            return ["\(isGood ? "Good enough" : "Not good enough"): \(seen); \(bestFrame)."]
        }
        guard let finding else {
            return [
                "No frame is good enough to compare with \(name.inSentence): \(seen); \(bestFrame)."
            ]
        }
        return [
            "\(finding.match ? "Match: the face is that of \(name.inSentence)" : "No match: the face is not that of \(name.inSentence)"); \(seen); \(bestFrame).",
            "  score      \(ScoreOutput.sentence(finding.score))",
            "  threshold  \(String.decimal(finding.threshold))",
        ]
    }
}
