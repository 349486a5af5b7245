// Signs with a device key after checking its owner's face. The key is created for the enrolled
// face, used, and deleted with everything else when the program ends.
//
//     swift run -c release FaceUnlock --camera
//
// The person is told to keep still and to perform actions drawn at random, first to enroll and then
// to sign. It ends with:
//
//     enrolled
//     signed, and the signature is right
//
// A video is judged like a camera, so a recording that does not happen to show the drawn actions is
// refused. A photo opens no key, which the third form demonstrates:
//
//     swift run -c release FaceUnlock --video clip.mp4
//     swift run -c release FaceUnlock --photo owner.jpg
//
// The exit status is 0 if it signed, 1 if it did not, 2 if the photo or the camera cannot be used,
// and 3 if no model pack is installed.

import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienModels
import MienVault

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

    // The service keeps the device's PIN and who is enrolled; the authenticator judges faces and
    // counts the wrong ones. The keys are sealed files here; with a TPM they would be in the TPM.
    let keyPath = "\(folder)/device.key", pin = Sensitive("4711"), owner = try PersonName("owner")
    let service = FaceAuthService(
        folder: "\(folder)/face", keyPath: keyPath, packID: pack.id, tpm: nil, now: now)
    try await service.setPIN(DevicePIN(pin))
    let frames: FaceFrames =
        switch words[0] {
        case "--video": .video(words[1])
        case "--photo": .photos(words[1])
        default: .camera()
        }
    let capture = try LocalFaceCapture(
        live: frames, reader: engine, packID: pack.id, guide: Screen(), now: now)
    let authenticator = FaceLocalAuthenticator(
        service: service, owner: owner, matcher: try pack.matcher(), faces: capture,
        passcodes: NoPasscodes())

    if words[0] == "--photo" {
        // For recognition only: the mode image takes a photo, and the PIN cannot confirm it.
        try await service.initialize(frames: frames)
        let enroller = try await service.enroller(reader: engine, settings: .photo)
        let result = try await enroller.result()
        guard let face = result.face else { throw NotEnrolled(reasons: result.verdict.refusals) }
        try await service.enroll(face.template, as: owner)
        print("enrolled for recognition only")
    } else {
        switch try await capture.captureOwner() {
        case .face(let face): try await authenticator.enroll(face, passcode: pin)
        case .refused(let reasons): throw NotEnrolled(reasons: reasons)
        case .cancelled: throw NotEnrolled(reasons: [.cancelled])
        }
        print("enrolled")
    }

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
    words == ["--camera"] || (words.count == 2 && ["--video", "--photo"].contains(words[0]))
else {
    stop(2, "usage: FaceUnlock --camera | --video FILE | --photo FILE")
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
} catch let error as FrameSourceError {
    status = (2, error.reason)
} catch let error as PackError { status = (3, "\(error)") }
try? FileManager.default.removeItem(atPath: folder)
if let (status, message) = status { stop(status, message) }
