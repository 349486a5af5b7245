// Signs in with a device key: enables biometric login for a user, signs in with the owner's face,
// and signs in again with the device's PIN, which this key allows as a fallback. The tokens say
// which of the two it was.
//
//     swift run -c release BiometricLogin --camera
//
// Keep still and blink when asked. It prints:
//
//     enrolled the owner's face
//     enabled biometric login
//     face: signed in, amr pop x_biometric
//     PIN: signed in, amr pin pop
//     biometric login is off
//
// A video of a face that keeps still and blinks works like a camera. Without either, only the PIN
// signs in, and the second line names the obstacle: face: biometric_no_enrollment, or
// biometric_not_supported_or_permission_denied without a camera.
//
//     swift run -c release BiometricLogin --video clip.mp4
//     swift run -c release BiometricLogin --no-face
//
//     face: biometric_no_enrollment
//
// The program starts a server of its own, with an account for ada, and deletes everything at the
// end. The exit status is 0 after a sign-in with the PIN, 1 if the face could not be enrolled, and 2
// if the arguments, the camera, the server, or the model pack are at fault.

import Foundation
import MienClient
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienModels
import MienVault

/// The owner's face could not be captured.
struct NotEnrolled: Error { let reasons: [SessionRefusal] }

/// Stands in for a screen with the camera's picture. Its user prefers the PIN wherever it is
/// offered.
actor Screen: FaceCaptureGuide {
    private var offersPIN = false

    func begin(_ purpose: FaceCapturePurpose) {
        if case .recognition(let request) = purpose { offersPIN = request.mayUsePasscode }
    }

    func show(_ event: FrameEvent) -> FaceCaptureAnswer {
        if event.index % 10 == 0, let guidance = event.guidance {
            FileHandle.standardError.write(Data("  \(guidance.rawValue)\n".utf8))
        }
        return offersPIN ? .usePasscode : .goOn
    }
}

/// Stands in for a keypad.
struct Keypad: PasscodePresenter {
    let pin: Sensitive<String>

    func passcode(_ request: PasscodeRequest) async throws -> Sensitive<String>? { pin }
}

/// The keys and the check of the owner. With a TPM, use `TPMKeyProvider` and pass the TPM.
func makeDevice(_ frames: FaceFrames?, in folder: String) async throws -> BiometricDevice {
    let pack = try PackLibrary(
        folder: MienHome(environment: ProcessInfo.processInfo.environment).packs
    ).pack()
    let now: @Sendable () -> Instant = {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
    let keyPath = "\(folder)/device.key", pin = Sensitive("4711"), owner = try PersonName("owner")
    let service = FaceAuthService(
        folder: "\(folder)/face", keyPath: keyPath, packID: pack.id, tpm: nil, now: now)
    try await service.setPIN(DevicePIN(pin))
    // An app that needs more than a blink leaves both settings out: actions drawn at random.
    let capture = try LocalFaceCapture(
        live: frames ?? .camera(), reader: FaceEngine(pack: pack), packID: pack.id,
        recognition: VerificationSettings(mode: .livenessPassive),
        enrollment: EnrollmentSettings(
            mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 2),
        guide: Screen(), now: now)
    let authenticator = FaceLocalAuthenticator(
        service: service, owner: owner, matcher: try pack.matcher(), faces: capture,
        passcodes: Keypad(pin: pin))
    if frames != nil {
        switch try await capture.captureOwner() {
        case .face(let face): try await authenticator.enroll(face, passcode: pin)
        case .refused(let reasons): throw NotEnrolled(reasons: reasons)
        case .cancelled: throw NotEnrolled(reasons: [.cancelled])
        }
        print("enrolled the owner's face")
    }
    return BiometricDevice(
        keys: SoftwareKeyProvider(
            folder: "\(folder)/keys", keyPath: keyPath, authenticator: authenticator),
        authenticator: authenticator, model: "Example", system: "linux")
}

/// Signs in with the password, which registering a key requires.
func signIn(_ session: MienSession, at server: LocalServer) async throws {
    let journey = try await JourneyClient(server.options()).start("password-login")
    for try await step in journey.steps {
        try await step.respond(
            "password",
            ["username": .string(server.user), "password": .string(server.password)])
    }
    guard case .success(let token) = await journey.outcome() else {
        throw MienError(.invalidCredentials, "The journey did not end with a sign-in.")
    }
    try await session.signIn(journeyToken: token)
}

func run(_ frames: FaceFrames?, in folder: URL) async throws {
    let device = try await makeDevice(frames, in: folder.appending(path: "device").path)
    try await LocalServer.run(in: folder.appending(path: "server")) { server in
        let session = try MienSession(server.options(), biometrics: device)
        try await session.configure()
        try await signIn(session, at: server)

        // The policy decides twice whether the PIN may stand in: for the key, and for each sign-in.
        let faceOnly = BiometricOptions(
            localizedReason: "Sign in to the example",
            policy: .deviceOwnerAuthenticationWithBiometrics)
        let faceOrPIN = BiometricOptions(
            localizedReason: "Sign in to the example", policy: .deviceOwnerAuthentication)
        try await session.enableBiometric(faceOrPIN)
        print("enabled biometric login")

        for (name, options) in [("face", faceOnly), ("PIN", faceOrPIN)] {
            do {
                try await session.authenticateBiometric(options)
                let methods = await session.authenticationMethods.sorted()
                print("\(name): signed in, amr \(methods.joined(separator: " "))")
            } catch let error as DeviceError where options == faceOnly {
                print("\(name): \(error.code.rawValue)")
            }
        }
        try await session.disableBiometric()
        print("biometric login is \(try await session.isBiometricEnabled() ? "on" : "off")")
    }
}

let words = Array(CommandLine.arguments.dropFirst())
let frames: FaceFrames?
switch (words.first, words.count) {
case ("--camera", 1): frames = .camera()
case ("--video", 2): frames = .video(words[1])
case ("--no-face", 1): frames = nil
default:
    FileHandle.standardError.write(
        Data("usage: BiometricLogin --camera | --video FILE | --no-face\n".utf8))
    exit(2)
}
let folder = FileManager.default.temporaryDirectory.appending(
    path: "biometric-login-\(UUID().uuidString)", directoryHint: .isDirectory)
var failure: (status: Int32, message: String)?
do {
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try await run(frames, in: folder)
} catch let error as NotEnrolled {
    failure = (1, "not enrolled: \(error.reasons.map(\.rawValue).joined(separator: ", "))")
} catch let error as DeviceError {
    failure = (2, error.reason)
} catch { failure = (2, "\(error)") }
try? FileManager.default.removeItem(at: folder)
if let failure {
    FileHandle.standardError.write(Data("\(failure.message)\n".utf8))
    exit(failure.status)
}
