import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools
import MienVault
import UnixSignals

/// `mien face watch --camera NAME | --video FILE`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract:
            "Follow a face in front of a camera or in a video: guidance, angles, quality, and who it is.",
        discussion: """
            Without --camera and --video, the first camera whose name contains “front” is used, or else \
            the first camera. Ctrl-C stops the command. Exits with 0 if a frame was good enough and, \
            with --name, the best frame matches, otherwise with 1. The command inspects pictures; it \
            does not prove that a live person was present.

            With --mode, it runs a capture session, which ends with a verdict: image takes the first \
            good picture, passive asks to keep still and to blink, active asks for random actions. Exits \
            with 0 if the capture is accepted and, with --name, it is that person, otherwise with 1.

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
            "A video file: MP4, MOV, MKV, WebM, AVI, MPEG-TS, Ogg, or GIF.", valueName: "file"))
    var video: String?
    @Flag(help: "List the cameras of this machine and exit.") var cameras = false
    @Flag(
        help:
            "Also use a virtual camera, into which a program can play anything. For experiments only."
    )
    var allowVirtualCamera = false
    @Option(help: "Compare the best frame with this enrolled person.") var name: String?
    @Option(
        help: ArgumentHelp("Run a capture session: image, passive, or active.", valueName: "mode"))
    var mode: WatchMode?
    @Option(
        help: ArgumentHelp(
            "In active mode, ask for these actions, such as turn_left,blink, half a second before each. For experiments only: anyone who knows the actions can prepare a recording.",
            valueName: "actions")) var actions: WatchActions?
    @Option(
        help: ArgumentHelp(
            "Judge the face with the pack's network against prints and screens, if it has one: off (default), observe, or require.",
            valueName: "off|observe|require"))
    var presentation = WatchPresentation.off
    @Option(help: OmittedActions.help) var omit: OmittedActions?
    @Option(help: ArgumentHelp("Stop after this many seconds of video.", valueName: "n"))
    var seconds: Int?
    @Option(help: ArgumentHelp("The sufficient quality, 0 to 100.", valueName: "quality"))
    var quality = FaceQuality.defaultThreshold
    @Option(
        help: ArgumentHelp("Minimum score that counts as a match, 0 to 72.", valueName: "score"))
    var threshold = MatchScore.defaultThreshold.value
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard camera == nil || video == nil else {
            throw ValidationError("--camera and --video cannot be combined")
        }
        guard (0...100).contains(quality) else {
            throw ValidationError("--quality must be 0 to 100, not \(quality)")
        }
        guard MatchScore.range.contains(threshold) else {
            throw ValidationError("--threshold must be 0 to 72, not \(threshold)")
        }
        guard (threshold * 10).rounded() / 10 == threshold else {
            throw ValidationError(
                "--threshold must have at most one decimal; \(threshold) has more")
        }
        guard seconds ?? 1 > 0 else { throw ValidationError("--seconds must be 1 or more") }
        guard actions == nil || mode == .active else {
            throw ValidationError("--actions needs --mode active")
        }
        guard omit == nil || (mode == .active && actions == nil) else {
            throw ValidationError("--omit needs --mode active, and no --actions")
        }
        guard presentation == .off || mode == .active || mode == .passive else {
            throw ValidationError("--presentation needs --mode active or passive")
        }
    }

    func run() async throws {
        guard output.json else { return try await watch() }
        do { try await watch() } catch let error as Outcome { throw error } catch {
            // Every object is one line, unlike in other commands.
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
            engine, photos: PhotoOptions(), for: person, looksForAttacks: presentation != .off)
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
        return .camera(
            try Camera.choose(from: Camera.all(), named: camera), allowsVirtual: allowVirtualCamera)
    }

    /// Processes frames until the video ends, the time is over, or the task is canceled.
    private static func follow(
        _ stream: VideoStream, for seconds: Int?, with engine: FaceEngine,
        _ show: (VideoFrame, FaceAnalysis) -> Void
    ) async throws -> Watched {
        var watched = Watched()
        do {
            for try await frame in stream {
                if let seconds, frame.time >= .seconds(seconds) { break }
                let analysis = try await engine.analyze(frame.image)
                watched.add(frame, analysis)
                show(frame, analysis)
            }
        } catch is CancellationError {
            // Ctrl-C: reports the frames so far.
        }
        return watched
    }

    /// Runs a capture session to its end.
    private func session(
        _ mode: WatchMode, _ stream: VideoStream, _ faces: LocalFaces, _ person: EnrolledFace?,
        _ view: any WatchView
    ) async throws -> WatchSessionEnd {
        let settings = try VerificationSettings(
            mode: mode.capture, qualityThreshold: quality, matchingThreshold: MatchScore(threshold),
            timeout: .seconds(60), presentation: presentation.mode,
            omittedActions: omit?.actions ?? [])
        var generator = SystemRandomNumberGenerator()
        let matcher = faces.matcher
        let session = WatchSession(
            settings: settings,
            challenge: actions?.challenge ?? settings.challenge(using: &generator),
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

    /// Runs `body` and cancels it on Ctrl-C. It then returns its result so far.
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
                    CameraOutput(
                        name: $0.name, device: $0.path, isDefault: $0 == chosen,
                        isVirtual: $0.isVirtual)
                }
            ])
        } else if cameras.isEmpty {
            print("This computer has no camera.")
        } else {
            print(
                Terminal.table(
                    cameras.map {
                        let words =
                            ($0 == chosen ? ["default"] : []) + ($0.isVirtual ? ["virtual"] : [])
                        return [$0.name, $0.path, words.joined(separator: ", ")]
                    },
                    heading: ["camera", "device", ""]))
        }
    }

    private struct CameraOutput: Encodable {
        let name: String
        let device: String
        let isDefault: Bool
        let isVirtual: Bool
    }
}
