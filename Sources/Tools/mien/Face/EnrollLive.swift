import ArgumentParser
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienMedia
import MienModels
import MienTools
import MienVault

/// The source and the settings of a live enrollment.
struct EnrollLiveOptions: ParsableArguments {
    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp(
            "Enroll live, with this camera, or the first “front” one (mien face watch --cameras).",
            valueName: "name")) var camera: String?
    @Option(
        help: ArgumentHelp("Enroll from a video file, judged like a camera.", valueName: "file"))
    var video: String?
    @Option(
        help: ArgumentHelp(
            "Live: active (the default) asks for random actions, passive for a blink, image for nothing.",
            valueName: "mode")) var mode: WatchMode?
    @Option(help: OmittedActions.help) var omit: OmittedActions?
    @Option(
        help: ArgumentHelp(
            "Live: judge the face with the pack's network against prints and screens, if it has one: off (default), observe, or require.",
            valueName: "off|observe|require"))
    var presentation: WatchPresentation?
    @Option(
        help: ArgumentHelp(
            "Live: simple (the default) takes the front, full also each side.", valueName: "views"))
    var views: EnrollViews?
    @Option(
        help: ArgumentHelp(
            "Live: frontal frames to take, 1 to 8, or 1 to 4 with full (default: 4).",
            valueName: "n")) var frames: Int?
    @Option(
        help: ArgumentHelp(
            "Live: seconds before frames are taken, 0 to 3600 (default: 5 with a camera, 0 with a video).",
            valueName: "s")) var countdown: Int?
    @Flag(
        help:
            "Live: do not ask for the device's PIN. The face is recognized, but unlocks nothing.")
    var recognitionOnly = false

    var isLive: Bool { camera != nil || video != nil }

    func settings(quality: Int) throws -> EnrollmentSettings {
        try EnrollmentSettings(
            mode: (mode ?? .active).capture, views: views == .full ? .full : .simple,
            qualityThreshold: quality,
            countdownToCapture: .seconds(countdown ?? (video == nil ? 5 : 0)),
            framesToEnroll: frames ?? 4, timeout: .seconds(90),
            presentation: (presentation ?? .off).mode,
            omittedActions: omit?.actions ?? [])
    }

    func validate() throws {
        guard camera == nil || video == nil else {
            throw ValidationError("--camera and --video cannot be combined")
        }
        guard
            isLive
                || (mode == nil && views == nil && frames == nil && countdown == nil
                    && omit == nil && presentation == nil && !recognitionOnly)
        else {
            throw ValidationError(
                "--mode, --omit, --presentation, --views, --frames, --countdown, and --recognition-only need --camera or --video"
            )
        }
        guard (presentation ?? .off) == .off || mode != .image else {
            throw ValidationError("--presentation needs --mode active or passive")
        }
        guard mode != .image || recognitionOnly else {
            throw ValidationError(
                "--mode image needs --recognition-only: pictures that nobody showed to be live unlock nothing"
            )
        }
        guard omit == nil || (mode ?? .active) == .active else {
            throw ValidationError("--omit needs --mode active")
        }
        do { _ = try settings(quality: FaceQuality.defaultThreshold) } catch let error
            as SessionSettingError
        {
            let option = ["framesToEnroll": "--frames", "countdownToCapture": "--countdown"]
            throw ValidationError(
                "\(option[error.setting] ?? error.setting) must be \(error.allowed)")
        }
    }

    /// The video, or the camera, which has to exist.
    func source() throws -> VideoSource {
        if let video { return .file(video) }
        let name = camera.flatMap { $0.isEmpty ? nil : $0 }
        return .camera(try Camera.choose(from: Camera.all(), named: name))
    }
}

/// The views of `--views`.
enum EnrollViews: String, CaseIterable, ExpressibleByArgument { case simple, full }

/// A live enrollment in front of a camera or a video.
struct EnrollLive {
    let name: PersonName
    let options: EnrollLiveOptions
    let quality: Int
    let engine: EngineOptions
    let isJSON: Bool

    func run() async throws {
        let
            faces = try LocalFaces(
                engine, photos: PhotoOptions(),
                looksForAttacks: (options.presentation ?? .off) != .off),
            service = try DeviceFaces.service(faces.engine.packID)
        let isNew = try faces.store.find(name) == nil
        // Look for the camera first, so that nobody types a PIN before an error.
        let source = try options.source()
        let pin = options.recognitionOnly ? nil : try await DeviceFaces.askPIN(service)
        let stream = try await VideoStream.open(source, options: VideoOptions(longestSide: 1280))
        let watched = WatchedStream(stream, seconds: nil)
        try await service.initialize(frames: FaceFrames { watched })
        let result = try await captured(service, faces.engine, watched)
        await stream.close()
        guard let face = result.face else {
            Terminal.warn(
                "mien: not enrolled: \(result.verdict.refusals.map(\.words).joined(separator: "; "))"
            )
            throw Outcome.noMatch
        }
        if let pin {
            if let new = pin.new { try await service.setPIN(new) }
            try await service.enroll(face, as: name, pin: pin.digits)
        } else {
            try await service.enroll(face.template, as: name)
        }
        report(face, result.verdict, isNew: isNew)
    }

    private func captured(
        _ service: FaceAuthService, _ engine: FaceEngine, _ watched: WatchedStream
    ) async throws -> FaceAuthEnrollmentResult {
        let enroller = try await service.enroller(
            reader: engine, settings: options.settings(quality: quality))
        let guide = SpokenGuide()
        do {
            return try await WatchCommand.untilInterrupted {
                try await enroller.result { update in
                    switch update {
                    case .countdown(let seconds): await guide.say("\(seconds) …")
                    case .capturingStarted: await guide.say("look into the camera")
                    case .frame(let event): await guide.show(event)
                    case .capturingEnded, .finished: break
                    }
                }
            }
        } catch let error as FrameSourceError {
            // The video's own error explains more than the session's.
            if let failure = watched.seen.failure { throw failure }
            throw error
        }
    }

    private func report(_ face: CapturedFace, _ verdict: EnrollmentVerdict, isNew: Bool) {
        let frames = face.template.entries.count
        guard !isJSON else {
            JSON.print(
                Output(
                    name: name.text, replaced: !isNew, pack: face.template.packID.text,
                    mode: face.mode.rawValue, frames: frames,
                    livenessScore: verdict.livenessScore, unlocks: !options.recognitionOnly))
            return
        }
        print(
            "\(isNew ? "Enrolled" : "Enrolled again") \(name.text.inSentence) from \(frames == 1 ? "one frame" : "\(frames) frames")."
        )
        print(
            options.recognitionOnly
                ? "The face is recognized, but unlocks nothing."
                : "Confirmed by the PIN: the face can unlock tokens and keys.")
    }

    private struct Output: Encodable {
        let name: String
        let replaced: Bool
        let pack: String
        let mode: String
        let frames: Int
        let livenessScore: Int
        let unlocks: Bool
    }
}

/// Tells the person what to do, without repeating an instruction.
actor SpokenGuide {
    private var last: String?

    func show(_ event: FrameEvent) {
        if let words = Self.words(for: event) { say(words) }
    }

    /// The instruction for a frame; `nil` during the countdown and if there is none.
    static func words(for event: FrameEvent) -> String? {
        guard event.countdown == nil else { return nil }
        return event.guidance?.words ?? event.action?.rawValue.replacing("_", with: " ")
    }

    func say(_ words: String) {
        guard words != last else { return }
        last = words
        Terminal.warn(words)
    }
}
