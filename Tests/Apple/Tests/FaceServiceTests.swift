import FakePhone
import Foundation
import MienAPI
import MienClient
import MienCore
import MienDevice
import MienFace
import MienKeys
import MienTesting
import MienVault

/// The face service and the token vault of a phone: its front camera, its keychain, its enclave. Only
/// the networks are made up: a person who moves as asked, and a direction for each face.

private let pack = try! PackID("made-up")
private let dimensions = 32
private let ada = try! PersonName("Ada"), pin = Sensitive("4711"), wrongPIN = Sensitive("1147")
private let right = try! PINInput(pin)
private let fastPassive = try! VerificationSettings(mode: .livenessPassive)
private let fastEnrollment = try! EnrollmentSettings(
    mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 2)

private let matcher: FaceMatcher = {
    let members = try! Cohort.made(count: 100, dimension: dimensions, nearest: 30).1
    return try! FaceMatcher(
        cohort: Cohort(members: members, nearestCount: 30),
        calibration: CalibrationTable.made([(-2, -1), (3, -2), (5, -4), (7, -6)]))
}()

private func direction(of person: Int) throws -> FaceTemplate.Entry {
    var values = [Float](repeating: 0, count: dimensions)
    values[person] = 1
    return try .init(descriptor: FaceDescriptor(values), quality: 90, pose: .frontal)
}

private func template(of person: Int) throws -> FaceTemplate {
    try FaceTemplate(
        entries: [direction(of: person)], packID: pack, createdAt: Instant(milliseconds: 1))
}

/// A pipeline that sees a person, who does what they are asked.
private final class Pipeline: LiveFaceReader {
    private struct State {
        var actor: any MadeActor
        var asked: LivenessAction?
        var pictures: [RGBImage] = []
    }
    private let person: Int
    private let state: Locked<State>

    init(_ person: Int, _ actor: any MadeActor = MadePerson()) {
        self.person = person
        state = Locked(State(actor: actor))
    }

    var pictures: [RGBImage] { state.withLock { $0.pictures } }

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        state.withLock { state in
            if state.pictures.count < 3 { state.pictures.append(frame.image) }
            return state.actor.reading(asked: state.asked, index: index, at: frame.time)
        }
    }
    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry {
        try direction(of: person)
    }
    func show(_ event: FrameEvent) { state.withLock { $0.asked = event.action } }
    @Sendable func show(_ update: FaceAuthEnrollmentUpdate) {
        if case .frame(let event) = update { show(event) }
    }
}

/// An app on the phone: its folder, a clock, and the parts after each start of the app.
private final class App: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(
        path: "mien-phone-\(UUID().uuidString)")
    private let time = Locked(Instant(milliseconds: 1_700_000_000_000))
    private let hasher = ScryptPINHasher(rounds: 16, blockSize: 1, parallelism: 1)

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func pass(_ seconds: Int) { time.withLock { $0 = $0 + .seconds(seconds) } }
    private func path(_ name: String) -> String { folder.appending(path: name).path }
    var tokens: URL { folder.appending(path: "tokens/tokens.sealed") }

    var vault: OTPVault {
        OTPVault(
            folder: path("tokens"), now: { [time] in time.withLock { $0 } }, hasher: hasher)
    }
    func service(_ vault: OTPVault? = nil, licensing: LicensePolicy? = nil) -> FaceAuthService {
        FaceAuthService(
            folder: path("face"), packID: pack, faceModes: vault, licensing: licensing,
            now: { [time] in time.withLock { $0 } }, hasher: hasher)
    }

    /// The front camera shows a picture with another color in each corner.
    static func openCamera() {
        FakePhone.shared.with {
            $0.framesPerSecond = 30
            $0.picture = { isFront in
                guard isFront else { return nil }
                return FakePicture(width: 36, height: 64, sizes: [:]) { x, y in
                    (UInt8(7 * x), UInt8(3 * y), 200)
                }
            }
        }
    }

    /// Enrolls a person in front of the camera.
    func enroll(_ person: Int, _ service: FaceAuthService) async throws -> Pipeline {
        let pipeline = Pipeline(person)
        let enroller = try await service.enroller(reader: pipeline, settings: fastEnrollment)
        let result = try await enroller.result { pipeline.show($0) }
        let face = try require(result.face, "refused: \(result.verdict.refusals)")
        if try await !service.isPINSet() { try await service.setPIN(DevicePIN(pin)) }
        try await service.enroll(face, as: ada, pin: pin)
        return pipeline
    }

    func verify(
        _ person: Int, _ service: FaceAuthService, _ settings: VerificationSettings = fastPassive,
        actor: any MadeActor = MadePerson()
    ) async throws -> FaceAuthentication {
        let pipeline = Pipeline(person, actor), id = try require(CaptureID("cap_1"))
        return try await service.verify(
            ada, in: service.openFrames(), reader: pipeline, matcher: matcher, settings: settings,
            capture: id, onFrame: { pipeline.show($0) })
    }
}

private func token(_ id: String, counting: Bool) throws -> OTPTokenDefinition {
    try OTPTokenDefinition(
        id: id, app: "app", server: nil,
        kind: counting
            ? .hotp(HOTP(digits: 8, hash: .sha256), firstCounter: 0)
            : .totp(TOTP(digits: 6, hash: .sha256, stepSeconds: 30)),
        signatureSuite: OCRASuite("OCRA-1:HOTP-SHA256-8:QH64"),
        secret: OTPSecret(bytes: Array(1...32)))
}

@MainActor private func faceCode(_ body: () async throws -> Void) async -> FaceAuthError.Code? {
    (await error(of: body) as? FaceAuthError)?.code
}

@MainActor private func tokenCode(_ body: () async throws -> Void) async -> OTPTokenError.Code? {
    (await error(of: body) as? OTPTokenError)?.code
}

@MainActor let faceServiceTests = [
    AppleTest(
        "a face enrolled with the PIN in front of the camera opens a token once, and gives the server's code",
        shows: [
            "face of the device's own (`FaceAuthService`)", "one-time codes of a token",
            "tokens that this face opens (`OTPVault`)",
        ]
    ) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user()
        try await server.journey(codeLogin)
        App.openCamera()
        FakePhone.shared.with { $0.camera = 0 }
        let phone = try App(), vault = phone.vault, service = phone.service(vault)
        expect(await service.isSupported())
        expect(await faceCode { _ = try await service.openFrames() } == .notInitialized)
        try await service.initialize()
        expect(await faceCode { try await service.initialize() } == .alreadyInitialized)
        let pipeline = try await phone.enroll(1, service)
        let picture = try require(pipeline.pictures.first)
        expect(picture.width == 36 && picture.height == 64)
        expect(
            picture[35, 63] == RGBColor(245, 189, 200) && picture[1, 2] == RGBColor(7, 6, 200),
            "\(picture[35, 63])")
        expect(try await service.bindingSource() == .secureEnclave)

        // A token from the server, with the user's registration code.
        let offer = try await server.admin.offerToken(
            to: try require(server.ids[user].flatMap { UserID($0) }), app: try require(AppID(app)))
        let code = Sensitive(offer.registrationCode)
        let key = try require(OTPProvisioningKey(bytes: try await vault.registrationKey(for: code)))
        let provisioning = try OTPProvisioning(server.options(app))
        let got = try await provisioning.redeem(code, name: "Phone", system: "ios", key: key)
        guard case .totp(let totp) = got.kind else { return expect(false, "\(got.kind)") }
        let ahead = Locked(0)
        let live = OTPVault(folder: phone.folder.appending(path: "tokens").path) {
            let seconds = Date().timeIntervalSince1970 + Double(ahead.withLock { $0 })
            return Instant(milliseconds: Int64(seconds * 1000))
        }
        try await live.keep(
            OTPTokenDefinition(
                id: got.id, app: got.app, server: server.address, kind: .totp(totp),
                signatureSuite: got.signatureSuite, secret: got.secret), pin: DevicePIN(pin))
        try await live.upgradeToMultiAuthMode(got.id, pin: right) { code in
            try await provisioning.confirm(code, of: got.id)
        }
        try await live.activateAuthMode(service.authMode(of: ada), on: got.id, pin: right)

        let look = try await phone.verify(1, service)
        let input = try require(look.input, "refused: \(look.verdict.refusals)")
        // The code that the upgrade has used up is not valid again; the server accepts the next one.
        ahead.withLock { $0 = totp.stepSeconds }
        let shown = try await live.code(of: got.id, with: .face(input))
        expect(
            await tokenCode { _ = try await live.code(of: got.id, with: .face(input)) }
                == .inputSpent)
        let journey = try await JourneyClient(server.options(app)).start("code-login")
        try await journey.respond("code", ["user_identifier": .string(user)])
        try await journey.respond(.clientInput, ["passcode": .string(shown.text)])
        guard case .success = await journey.outcome() else {
            throw Failure(description: "not signed in: \(await journey.response)")
        }
        await service.uninitialize()
        expect(FakePhone.shared.with { !$0.isCameraRunning }, "the camera is off")
    },
    AppleTest(
        "somebody else, a photo, and a wrong PIN open nothing, and are counted over restarts of the app"
    ) {
        App.openCamera()
        let phone = try App(), vault = phone.vault
        var service = phone.service(vault)
        try await service.initialize()
        _ = try await phone.enroll(1, service)
        try await vault.keep(token("aut_1", counting: true), pin: DevicePIN(pin))
        try await vault.upgradeToMultiAuthMode("aut_1", pin: right)
        try await vault.activateAuthMode(service.authMode(of: ada), on: "aut_1", pin: right)

        // A wrong PIN gives a wrong code, and no error.
        let wrong = try await vault.code(of: "aut_1", with: .pin(PINInput(wrongPIN)))
        let hotp = try HOTP(digits: 8, hash: .sha256), secret = try OTPSecret(bytes: Array(1...32))
        expect(wrong.text != hotp.code(at: 0, with: secret).text)
        expect(
            try await vault.code(of: "aut_1", with: .pin(right)).text
                == hotp.code(at: 1, with: secret).text)

        for attempt in 0..<5 {
            await service.uninitialize()
            service = phone.service(vault)
            try await service.initialize()
            let isPhoto = attempt == 4
            let look = try await phone.verify(
                isPhoto ? 1 : 2, service, actor: isPhoto ? MadeSheet(.still) : MadePerson())
            expect(look.input == nil && !look.verdict.isAccepted, "attempt \(attempt)")
        }
        expect(try await service.isLockedOut(ada))
        expect(await faceCode { _ = try await phone.verify(1, service) } == .lockedOut)
        try await service.unlock(ada)
        let look = try await phone.verify(1, service)
        let input = try require(look.input)
        // Unlocking ended the face mode.
        expect(
            await tokenCode { _ = try await vault.code(of: "aut_1", with: .face(input)) }
                == .faceInactive)

        for _ in 0..<5 {
            expect(
                (await error { try await phone.service().checkPIN(wrongPIN) } as? DeviceError)?.code
                    == .wrongPasscode)
        }
        @MainActor func check() async -> DeviceError.Code? {
            (await error { try await phone.service().checkPIN(pin) } as? DeviceError)?.code
        }
        expect(await check() == .passcodeLockout)
        phone.pass(61)
        expect(await check() == nil)
    },
    AppleTest("a face from photos is recognized, and opens nothing; a removed one is gone") {
        App.openCamera()
        let phone = try App(), vault = phone.vault, service = phone.service(vault)
        try await service.initialize()
        try await service.enroll(template(of: 1), as: ada)
        let look = try await phone.verify(1, service)
        expect(look.verdict.isAccepted && look.input == nil)
        expect(await faceCode { _ = try await service.authMode(of: ada) } == .notConfirmed)
        let photo = try VerificationSettings(mode: .image)
        expect(try await phone.verify(1, service, photo).input == nil)
        expect(try await service.people() == [ada])
        try await service.unenroll(ada)
        expect(try await service.people().isEmpty)
        expect(await faceCode { _ = try await phone.verify(1, service) } == .notEnrolled)
    },
    AppleTest(
        "files on another phone, or restored from a backup, open nothing that they should not"
    ) {
        App.openCamera()
        let phone = try App(), vault = phone.vault, service = phone.service(vault)
        try await service.initialize()
        _ = try await phone.enroll(1, service)
        try await vault.keep(token("aut_1", counting: true), pin: DevicePIN(pin))
        try await vault.keep(token("aut_2", counting: false), pin: DevicePIN(pin))
        _ = try await vault.code(of: "aut_1", with: .pin(right))

        // A backup of the files, but not of the keychain: the counter is ahead of it.
        let backup = try Data(contentsOf: phone.tokens)
        _ = try await vault.code(of: "aut_1", with: .pin(right))
        try backup.write(to: phone.tokens)
        expect(
            await tokenCode { _ = try await phone.vault.code(of: "aut_1", with: .pin(right)) }
                == .restored)
        _ = try await phone.vault.code(of: "aut_2", with: .pin(right))

        // Another enclave, with the same keychain.
        FakePhone.shared.with { $0.enclave = 2 }
        expect(await faceCode { _ = try await phone.service().people() } == .otherDevice)
        expect(await tokenCode { _ = try await phone.vault.tokens() } == .otherDevice)
        FakePhone.shared.with { ($0.enclave, $0.enclaveError) = (1, -3) }
        expect(await faceCode { _ = try await phone.service().people() } == .otherDevice)

        // An enclave that does not respond, because the phone is locked: nothing is lost.
        for code in [-2, -9] {
            FakePhone.shared.with { $0.enclaveError = code }
            expect(await faceCode { _ = try await phone.service().people() } == .bindingUnavailable)
            expect(await tokenCode { _ = try await phone.vault.tokens() } == .bindingUnavailable)
        }
        FakePhone.shared.with { $0.enclaveError = nil }
        expect(try await phone.service().people() == [ada])
        expect(try await phone.vault.tokens().count == 2)

        // Another phone.
        FakePhone.shared.reset()
        App.openCamera()
        expect(await faceCode { _ = try await phone.service().people() } == .otherDevice)
        expect(await tokenCode { _ = try await phone.vault.tokens() } == .otherDevice)
        try await phone.service(phone.vault).reset()
        try await phone.vault.reset()
        expect(try await phone.vault.tokens().isEmpty)
        let fresh = phone.service(phone.vault)
        try await fresh.initialize()
        expect(try await fresh.people().isEmpty)
        expect(try await !fresh.isPINSet())
        _ = try await phone.enroll(2, fresh)
        expect(try await fresh.people() == [ada])
    },
    AppleTest(
        "a device without an enclave binds its data to the keychain, and later to the enclave"
    ) {
        App.openCamera()
        FakePhone.shared.with { $0.hasEnclave = false }
        let phone = try App()
        try await phone.vault.keep(token("aut_1", counting: true), pin: DevicePIN(pin))
        try await phone.service().setPIN(DevicePIN(pin))
        expect(try await phone.service().people().isEmpty)
        expect(try await phone.service().bindingSource() == .machine)
        expect(try await !phone.service().isMigrationNeeded())
        FakePhone.shared.with { $0.hasEnclave = true }
        expect(try await phone.service().isMigrationNeeded())
        try await phone.service().migrate()
        try await phone.vault.migrate()
        expect(try await phone.service().bindingSource() == .secureEnclave)
        expect(try await phone.vault.tokens().map(\.id) == ["aut_1"])
        FakePhone.shared.with { $0.enclave = 2 }
        expect(await tokenCode { _ = try await phone.vault.tokens() } == .otherDevice)
    },
    AppleTest("the camera's obstacles have their codes, and a silent camera ends the session") {
        App.openCamera()
        let phone = try App()
        @MainActor func frames() async -> FrameSourceError.Code? {
            (await error {
                let service = phone.service()
                try await service.initialize()
                _ = try await service.openFrames()
            } as? FrameSourceError)?.code
        }
        FakePhone.shared.with { $0.camera = 2 }
        expect(await frames() == .notPermitted)
        FakePhone.shared.with { ($0.camera, $0.allowsCamera) = (0, false) }
        expect(await frames() == .notPermitted)
        FakePhone.shared.with { $0.hasCamera = false }
        expect(await !phone.service().isSupported())
        expect(await faceCode { try await phone.service().initialize() } == .noCamera)
        FakePhone.shared.with { ($0.hasCamera, $0.camera) = (true, 3) }

        let service = phone.service()
        try await service.initialize()
        try await service.enroll(template(of: 1), as: ada)
        FakePhone.shared.with { $0.picture = { _ in nil } }
        let found = await error { _ = try await phone.verify(1, service) }
        expect((found as? FrameSourceError)?.code == .stalled, "\(String(describing: found))")
        try await wait("the camera to stop") { FakePhone.shared.with { !$0.isCameraRunning } }
        // An app's own frames in place of the camera.
        let own = phone.service()
        try await own.initialize(frames: FaceFrames { FrameArray([]) })
        expect(await own.isInitialized)
    },
    AppleTest("a license is for this phone, and needed where the policy says so") {
        App.openCamera()
        let phone = try App()
        let policy = LicensePolicy(product: "mien-face") {
            Instant(milliseconds: 1_700_000_000_000)
        }
        let service = phone.service(licensing: policy)
        expect(await faceCode { try await service.initialize() } == .notLicensed)
        let devices = Locked<[String]>([])
        for phone in [phone, phone, try App()] {
            _ = await error {
                try await phone.service(licensing: policy).configureLicense { device in
                    devices.withLock { $0.append(device) }
                    throw CancellationError()
                }
            }
        }
        let names = devices.withLock { $0 }
        expect(names.count == 3 && Set(names).count == 1, "\(names.count)")
        FakePhone.shared.reset()
        _ = await error {
            try await App().service(licensing: policy).configureLicense { device in
                devices.withLock { $0.append(device) }
                throw CancellationError()
            }
        }
        expect(Set(devices.withLock { $0 }).count == 2, "another phone has another name")
    },
    AppleTest("the device's capture presents the face that the camera sees") {
        App.openCamera()
        let pipeline = Pipeline(1)
        let capture = try LocalFaceCapture(
            live: .camera(), reader: pipeline, packID: pack, recognition: fastPassive,
            enrollment: fastEnrollment,
            guide: FrameGuide { event in
                pipeline.show(event)
                return .goOn
            }, now: { Instant(milliseconds: 1) })
        expect(try await capture.obstacle() == nil)
        guard case .face(let face) = try await capture.captureOwner() else {
            return expect(false, "refused")
        }
        expect(face.isLive && face.template.packID == pack)
        FakePhone.shared.with { $0.camera = 2 }
        expect(try await capture.obstacle()?.code == .biometricNotSupportedOrPermissionDenied)
    },
]

/// Asks for a user name, then for a code.
private let codeLogin: JSONValue = [
    "id": "code-login", "version": 1, "title": "Log in with a code", "start": "form",
    "steps": [
        "form": [
            "type": "login_form",
            "config": [
                "branches": [
                    [
                        "id": "code",
                        "schema": [
                            "properties": ["user_identifier": ["type": "string"]],
                            "required": ["user_identifier"],
                        ],
                    ]
                ], "output_variable": "form",
            ], "on": ["code": "check"],
        ],
        "check": [
            "type": "authenticate_otp", "config": ["user_identifier": "form.user_identifier"],
            "on": ["success": "done", "failure": "refused"],
        ],
        "done": ["type": "complete_journey"], "refused": ["type": "reject_access"],
    ],
]
