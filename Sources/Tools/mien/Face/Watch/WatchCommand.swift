import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienVault
import UnixSignals

/// `mien face watch --camera NAME | --video FILE`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract:
            "Follow a face in front of a camera or in a video: what to do, angles, quality, and who it is.",
        discussion: """
            Without --camera and --video the first camera whose name contains “front” is used, or else the first. Ctrl-C ends it. Exits with 0 when a frame
            was good enough, with --name when its best frame matches, else with 1. That looks at pictures; it does not prove that a live person was there.

            With --mode it is a live session, which ends with a verdict: image takes the first good picture, passive asks to keep still and to blink, active asks
            for actions that are drawn anew each time. Exits with 0 when accepted, with --name when it is that person, else with 1.

            EXAMPLE
              mien face watch --mode active --name ada
              mien face watch --video clip.mp4 --name ada
              mien face watch --camera "Integrated Camera" --seconds 30 --json
            """)

    @Option(
        help: ArgumentHelp(
            "A camera's name, or its device; --cameras lists them.", valueName: "name")) var camera:
        String?
    @Option(
        help: ArgumentHelp(
            "A video file: MP4, MOV, MKV, WebM, AVI, MPEG-TS, Ogg or GIF.", valueName: "file"))
    var video: String?
    @Flag(help: "List the cameras of this machine, and look at nothing.") var cameras = false
    @Option(help: "Compare the best frame with the person enrolled under this name.") var name:
        String?
    @Option(help: ArgumentHelp("A live session: image, passive or active.", valueName: "mode"))
    var mode: WatchMode?
    @Option(
        help: ArgumentHelp(
            "Ask for these in active mode, such as turn_left,blink, half a second before each: to try things out, as who knows them may have a recording.",
            valueName: "actions")) var actions: WatchActions?
    @Flag(
        help: "Ask the pack's network for presentation attacks, too. The default pack brings none.")
    var presentationAttack = false
    @Option(help: ArgumentHelp("Stop after so many seconds of video.", valueName: "n")) var seconds:
        Int?
    @Option(help: ArgumentHelp("The quality that is enough, 0 to 100.", valueName: "quality"))
    var quality = FaceQuality.defaultThreshold
    @Option(
        help: ArgumentHelp("The least score that counts as a match, 0 to 72.", valueName: "score"))
    var threshold = MatchScore.defaultThreshold.value
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard camera == nil || video == nil else {
            throw ValidationError("--camera and --video are two things to watch: name one")
        }
        guard (0...100).contains(quality) else {
            throw ValidationError("--quality is 0 to 100, not \(quality)")
        }
        guard MatchScore.range.contains(threshold) else {
            throw ValidationError("--threshold is 0 to 72, not \(threshold)")
        }
        guard (threshold * 10).rounded() / 10 == threshold else {
            throw ValidationError("--threshold has at most one decimal, \(threshold) has more")
        }
        guard seconds ?? 1 > 0 else { throw ValidationError("--seconds is 1 or more") }
        guard actions == nil || mode == .active else {
            throw ValidationError("--actions goes with --mode active")
        }
        guard !presentationAttack || mode == .active || mode == .passive else {
            throw ValidationError("--presentation-attack goes with --mode active or passive")
        }
    }

    func run() async throws {
        guard output.json else { return try await watch() }
        do { try await watch() } catch let error as Outcome { throw error } catch {
            // Lines, to the last: the object that other commands print has many.
            let failure = Failure(error)
            Terminal.warn("mien: \(failure.message)")
            JSON.printLine(["error": ["code": failure.code, "message": failure.message]])
            throw failure.outcome
        }
    }

    private func watch() async throws {
        if cameras { return list(Camera.all()) }
        let person = try name.map { try PersonName($0) }
        let stream = try await VideoStream.open(
            try source(), options: VideoOptions(longestSide: 1280))
        let faces = try LocalFaces(
            engine, photos: PhotoOptions(), looksForAttacks: presentationAttack)
        let enrolled = try person.map { try faces.enrolled($0) }
        let view = view
        view.begin(video ?? "camera", stream.info)
        if let mode {
            let end = try await session(mode, stream, faces, enrolled, view)
            view.end(end)
            if !end.verdict.isAccepted { throw Outcome.noMatch }
            return
        }
        let (seconds, quality, engine) = (seconds, quality, faces.engine)
        let watched = try await Self.untilInterrupted {
            try await Self.follow(stream, for: seconds, with: engine) {
                view.show(WatchedFrame($0, $1, quality: quality))
            }
        }
        await stream.close()
        let verdict = try await judge(watched, with: faces, enrolled)
        view.end(watched, verdict)
        if !verdict.isGood { throw Outcome.noMatch }
    }

    private var view: any WatchView {
        if output.json { return WatchLines() }
        return Terminal.outputIsTerminal ? WatchScreen() : WatchWords()
    }

    private func source() throws -> VideoSource {
        if let video { return .file(video) }
        return .camera(try Camera.choose(from: Camera.all(), named: camera))
    }

    /// Looks at each frame that comes, until there are no more, the time is over, or the task is
    /// cancelled.
    private static func follow(
        _ stream: VideoStream, for seconds: Int?, with engine: FaceEngine,
        _ show: (VideoFrame, FaceAnalysis) -> Void
    ) async throws -> Watched {
        var watched = Watched()
        do {
            for try await frame in stream {
                if let seconds, frame.time >= .seconds(seconds) { break }
                let analysis = try await engine.analyse(frame.image)
                watched.add(frame, analysis)
                show(frame, analysis)
            }
        } catch is CancellationError {
            // Ctrl-C: what was seen until now is told.
        }
        return watched
    }

    /// A live session to its end.
    private func session(
        _ mode: WatchMode, _ stream: VideoStream, _ faces: LocalFaces, _ person: EnrolledFace?,
        _ view: any WatchView
    ) async throws -> WatchSessionEnd {
        let settings = try VerificationSettings(
            mode: mode.capture, qualityThreshold: quality, matchingThreshold: MatchScore(threshold),
            timeout: .seconds(60))
        var generator = SystemRandomNumberGenerator()
        let matcher = faces.matcher
        let session = WatchSession(
            settings: settings, challenge: actions?.challenge ?? .drawn(using: &generator),
            compare: try person.map { person in
                let enrolled = try matcher.reference(for: person.template)
                return { entry in
                    matcher.score(try matcher.reference(for: entry.descriptor), enrolled)
                }
            })
        let watched = WatchedStream(stream, seconds: seconds), engine = faces.engine
        var end = try await Self.untilInterrupted {
            try await session.run(watched, with: engine) { view.show($0) }
        }
        await stream.close()
        end.name = person?.name.text
        return end
    }

    /// Ctrl-C cancels `body`, which then says what came of it until now.
    static func untilInterrupted<Output: Sendable>(
        _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Output?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
                group.cancelAll()
            }
            throw CancellationError()
        }
    }

    private func judge(_ watched: Watched, with faces: LocalFaces, _ person: EnrolledFace?)
        async throws -> WatchVerdict
    {
        guard let best = watched.best else { return WatchVerdict(isGood: false, finding: nil) }
        let isEnough = best.face.quality.score >= quality
        guard let person else { return WatchVerdict(isGood: isEnough, finding: nil) }
        guard isEnough else {
            return WatchVerdict(isGood: false, finding: nil, name: person.name.text)
        }
        let description = try await faces.engine.run { analyzer, networks in
            try analyzer.describe(best.face, in: best.frame.image, with: networks)
        }
        let score = try faces.score(description, against: person.template)
        let match = score >= MatchScore(threshold)
        return WatchVerdict(
            isGood: match, finding: .init(match: match, threshold: threshold, score: score),
            name: person.name.text)
    }

    private func list(_ cameras: [Camera]) {
        let chosen = try? Camera.choose(from: cameras)
        if output.json {
            JSON.printLine([
                "cameras": cameras.map {
                    CameraOutput(name: $0.name, device: $0.path, isDefault: $0 == chosen)
                }
            ])
        } else if cameras.isEmpty {
            print("There is no camera on this machine.")
        } else {
            print(
                Terminal.table(
                    cameras.map { [$0.name, $0.path, $0 == chosen ? "default" : ""] },
                    heading: ["camera", "device", ""]))
        }
    }

    private struct CameraOutput: Encodable {
        let name: String
        let device: String
        let isDefault: Bool
    }
}
