// Signs a user in with their face, using photos instead of a camera. It runs the journey
// "face-login" of a new server.
//
//     swift run -c release FaceLoginJourney http://127.0.0.1:8080 ada today.jpg
//
// Register the user first (FaceRegistrationJourney), and set the app to accept photos as described
// there. It prints something like:
//
//     selfieAcquisition: start
//     selfieAcquisition: the photo passed
//     logged in; the token has 3 parts
//
// or "refused". The exit status is 0 after a sign-in, 1 if the user was refused, and 2 if an
// argument, a photo, or the server is at fault.
//
// It uses the form of mobile apps: initialize, start, and a delegate that receives each step.
// FaceRegistrationJourney shows the async form.

import Foundation
import MienClient
import MienCore

/// Stands in for a view controller.
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
            // The face was not recognized. An app asks for the password now.
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
            // The token is for the app's own server, which verifies it. It is not printed, because
            // anyone who has it can act as this user.
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

    /// The photos as a camera would deliver them. An unreadable photo becomes an empty frame, which
    /// the server reports.
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
