import ArgumentParser
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools

/// The capture mode of `mien face watch --mode`.
enum WatchMode: String, CaseIterable, ExpressibleByArgument {
    case image, passive, active

    var capture: FaceCaptureMode {
        switch self {
        case .image: .image
        case .passive: .livenessPassive
        case .active: .livenessActive
        }
    }
}

/// Whether `mien face watch --mode` judges the face with the pack's network against prints and
/// screens.
enum WatchPresentation: String, CaseIterable, ExpressibleByArgument {
    case off, observe, require

    var mode: PresentationMode {
        switch self {
        case .off: .off
        case .observe: .observe
        case .require: .require
        }
    }
}

/// A sequence of actions, separated by commas.
struct WatchActions: ExpressibleByArgument {
    let challenge: LivenessChallenge
    /// The time before each action, in milliseconds.
    static let pause = 500

    init?(argument: String) {
        let actions = argument.split(separator: ",", omittingEmptySubsequences: false).map {
            LivenessAction(rawValue: String($0))
        }
        let steps = actions.compactMap {
            $0.map { LivenessChallenge.Step($0, pauseMilliseconds: Self.pause) }
        }
        guard steps.count == actions.count, let challenge = try? LivenessChallenge(steps: steps)
        else { return nil }
        self.challenge = challenge
    }
}

/// A capture session over a video.
struct WatchSession {
    let settings: VerificationSettings
    let challenge: LivenessChallenge
    /// Compares a face with the enrolled one; `nil` without a name.
    let compare: FaceVerifier<FaceEngine>.Compare?

    /// Runs until the verdict. After Ctrl-C, the verdict is a refusal as canceled.
    ///
    /// - Throws: `MediaError` when the video breaks; what the engine throws.
    func run(_ stream: WatchedStream, with engine: FaceEngine, _ show: (WatchedFrame) -> Void)
        async throws -> WatchSessionEnd
    {
        let verifier = FaceVerifier(reader: engine, settings: settings, compare: compare)
        var generator = SystemRandomNumberGenerator(), withFace = 0
        do {
            for try await update in try verifier.updates(
                of: stream, capture: .random(using: &generator), challenge: challenge)
            {
                let seen = stream.seen
                switch update {
                case .frame(let event):
                    if event.face != nil { withFace += 1 }
                    show(
                        WatchedFrame(
                            event, number: seen.number, begin: seen.begin, settings: settings))
                case .verdict(let verdict):
                    return WatchSessionEnd(
                        mode: settings.mode, threshold: settings.matchingThreshold, seen: seen,
                        withFace: withFace, verdict: verdict,
                        presentation: settings.presentation)
                }
            }
        } catch let error as FrameSourceError {
            // The video's own error explains more than the session's.
            if let failure = stream.seen.failure { throw failure }
            throw error
        }
        throw CancellationError()
    }
}

/// The result of a session.
struct WatchSessionEnd: Sendable {
    let mode: FaceCaptureMode
    let threshold: MatchScore
    let seen: WatchedStream.Seen
    let withFace: Int
    let verdict: VerificationVerdict
    /// The mode of the presentation check.
    let presentation: PresentationMode
    /// The name of the person compared with.
    var name: String?

    /// The checks that gave no result: off, not needed for the actions, or not reached.
    var notRun: [LivenessCheckResult.Check] {
        guard mode != .image else { return [] }
        return LivenessCheckResult.Check.all.filter { check in
            !verdict.checks.contains { $0.check == check }
        }
    }

    var score: MatchScore? {
        if case .accepted(_, let score) = verdict.outcome { score } else { nil }
    }

    /// `nil` if no comparison took place.
    var isMatch: Bool? {
        guard name != nil else { return nil }
        if verdict.isAccepted { return true }
        return verdict.refusals.contains(.noMatch) ? false : nil
    }

    /// The result for people.
    var words: [String] {
        let dropped = seen.dropped > 0 ? ", \(seen.dropped) dropped" : ""
        let frames = seen.frames == 1 ? "one frame" : "\(seen.frames) frames"
        let time = String.decimal((seen.time - seen.begin) / .seconds(1))
        let sight = "\(frames) in \(time) s, \(withFace) with a face\(dropped)"
        var lines = ["\(headline): \(sight)."]
        if let score {
            lines += [
                "  score      \(ScoreOutput.sentence(score))",
                "  threshold  \(String.decimal(threshold.value))",
            ]
        }
        if mode != .image { lines.append("  liveness   \(verdict.livenessScore) of 100") }
        lines += verdict.refusals.dropFirst().map { "  also: \($0.words) (\($0.rawValue))" }
        let checks = verdict.checks.map { check in
            let numbers = check.measured.map { measured in
                String.decimal(measured, 2)
                    + (check.limit.map { ", limit \(String.decimal($0, 2))" } ?? "")
            }
            let result =
                check.refusal?.rawValue ?? check.observed.map { "would refuse: \($0.rawValue)" }
                ?? "passed"
            let frames = check.frames.map { "; \($0) frames" } ?? ""
            return [check.check.rawValue, result, (numbers ?? "") + frames]
        }
        if !checks.isEmpty {
            lines.append(Terminal.table(checks.map { ["  \($0[0])", $0[1], $0[2]] }))
        }
        if !notRun.isEmpty {
            lines.append("  not run: \(notRun.map(\.rawValue).joined(separator: ", "))")
            if notRun.contains(.light) {
                lines.append("  light: this command shows no colors for the face to reflect")
            }
        }
        if mode != .image, presentation != .require {
            lines.append(
                "  warning: the presentation check was not required; use --presentation require")
        }
        return lines
    }

    private var headline: String {
        if let first = verdict.refusals.first {
            return isMatch == false
                ? "No match: the face is not that of \(name ?? "")"
                : "Refused: \(first.words) (\(first.rawValue))"
        }
        let kind =
            switch mode {
            case .image:
                "a picture of sufficient quality, without proof of a live person"
            case .livenessPassive: "a person who kept still and blinked"
            case .livenessActive: "a person who performed the requested actions"
            }
        return name.map { "Match: \(kind), and the face is that of \($0)" } ?? "Accepted: \(kind)"
    }
}
