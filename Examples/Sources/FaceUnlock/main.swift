// Signs with a device key after checking its owner's face. The key is created for the enrolled
// face, used, and deleted with everything else when the program ends.
//
//     swift run -c release FaceUnlock owner.jpg today.jpg
//
// If both photos show one person, it prints:
//
//     enrolled, without liveness
//     signed, and the signature is right
//
// Otherwise it prints "not signed: device.not-recognized". Photos do not prove that a person is
// present, so the code says `withoutLiveness`. With a camera, the person is told to perform actions
// drawn at random:
//
//     swift run -c release FaceUnlock --camera
//     swift run -c release FaceUnlock --video clip.mp4
//
// The exit status is 0 if it signed, 1 if it did not, 2 if a photo or the camera cannot be used,
// and 3 if no model pack is installed.

import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienModels

/// The owner's face could not be captured.
struct NotEnrolled: Error { let reasons: [SessionRefusal] }

/// Stands in for a screen with the camera's picture.
struct Screen: FaceCaptureGuide {
    func begin(_ purpose: FaceCapturePurpose) async {
        switch purpose {
        case .enrollment: print("Show your face to enroll it.")
        case .recognition(let request): print("\(request.reason) (\(request.triesLeft) tries left)")
        }
    }

    func show(_ event: FrameEvent) async -> FaceCaptureAnswer {
        // An app shows `event.frame.image` and has a button for each of the other answers.
        if event.index % 5 == 0, let guidance = event.guidance {
            print("  \(guidance.rawValue.replacing("_", with: " "))")
        }
        return .goOn
    }
}

/// Never asks for a passcode, since this program's keys accept only the face.
struct NoPasscodes: PasscodePresenter {
    func passcode(_ request: PasscodeRequest) async throws -> Sensitive<String>? { nil }
}

/// Enrolls the first face, creates a key that only this enrollment unlocks, and signs with it after
/// checking the second face.
func unlock(_ words: [String], in folder: String) async throws {
    let pack = try PackLibrary(
        folder: MienHome(environment: ProcessInfo.processInfo.environment).packs
    ).pack()
    let engine = try FaceEngine(pack: pack)
    let now: @Sendable () -> Instant = {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    let enrollment, recognition: LocalFaceCapture<FaceEngine>
    if words[0].hasPrefix("--") {
        let frames = words[0] == "--video" ? FaceFrames.video(words[1]) : .camera()
        enrollment = try LocalFaceCapture(
            live: frames, reader: engine, packID: pack.id, guide: Screen(), now: now)
        recognition = enrollment
    } else {
        enrollment = try LocalFaceCapture(
            withoutLiveness: .photos(words[0]), reader: engine, packID: pack.id, now: now)
        recognition = try LocalFaceCapture(
            withoutLiveness: .photos(words[1]), reader: engine, packID: pack.id, now: now)
    }

    // The authenticator judges faces and counts the wrong ones. The keys are sealed files here;
    // with a TPM they would be in the TPM.
    let keyPath = "\(folder)/device.key", pin = Sensitive("4711")
    let authenticator = FaceLocalAuthenticator(
        folder: "\(folder)/authenticator", keyPath: keyPath, matcher: try pack.matcher(),
        faces: recognition, passcodes: NoPasscodes(), now: now)
    try await authenticator.setPasscode(DevicePIN(pin))
    switch try await enrollment.captureOwner() {
    case .face(let owner): try await authenticator.enroll(owner, passcode: pin)
    case .refused(let reasons): throw NotEnrolled(reasons: reasons)
    case .cancelled: throw NotEnrolled(reasons: [.cancelled])
    }
    print(words[0].hasPrefix("--") ? "enrolled" : "enrolled, without liveness")

    let keys = SoftwareKeyProvider(
        folder: "\(folder)/keys", keyPath: keyPath, authenticator: authenticator)
    let tag = try DeviceKeyTag("example.unlock"), message = Array("let me in".utf8)
    let publicKey = try await keys.makeKey(tag: tag, protection: .biometryCurrentSet)
    let signature = try await keys.sign(
        message, tag: tag, unlocking: UnlockPrompt(reason: "Sign in to the example"))
    print(
        publicKey.isValid(signature, over: message)
            ? "signed, and the signature is right" : "signed, and the signature is wrong")
}

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

let words = Array(CommandLine.arguments.dropFirst())
guard
    words == ["--camera"]
        || (words.count == 2 && (words[0] == "--video" || !words[0].hasPrefix("--")))
else {
    stop(2, "usage: FaceUnlock OWNER-PHOTO PHOTO | --video FILE | --camera")
}
let folder = FileManager.default.temporaryDirectory.appending(
    path: "face-unlock-\(UUID().uuidString)"
).path
try FileManager.default.createDirectory(
    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])

var status: (Int32, String)?
do { try await unlock(words, in: folder) } catch let error as DeviceError {
    let hasNoFrames = [.biometricNotSupportedOrPermissionDenied, .hardware].contains(error.code)
    status = hasNoFrames ? (2, "\(error.reason)") : (1, "not signed: \(error.code.rawValue)")
} catch let error as NotEnrolled {
    status = (1, "not enrolled: \(error.reasons.map(\.rawValue).joined(separator: ", "))")
} catch let error as PackError { status = (3, "\(error)") }
try? FileManager.default.removeItem(atPath: folder)
if let (status, message) = status { stop(status, message) }
