// Registers a user's face for later sign-ins, using photos instead of a camera. It runs the journey
// "face-registration" of a new server.
//
//     mien serve
//     mien admin app set default_application --setting liveness.mode=image       (explicitly allows photos for this app)
//     swift run -c release FaceRegistrationJourney http://127.0.0.1:8080 ada ada1.jpg ada2.jpg <<<"ada's password"
//
// It reads the password from standard input and prints something like:
//
//     loginForm: signing ada in
//     recordConsent: Use your face to sign in
//     identityVerification: passed, quality 74
//     registered
//
// or "not registered: …". The exit status is 0 after a registration, 1 if the journey was rejected,
// and 2 if an argument, a photo, or the server is at fault.

import Foundation
import MienAPI
import MienClient
import MienCore

/// The photos as a camera would deliver them, one frame after the other.
func frames(_ paths: [String]) -> AsyncThrowingStream<CaptureFrame, any Error> {
    AsyncThrowingStream { stream in
        do {
            for path in paths {
                let type: CaptureFrame.ContentType =
                    path.lowercased().hasSuffix(".png") ? .png : .jpeg
                stream.yield(CaptureFrame([UInt8](try Data(contentsOf: URL(filePath: path))), type))
            }
            stream.finish()
        } catch { stream.finish(throwing: error) }
    }
}

func register(_ user: String, _ password: String, _ photos: [String], at server: String)
    async throws -> JourneyOutcome?
{
    let client = try JourneyClient(
        MienOptions(serverPath: server, applicationId: "default_application"))
    let journey = try await client.start("face-registration")
    var logins = 0

    // One iteration for each step that needs an answer from the client. Steps that the server
    // performs alone (checking the password, the registration itself) do not appear here.
    for try await step in journey.steps {
        switch step.id {
        case .loginForm:
            logins += 1
            guard logins == 1 else {
                throw MienError(.invalidCredentials, "The user name or password is wrong.")
            }
            print("loginForm: signing \(user) in")
            try await step.respond(
                "password", ["username": .string(user), "password": .string(password)])
        case .recordConsent:
            // An app shows the text and answers `.cancel` if the person does not consent.
            print("recordConsent: \(step.data?["title"]?.stringValue ?? "")")
            try await step.respond(.clientInput)
        case .identityVerification, .selfieAcquisition:
            let last = try await step.capture(frames(photos)) { answer in
                print(
                    "\(step.id): \(answer.status), quality \(answer.quality ?? 0)\(answer.guidance.map { ", \($0)" }.joined())"
                )
            }
            try await step.respond(last.hasPassed ? .clientInput : .fail)
        case .information:
            print("information: \(step.data?["text"]?.stringValue ?? "")")
            try await step.respond(.clientInput)
        default: try await step.respond(.cancel)
        }
    }
    return await journey.outcome()
}

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 3 else {
    stop(2, "usage: FaceRegistrationJourney SERVER USER PHOTO… <<<PASSWORD")
}
guard let password = readLine() else { stop(2, "Pass the password on standard input.") }

do {
    switch try await register(words[1], password, Array(words.dropFirst(2)), at: words[0]) {
    case .success: print("registered")
    case .rejection(let data):
        print("not registered: \(data["reason"]?.stringValue ?? "rejected")")
        exit(1)
    case nil: stop(2, "The journey did not end.")
    }
} catch let error as MienError {
    stop(2, "\(error)")
} catch {
    stop(2, error.localizedDescription)
}
