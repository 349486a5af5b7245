// Logs a user in with their face: the journey "face-login" of a fresh server, with photos in place
// of a camera.
//
//     swift run -c release FaceLoginJourney http://127.0.0.1:8080 ada today.jpg
//
// after the user has registered (FaceRegistrationJourney), and with the app set to take photos as
// there, prints something like
//
//     selfieAcquisition: start
//     selfieAcquisition: the photo passed
//     logged in; the token has 3 parts
//
// or "refused". Exits with 0, 1 when the user was refused, 2 when something is wrong with the
// words, a photo or the server.
//
// The form is that of mobile apps: initialise, start, and a delegate that is told each step.
// FaceRegistrationJourney shows the other one.

import Foundation
import MienClient
import MienCore

/// What would be a view controller.
final class LoginScreen: MienDelegate {
    private let user: String
    private let photos: [String]
    private let onEnd: (Int32) -> Void
    private var hasTriedFace = false

    init(user: String, photos: [String], onEnd: @escaping (Int32) -> Void) {
        (self.user, self.photos, self.onEnd) = (user, photos, onEnd)
    }

    func open(server: String) throws {
        try Mien.initialize(serverPath: server, applicationId: "default_application")
        Mien.delegate = self
        try Mien.startJourney(journeyId: "face-login")
    }

    func mienDidReceiveResult(_ result: Result<MienServiceResponse, MienError>) {
        switch result {
        case .success(let response): handle(response)
        case .failure(let error):
            print("\(error)")
            onEnd(2)
        }
    }

    private func handle(_ response: MienServiceResponse) {
        switch response.journeyStepId {
        case .loginForm where !hasTriedFace:
            hasTriedFace = true
            submit("face", ["user_identifier": .string(user)])
        case .loginForm:
            // The face was not recognised. An app asks for the password now.
            print("refused")
            onEnd(1)
        case .selfieAcquisition:
            guard let startToken = response.data?["start_token"]?.stringValue else {
                print("Start token is missing")
                return onEnd(2)
            }
            print("selfieAcquisition: start")
            MienIdentityVerification.delegate = self
            do { try MienIdentityVerification.start(startToken: startToken, frames: frames) } catch
            {
                print("\(error)")
                onEnd(2)
            }
        case .success:
            // For the app's own server, which verifies it. It is not printed: whoever has it is
            // this user.
            let parts = response.token?.use { $0.split(separator: ".").count } ?? 0
            print("logged in; the token has \(parts) parts")
            onEnd(0)
        case .rejection:
            print("refused")
            onEnd(1)
        default: submit(.cancel)
        }
    }

    private func submit(_ option: ClientResponseOptionType, _ data: JSONValue? = nil) {
        do { try Mien.submitClientResponse(clientResponseOptionId: option, data: data) } catch {
            print("\(error)")
            onEnd(2)
        }
    }

    /// The photos as a camera would give them. One that cannot be read is an empty frame: the
    /// server says so.
    private var frames: AsyncStream<CaptureFrame> {
        let photos = photos
        return AsyncStream { stream in
            for path in photos {
                let bytes = (try? Data(contentsOf: URL(filePath: path))).map { [UInt8]($0) } ?? []
                stream.yield(
                    CaptureFrame(bytes, path.lowercased().hasSuffix(".png") ? .png : .jpeg))
            }
            stream.finish()
        }
    }
}

extension LoginScreen: MienIdentityVerificationDelegate {
    func verificationDidComplete() {
        print("selfieAcquisition: the photo passed")
        submit(.clientInput)
    }

    func verificationDidCancel() { submit(.cancel) }

    func verificationDidFail(with error: MienError) {
        print("selfieAcquisition: \(error)")
        submit(.fail)
    }
}

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 3 else { stop(2, "usage: FaceLoginJourney SERVER USER PHOTO…") }

let (ends, end) = AsyncStream.makeStream(of: Int32.self)
let screen = LoginScreen(user: words[1], photos: Array(words.dropFirst(2))) { end.yield($0) }
do { try screen.open(server: words[0]) } catch { stop(2, "\(error)") }
for await status in ends { exit(status) }
