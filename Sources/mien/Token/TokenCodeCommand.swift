import ArgumentParser
import Foundation
import MienCore
import MienDevice
import MienFace
import MienMedia
import MienModels
import MienOTP
import MienVault

/// `mien token code`
struct TokenCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code", abstract: "A code to sign in with, or the answer to a challenge.",
        discussion: """
            Asks for the PIN. With --name, that person's face opens the token instead: keep still, then blink, in front of the camera. Exits with 1, and shows no
            code, when it is not them, or when nobody is there.

            EXAMPLE
              mien token code
              mien token code shop --question 9f2c
              mien token code --name ada --camera "Integrated Camera"
            """)

    @OptionGroup var token: TokenOptions
    @Option(help: ArgumentHelp("Answer this challenge under the token's suite, instead of a code to sign in with.", valueName: "text"))
    var question: String?
    @OptionGroup var look: LookOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let vault = DeviceTokens.vault(), found = try await token.find(in: vault)
        let input = try await opened()
        let code: OneTimeCode
        if let question {
            code = try await vault.response(of: found.id, to: question, with: input)
        } else {
            code = try await vault.code(of: found.id, with: input)
        }
        if output.json {
            JSON.print(Output(token: found.id, code: code.text, kind: question == nil ? found.kind.rawValue : "ocra"))
        } else {
            Terminal.say(code.text)
        }
    }

    private func opened() async throws -> TokenInput {
        guard let name = look.name else {
            var input = SecretInput()
            return .pin(try PINInput(input.next("PIN")))
        }
        return .face(try await look.input(of: PersonName(name)))
    }

    private struct Output: Encodable { let token, code, kind: String }
}

/// Whose face, and where to look for it.
struct LookOptions: ParsableArguments {
    @Option(help: "The person whose face opens the token, as enrolled with mien face enroll.") var name: String?
    @Option(help: ArgumentHelp("A camera's name, or its device (default: the first “front” one).", valueName: "name")) var camera: String?
    @Option(help: ArgumentHelp("A video file instead of a camera.", valueName: "file")) var video: String?
    @Option(help: ArgumentHelp("The least score that counts as a match, 48 to 72.", valueName: "score"))
    var threshold = MatchScore.defaultThreshold.value
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard camera == nil || video == nil else { throw ValidationError("--camera and --video are two things to look at: name one") }
        guard name != nil || (camera == nil && video == nil) else {
            throw ValidationError("--camera and --video need --name: whose face it is to be")
        }
        guard (MatchScore.defaultThreshold.value...72).contains(threshold) else { throw ValidationError("--threshold is 48 to 72, not \(threshold)") }
    }

    /// - Throws: ``Outcome`` `.noMatch`, after the reason was said.
    func input(of person: PersonName) async throws -> FaceAuthInput {
        let faces = try LocalFaces(engine, photos: PhotoOptions()), enrolled = try faces.enrolled(person)
        let source: VideoSource = if let video { .file(video) } else { .camera(try Camera.choose(from: Camera.all(), named: camera)) }
        let stream = try await VideoStream.open(source, options: VideoOptions(longestSide: 1280))
        var generator = SystemRandomNumberGenerator()
        let looked = try await FaceAuthentication.run(
            enrolled.template, of: enrolled.name, in: VideoFrames(stream), reader: faces.engine, matcher: faces.matcher,
            settings: VerificationSettings(matchingThreshold: MatchScore(threshold)), challenge: nil, capture: .random(using: &generator)
        ) { event in if Terminal.errorIsTerminal { await Guide.shared.show(event) } }
        await stream.close()
        if let input = looked.input { return input }
        Terminal.warn("mien: no code: \(looked.verdict.refusals.map { $0.rawValue.replacing("_", with: " ") }.joined(separator: ", "))")
        throw Outcome.noMatch
    }
}

/// Tells the person what to do, once for each thing.
private actor Guide {
    static let shared = Guide()
    private var last: String?

    func show(_ event: FrameEvent) {
        guard let words = event.guidance?.rawValue ?? event.action?.rawValue, words != last else { return }
        last = words
        Terminal.warn(words.replacing("_", with: " "))
    }
}
