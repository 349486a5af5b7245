import ArgumentParser
import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienMedia
import MienModels
import MienTools
import MienVault

/// `mien token code`
struct OTPTokenCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code", abstract: "Show a sign-in code.",
        discussion: """
            Asks for the PIN. With --name, that person's face unlocks the token instead, in front of \
            the camera: keep still, then perform the randomly drawn actions. With --mode passive, keep \
            still and blink, which a recording can do, too. Exits with 1 and shows no code if it is \
            another person or nobody is there. After five failed attempts, the face is locked until \
            mien token face on activates it again with the PIN.

            With --challenge, a CAP token answers a number that a service shows.

            EXAMPLE
              mien token code
              mien token code shop
              mien token code shop --challenge 12345678
              mien token code --name ada --camera "Integrated Camera"
            """)

    @OptionGroup var token: OTPTokenOptions
    @Option(
        help: ArgumentHelp(
            "Answer this number of a service, 1 to 8 digits; only a CAP token does.",
            valueName: "number"))
    var challenge: String?
    @OptionGroup var look: LookOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let question = try challenge.map { try CAPQuestion(challenge: $0) }
        let vault = try DeviceTokens.vault(), found = try await token.find(in: vault)
        if question != nil { try found.requireCard() }
        let input = try await look.tokenInput()
        let code =
            if let question {
                try await vault.code(of: found.id, answering: question, with: input)
            } else { try await vault.code(of: found.id, with: input) }
        if output.json {
            JSON.print(Output(id: found.id, code: code.text, kind: found.kind.rawValue))
        } else {
            Terminal.say(code.text)
        }
    }

    private struct Output: Encodable { let id, code, kind: String }
}

/// The face that unlocks the token, and the source of its frames.
struct LookOptions: ParsableArguments {
    @Option(
        help: "The person whose face unlocks the token, enrolled with mien face enroll --camera.")
    var name: String?
    @Option(
        help: ArgumentHelp(
            "A camera's name, or its device (default: the first “front” one).", valueName: "name"))
    var camera: String?
    @Option(help: ArgumentHelp("A video file instead of a camera.", valueName: "file")) var video:
        String?
    @Option(
        help: ArgumentHelp(
            "active (the default) asks for random actions, passive for a blink.",
            valueName: "mode"))
    var mode: LookMode?
    @Option(
        help: ArgumentHelp("Minimum score that counts as a match, 48 to 72.", valueName: "score"))
    var threshold = MatchScore.defaultThreshold.value
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard camera == nil || video == nil else {
            throw ValidationError("--camera and --video cannot be combined")
        }
        guard name != nil || (camera == nil && video == nil && mode == nil) else {
            throw ValidationError(
                "--camera, --video, and --mode need --name")
        }
        guard (MatchScore.defaultThreshold.value...72).contains(threshold) else {
            throw ValidationError("--threshold must be 48 to 72, not \(threshold)")
        }
    }

    /// Asks for the PIN, or with `--name` for the person's face.
    ///
    /// - Throws: ``Outcome`` `.noMatch` after printing why there is no code.
    func tokenInput() async throws -> OTPTokenInput {
        guard let name else {
            var input = SecretInput()
            return .pin(try PINInput(input.next("PIN")))
        }
        return .face(try await input(of: PersonName(name)))
    }

    /// - Throws: ``Outcome`` `.noMatch` after printing the reason.
    func input(of person: PersonName) async throws -> FaceAuthInput {
        // The pack that enrolled the person decides, and the capture moves them to the one in use.
        let former = try DeviceFaces.formerPacks(beside: engine.pack, engine, of: person)
        let faces = try LocalFaces(
            engine, photos: PhotoOptions(), for: former.isEmpty ? person : nil)
        let enrolled = former.isEmpty ? try faces.enrolled(person) : try faces.known(person)
        let source: VideoSource =
            if let video { .file(video) } else {
                .camera(try Camera.choose(from: Camera.all(), named: camera))
            }
        let stream = try await VideoStream.open(source, options: VideoOptions(longestSide: 1280)),
            watched = WatchedStream(stream, seconds: nil)
        let settings = try VerificationSettings(
            mode: (mode ?? .active).capture, matchingThreshold: MatchScore(threshold),
            timeout: VerificationSettings.live.timeout)
        let service = try DeviceFaces.service(faces.engine.packID, formerPacks: former)
        let name = enrolled.name
        // Before anybody looks into the camera: refuses a person enrolled for recognition only.
        _ = try await service.authMode(of: name)
        try await service.initialize(frames: FaceFrames { watched })
        let frames = try await service.openFrames()
        let (reader, matcher) = (faces.engine, faces.matcher), guide = SpokenGuide()
        var generator = SystemRandomNumberGenerator()
        let capture = CaptureID.random(using: &generator), result: FaceAuthentication
        do {
            // Ctrl-C gives a verdict, too. Before the first request, it is not a failed attempt.
            result = try await WatchCommand.untilInterrupted {
                try await service.verify(
                    name, in: frames, reader: reader, matcher: matcher,
                    settings: settings, capture: capture
                ) { await guide.show($0) }
            }
        } catch let error as FrameSourceError {
            // The video's own error explains more than the session's.
            if let failure = watched.seen.failure { throw failure }
            throw error
        }
        await stream.close()
        if let migration = result.migration { await DeviceFaces.report(migration, service) }
        if let input = result.input { return input }
        Terminal.warn(
            "mien: no code: \(result.verdict.refusals.map { $0.rawValue.replacing("_", with: " ") }.joined(separator: ", "))"
        )
        throw Outcome.noMatch
    }
}

/// The modes of `--mode`. A still picture is never enough.
enum LookMode: String, CaseIterable, ExpressibleByArgument {
    case active, passive

    var capture: FaceCaptureMode { (self == .active ? WatchMode.active : .passive).capture }
}
