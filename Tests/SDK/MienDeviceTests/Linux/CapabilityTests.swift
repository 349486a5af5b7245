import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienMedia
import Synchronization
import Testing

private let biometrics = BiometricPolicy.deviceOwnerAuthenticationWithBiometrics,
    ownerPolicy = BiometricPolicy.deviceOwnerAuthentication

/// A reader that is never used.
private struct NoReader: LiveFaceReader {
    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        throw DeviceError(.badArgument, "no frame was expected")
    }
    func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry {
        throw DeviceError(.badArgument, "no frame was expected")
    }
}

/// The obstacles to a check, found before anybody is asked.
@Suite struct CapabilityTests {
    /// A camera that may be missing, or not permitted.
    private final class Gate: FacePresenter {
        private let error = Mutex<DeviceError?>(nil)
        private let person: Person

        init(_ person: Person) { self.person = person }

        func close(_ reason: String?) {
            error.withLock { error in
                error = reason.map { DeviceError(.biometricNotSupportedOrPermissionDenied, $0) }
            }
        }
        func obstacle() async throws -> DeviceError? { error.withLock { $0 } }
        func present(_ request: FaceRequest) async throws -> PresentedFace {
            try await person.present(request)
        }
    }

    @Test func `the obstacle is named: no camera or permission, then no PIN, then no face`()
        async throws
    {
        let device = try Device(), gate = Gate(device.person)
        let authenticator = device.authenticator(faces: gate)
        func obstacle(_ policy: BiometricPolicy) async throws -> DeviceError? {
            try await authenticator.capability().obstacle(to: policy)
        }
        #expect(try await obstacle(biometrics)?.code == .biometricNoPasscode)
        gate.close("no camera")
        #expect(try await obstacle(biometrics)?.code == .biometricNotSupportedOrPermissionDenied)
        #expect(try await obstacle(biometrics)?.reason == "no camera")
        // The PIN needs no camera, but has to be set.
        #expect(try await obstacle(ownerPolicy)?.code == .biometricNoPasscode)
        try await authenticator.setPasscode(DevicePIN(rightPIN))
        #expect(try await obstacle(ownerPolicy) == nil)
        #expect(try await obstacle(biometrics)?.code == .biometricNotSupportedOrPermissionDenied)
        gate.close(nil)
        #expect(try await obstacle(biometrics)?.code == .biometricNoEnrollment)
        try await authenticator.enroll(shown(1), passcode: rightPIN)
        #expect(try await obstacle(biometrics) == nil)
        gate.close("no permission")
        #expect(try await obstacle(biometrics)?.reason == "no permission")
    }

    @Test func `without a camera, the PIN is asked for at once, and only if it is allowed`()
        async throws
    {
        let device = try Device(), gate = Gate(device.person)
        let authenticator = device.authenticator(faces: gate)
        try await authenticator.setPasscode(DevicePIN(rightPIN))
        try await authenticator.enroll(shown(1), passcode: rightPIN)
        gate.close("no camera")
        await #expect(throws: DeviceError(.biometricNotSupportedOrPermissionDenied, "")) {
            try await authenticator.authenticate(reason: "", policy: biometrics)
        }
        #expect(await device.person.passcodeRequests.isEmpty)
        await device.person.types(rightPIN)
        #expect(
            try await authenticator.authenticate(reason: "", policy: ownerPolicy).method
                == .passcode)
        #expect(await device.person.faceRequests.isEmpty)
    }

    @Test func `the texts of a prompt reach the screen that asks`() async throws {
        let device = try Device(), authenticator = try await device.enrolled()
        let texts = PromptTexts(
            title: "Example", subtitle: "Sign in", details: "Show your face",
            cancelTitle: "Not now",
            fallbackTitle: "Use PIN")
        await device.person.shows(.usePasscode)
        await device.person.types(rightPIN)
        _ = try await authenticator.authenticate(
            UnlockPrompt(reason: "why", policy: ownerPolicy, texts: texts))
        #expect(await device.person.faceRequests.map(\.texts) == [texts])
        #expect(await device.person.passcodeRequests.map(\.texts) == [texts])
        #expect(await device.person.faceRequests.map(\.reason) == ["why"])
    }

    @Test(
        "a missing camera and a missing permission are found without opening the camera",
        arguments: [
            (FrameSourceError.Code.notFound, true), (.notPermitted, true), (.busy, false),
            (.failed, false),
        ])
    func frames(_ code: FrameSourceError.Code, _ isObstacle: Bool) async throws {
        let frames = FaceFrames(
            check: { throw FrameSourceError(code, "here is why") },
            { throw FrameSourceError(.failed, "opened") })
        let capture = try LocalFaceCapture(
            live: frames, reader: NoReader(), packID: pack, guide: FrameGuide { _ in .goOn },
            now: { Instant(milliseconds: 0) })
        let found = try await capture.obstacle()
        #expect((found != nil) == isObstacle)
        if isObstacle {
            #expect(found?.code == .biometricNotSupportedOrPermissionDenied)
            #expect(found?.reason == "here is why")
        }
    }

    @Test(.enabled(if: Camera.all().isEmpty, "this machine has a camera"))
    func `a machine without a camera does not support biometrics`() async throws {
        let capture = try LocalFaceCapture(
            live: .camera(), reader: NoReader(), packID: pack, guide: FrameGuide { _ in .goOn },
            now: { Instant(milliseconds: 0) })
        #expect(try await capture.obstacle()?.code == .biometricNotSupportedOrPermissionDenied)
        let authenticator = try Device().authenticator(faces: capture)
        #expect(try await !authenticator.capability().isSupported)
        let named = try LocalFaceCapture(
            live: .camera("front"), reader: NoReader(), packID: pack,
            guide: FrameGuide { _ in .goOn }, now: { Instant(milliseconds: 0) })
        #expect(try await named.obstacle() != nil)
    }
}
