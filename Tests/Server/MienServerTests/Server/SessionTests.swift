import Foundation
import MienAPI
import MienClient
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienMedia
import MienModels
import MienTesting
import MienVault
import Synchronization
import Testing

@testable import MienServer

/// The SDK's sessions and biometric login against a real server, with real faces in front of the
/// device.
@Suite("Sessions", .enabled(if: Installed.isThere, Installed.reason))
struct SessionTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// The person in front of the device: presents the face of this photo.
    final class Person: FacePresenter, PasscodePresenter {
        private let shown = Mutex<FaceTemplate?>(nil), typed = Mutex<Sensitive<String>?>(nil)
        private let missing = Mutex(false)
        func show(_ face: FaceTemplate?) { shown.withLock { $0 = face } }
        /// Types this PIN whenever it is asked for.
        func type(_ pin: String?) { typed.withLock { $0 = pin.map { Sensitive($0) } } }
        func removeCamera(_ isMissing: Bool) { missing.withLock { $0 = isMissing } }
        func obstacle() async throws -> DeviceError? {
            missing.withLock {
                $0 ? DeviceError(.biometricNotSupportedOrPermissionDenied, "no camera") : nil
            }
        }
        func present(_ request: FaceRequest) async throws -> PresentedFace {
            if let face = shown.withLock({ $0 }) {
                return .face(CapturedFace(face, mode: .livenessActive))
            }
            return typed.withLock { $0 != nil } ? .usePasscode : .cancelled
        }
        func passcode(_ request: PasscodeRequest) async throws -> Sensitive<String>? {
            typed.withLock { $0 }
        }
    }

    struct Device: Sendable {
        let person = Person()
        let authenticator: FaceLocalAuthenticator
        let biometric: BiometricDevice
        let faces: [String: FaceTemplate]
        static let pin = "802735"

        init(in scratch: ScratchFolder, now clock: @escaping @Sendable () -> Instant) async throws {
            let (pack, entries) = try await Self.read.value
            let now = clock()
            faces = try entries.mapValues {
                try FaceTemplate(entries: [$0], packID: pack.id, createdAt: now)
            }
            authenticator = FaceLocalAuthenticator(
                service: FaceAuthService(
                    folder: scratch("device/state").path, keyPath: scratch("device-state.key").path,
                    packID: pack.id, tpm: nil, now: clock),
                owner: try PersonName("owner"), matcher: try pack.matcher(), faces: person,
                passcodes: person)
            let keys = SoftwareKeyProvider(
                folder: scratch("device/keys").path, keyPath: scratch("device-keys.key").path,
                authenticator: authenticator)
            biometric = BiometricDevice(
                keys: keys, authenticator: authenticator, model: "Test laptop", system: "linux")
        }

        /// The faces in the photos. All devices show them, so they are read once.
        private static let read = Task {
            let pack = try PackLibrary(folder: Installed.home.packs).pack(PackID("mien-basic-1"))
            let engine = try FaceEngine(
                pack: pack, workers: 1, options: .init(cacheFolder: Installed.networkCache.path),
                compilingAll: false)
            var entries: [String: FaceTemplate.Entry] = [:]
            for name in ["obama", "obama2", "biden"] {
                let bytes = Installed.photo(name)
                entries[name] = try await engine.run { analyzer, networks in
                    let image = try ImageDecoder.decode(bytes, limits: ImageLimits())
                    let analysis = try analyzer.analyze(image, with: networks)
                    let main = try #require(analysis.main)
                    let description = try analyzer.describe(main, in: image, with: networks)
                    return try FaceTemplate.Entry(
                        descriptor: description.descriptor,
                        quality: UInt8(clamping: analysis.qualityScore), pose: main.pose)
                }
            }
            return (pack, entries)
        }

        func enroll(_ name: String) async throws {
            try await authenticator.enroll(
                CapturedFace(try #require(faces[name]), mode: .livenessActive),
                passcode: Sensitive(Self.pin))
        }
    }

    func withSession(
        _ body:
            @Sendable (TestServer, MienSession, Device, _ make: @Sendable () throws -> MienSession)
            async throws -> Void
    ) async throws {
        try makeDeviceFolder()
        try await TestServer.run(in: scratch) { [scratch] server in
            try await server.makeUser()
            let device = try await Device(in: scratch) { server.time.now }
            let make: @Sendable () throws -> MienSession = {
                try MienSession(
                    MienOptions(
                        serverPath: server.address, applicationId: "default_application",
                        retry: RetryPolicy(attempts: 1)),
                    tokenStorage: TransientTokenStorage(), biometrics: device.biometric,
                    now: { server.time.now })
            }
            let session = try make()
            try await session.configure()
            try await body(server, session, device, make)
        }
    }

    private func makeDeviceFolder() throws {
        try FileManager.default.createDirectory(
            at: scratch("device"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    static func signIn(_ session: MienSession, _ server: TestServer, _ name: String = "ada")
        async throws
    {
        try await signIn(session, server.client(), name)
    }

    static func signIn(
        _ session: MienSession, _ client: JourneyClient, _ name: String = "ada"
    ) async throws {
        let journey = try await client.start("password-login")
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": .string(name), "password": "a password nobody has"])
        }
        guard case .success(let token) = await journey.outcome() else { throw CancellationError() }
        try await session.signIn(journeyToken: token)
    }

    /// Runs `body` with a `mien serve` process, a user, a device on which they are enrolled, and
    /// their session.
    private func withProcess(
        _ body: (
            ServeProcess, MienAdmin, MienSession, Device,
            _ make: @Sendable (TransientTokenStorage) throws -> MienSession
        ) async throws -> Void
    ) async throws {
        try makeDeviceFolder()
        let server = try await ServeProcess.start(in: scratch),
            admin = try server.admin(#require(server.credential))
        _ = try await admin.createUser(
            UserRequest(username: "ada", password: "a password nobody has"))
        let device = try await Device(in: scratch) { ServerClock.system.now }
        try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
        try await device.enroll("obama")
        device.person.show(device.faces["obama2"])
        let options = Self.options(server)
        let make: @Sendable (TransientTokenStorage) throws -> MienSession = {
            try MienSession(options, tokenStorage: $0, biometrics: device.biometric)
        }
        let session = try make(TransientTokenStorage())
        try await session.configure()
        try await body(server, admin, session, device, make)
        #expect(await server.stop() == 0)
    }

    private static func options(_ server: ServeProcess) -> MienOptions {
        MienOptions(
            serverPath: server.address, applicationId: "default_application",
            retry: RetryPolicy(attempts: 1))
    }

    private static func keys(_ admin: MienAdmin) async throws -> Int {
        let user = try #require(await admin.findUser("ada").flatMap { UserID($0.id) })
        return try await admin.authenticators(of: user).count {
            $0.type == .known(.nativeBiometrics)
        }
    }

    @Test("figure 1, against a server process: a signed-in user enables biometric login")
    func figureOne() async throws {
        try await withProcess { server, admin, session, device, _ in
            // Signed out: the device may support it, but there is no user to enable it for.
            try await session.checkBiometricSupported()
            await #expect(throws: MienError(.unauthenticatedUser, "")) {
                try await session.enableBiometric(localizedReason: "Enable")
            }
            #expect(try await Self.keys(admin) == 0)
            try await Self.signIn(session, JourneyClient(Self.options(server)))
            let wasEnabled = try await session.isBiometricEnabled()
            #expect(!wasEnabled)
            // Creates the key, requests and signs a challenge, and registers the public key.
            try await session.enableBiometric(
                localizedReason: "Enable", constraint: .biometryCurrentSet)
            let isEnabled = try await session.isBiometricEnabled()
            #expect(isEnabled)
            #expect(try await Self.keys(admin) == 1)
            #expect(
                try await admin.audit().items.count { $0.event == "native_biometrics.registered" }
                    == 1)
            // The session is unchanged.
            #expect(await session.state == .signedIn)
            let user = try await session.userInfo()
            #expect(try await admin.findUser("ada")?.id == user.sub)
        }
    }

    @Test(
        "figure 2, against a server process: biometric login returns an access token and a refresh token"
    )
    func figureTwo() async throws {
        try await withProcess { server, admin, session, device, make in
            try await Self.signIn(session, JourneyClient(Self.options(server)))
            try await session.enableBiometric(
                localizedReason: "Enable", constraint: .biometryCurrentSet)
            // The app was closed, so tokens in memory are gone. Then: a stranger's face, no face,
            // and the user's.
            let memory = TransientTokenStorage(), relaunched = try make(memory)
            try await relaunched.configure()
            #expect(await relaunched.state == .signedOut(.notYet))
            device.person.show(device.faces["biden"])
            await #expect(throws: DeviceError(.notRecognized, "")) {
                try await relaunched.authenticateBiometric()
            }
            device.person.show(nil)
            await #expect(throws: DeviceError(.cancel, "")) {
                try await relaunched.authenticateBiometric()
            }
            #expect(await relaunched.state == .signedOut(.notYet))
            device.person.show(device.faces["obama2"])
            let user = try await relaunched.authenticateBiometric(localizedReason: "Sign in")
            #expect(try await admin.findUser("ada")?.id == user.sub)
            let kept = try #require(
                await memory.tokens(
                    for: DeviceTokenKey(server: server.address, application: "default_application"))
            )
            #expect(kept.refreshToken?.use { $0.hasPrefix("grt_") } == true)
            // An authenticated request, and what a resource server sees of the token.
            let access = try await relaunched.accessToken().use { $0 }
            let claims = try TokenClient.claims(access)
            #expect(
                claims["sub"]?.stringValue == user.sub
                    && claims["iss"]?.stringValue == server.address)
            let again = try await relaunched.userInfo()
            #expect(again.sub == user.sub)
            #expect(try await Self.keys(admin) == 1)
            #expect(await relaunched.state == .signedIn)
        }
    }

    @Test(
        "the device states why it cannot; only the owner's face unlocks the key, and a new enrollment deletes it"
    )
    func sequence() async throws {
        try await withSession { server, session, device, make in
            await #expect(throws: DeviceError(.biometricNoPasscode, "")) {
                try await session.checkBiometricSupported()
            }
            try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
            await #expect(throws: DeviceError(.biometricNoEnrollment, "")) {
                try await session.checkBiometricSupported()
            }
            try await device.enroll("obama")
            device.person.removeCamera(true)
            await #expect(throws: DeviceError(.biometricNotSupportedOrPermissionDenied, "")) {
                try await session.checkBiometricSupported()
            }
            device.person.removeCamera(false)
            try await session.checkBiometricSupported()
            await #expect(throws: MienError(.unauthenticatedUser, "")) {
                try await session.enableBiometric(localizedReason: "Enable")
            }

            try await Self.signIn(session, server)
            device.person.show(device.faces["obama2"])
            try await session.enableBiometric(
                localizedReason: "Enable", constraint: .biometryCurrentSet)
            let isEnabled = try await session.isBiometricEnabled()
            #expect(isEnabled)

            // The app was closed, so tokens in memory are gone.
            let relaunched = try make()
            try await relaunched.configure()
            #expect(await relaunched.state == .signedOut(.notYet))
            device.person.show(device.faces["biden"])
            await #expect(throws: DeviceError(.notRecognized, "")) {
                try await relaunched.authenticateBiometric()
            }
            device.person.show(nil)
            await #expect(throws: DeviceError(.cancel, "")) {
                try await relaunched.authenticateBiometric()
            }
            device.person.show(device.faces["obama2"])
            let user = try await relaunched.authenticateBiometric(localizedReason: "Sign in")
            let expected = try await server.userID("ada").text
            #expect(user.sub == expected)
            #expect(await relaunched.state == .signedIn)

            // Another enrollment, even of the same face, deletes the key.
            try await device.enroll("obama2")
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await relaunched.authenticateBiometric()
            }
            let isStillEnabled = try await relaunched.isBiometricEnabled()
            #expect(!isStillEnabled)
        }
    }

    @Test("a key that the server no longer accepts is deleted, and the app is notified")
    func revoked() async throws {
        try await withSession { server, session, device, make in
            try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
            try await device.enroll("obama")
            device.person.show(device.faces["obama"])
            try await Self.signIn(session, server)
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            let user = try await server.userID("ada")
            for authenticator in try await server.admin.authenticators(of: user)
            where authenticator.type == .known(.nativeBiometrics) {
                try await server.admin.removeAuthenticator(
                    try #require(AuthenticatorID(authenticator.id)), of: user)
            }
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await session.authenticateBiometric()
            }
            let isEnabled = try await session.isBiometricEnabled()
            #expect(!isEnabled)
            // Enabled again, then disabled on both sides.
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            #expect(
                try await server.admin.authenticators(of: user).count {
                    $0.type == .known(.nativeBiometrics)
                } == 1)
            try await session.disableBiometric()
            #expect(
                try await server.admin.authenticators(of: user).count {
                    $0.type == .known(.nativeBiometrics)
                } == 0)
            // Another user signs in: the first user's key is not theirs.
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            try await server.makeUser("bob")
            try await Self.signIn(session, server, "bob")
            let isBobs = try await session.isBiometricEnabled()
            #expect(!isBobs)
        }
    }

    /// The `amr` values of a session's tokens.
    private static func methods(_ session: MienSession) async throws -> Set<String> {
        let claims = try TokenClient.claims(await session.accessToken().use { $0 })
        return Set(try #require(claims["amr"]?.arrayValue).compactMap(\.stringValue))
    }

    @Test(
        "with deviceOwnerAuthentication, the device PIN signs in under every constraint, and the tokens say so",
        arguments: BiometricAccessConstraint.allCases)
    func passcodeFallback(_ constraint: BiometricAccessConstraint) async throws {
        try await withSession { server, session, device, make in
            try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
            try await device.enroll("obama")
            try await Self.signIn(session, server)
            let options = BiometricOptions(
                localizedReason: "Sign in", constraint: constraint,
                policy: .deviceOwnerAuthentication)
            device.person.show(device.faces["obama"])
            try await session.enableBiometric(options)
            // The face.
            _ = try await session.authenticateBiometric(options)
            #expect(try await Self.methods(session) == ["pop", "x_biometric"])
            // The PIN: by choice, after a stranger's face, without a camera, and after a lockout.
            device.person.type(Device.pin)
            for face in [nil, "biden"] {
                device.person.show(face.flatMap { device.faces[$0] })
                _ = try await session.authenticateBiometric(options)
                #expect(try await Self.methods(session) == ["pop", "pin"])
            }
            device.person.removeCamera(true)
            _ = try await session.authenticateBiometric(options)
            #expect(try await Self.methods(session) == ["pop", "pin"])
            device.person.removeCamera(false)
            // A refresh keeps what the sign-in proved.
            server.time.advance(.seconds(1800))
            #expect(try await Self.methods(session) == ["pop", "pin"])
            // Biometrics only: the PIN is not asked for.
            device.person.show(nil)
            await #expect(throws: DeviceError(.cancel, "")) {
                try await session.authenticateBiometric()
            }
            device.person.show(device.faces["obama"])
            _ = try await session.authenticateBiometric()
            #expect(try await Self.methods(session) == ["pop", "x_biometric"])
        }
    }

    @Test("a key that was enabled for biometrics only does not accept the PIN later")
    func biometricsOnly() async throws {
        try await withSession { server, session, device, make in
            try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
            try await device.enroll("obama")
            try await Self.signIn(session, server)
            device.person.show(device.faces["obama"])
            try await session.enableBiometric(
                localizedReason: "Enable", constraint: .biometryAny)
            device.person.show(nil)
            device.person.type(Device.pin)
            await #expect(throws: DeviceError(.cancel, "")) {
                try await session.authenticateBiometric(policy: .deviceOwnerAuthentication)
            }
            device.person.show(device.faces["obama"])
            _ = try await session.authenticateBiometric(policy: .deviceOwnerAuthentication)
            #expect(try await Self.methods(session) == ["pop", "x_biometric"])
        }
    }

    @Test("without an enrolled face, the PIN alone enables biometric login and signs in")
    func withoutEnrollment() async throws {
        try await withSession { server, session, device, make in
            try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
            try await Self.signIn(session, server)
            await #expect(throws: DeviceError(.biometricNoEnrollment, "")) {
                try await session.checkBiometricSupported()
            }
            let options = try BiometricOptions(
                BiometricOptionsAndroid(
                    title: "Biometric authentication",
                    constraint: [.biometricStrong, .deviceCredential],
                    invalidatedByBiometricEnrollment: false))
            try await session.checkBiometricSupported(options)
            device.person.type(Device.pin)
            try await session.enableBiometric(options)
            _ = try await session.authenticateBiometric(options)
            #expect(try await Self.methods(session) == ["pop", "pin"])
        }
    }

    private final class Tally: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    @Test("enabling and disabling biometric login requests a fresh sign-in and continues after it")
    func reauthentication() async throws {
        try await withSession { server, _, device, _ in
            let asked = Tally()
            let session = try MienSession(
                MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1)),
                tokenStorage: TransientTokenStorage(),
                biometrics: device.biometric,
                reauthenticator: { _, session in
                    asked.add()
                    let journey = try await server.client().start(
                        "password-login", session: session)
                    for try await step in journey.steps {
                        try await step.respond(
                            "password", ["username": "ada", "password": "a password nobody has"])
                    }
                    guard case .success = await journey.outcome() else { throw CancellationError() }
                    return .steppedUp
                }, now: { server.time.now })
            try await session.configure()
            try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
            try await device.enroll("obama")
            device.person.show(device.faces["obama"])
            try await Self.signIn(session, server)
            let user = try await server.userID("ada")
            func keys() async throws -> Int {
                try await server.admin.authenticators(of: user).count {
                    $0.type == .known(.nativeBiometrics)
                }
            }
            server.time.advance(.seconds(301))
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            #expect(try await keys() == 1)
            #expect(asked.count == 1)
            let isEnabled = try await session.isBiometricEnabled()
            #expect(isEnabled)
            server.time.advance(.seconds(301))
            try await session.disableBiometric()
            #expect(try await keys() == 0)
            #expect(asked.count == 2)
        }
    }
}
