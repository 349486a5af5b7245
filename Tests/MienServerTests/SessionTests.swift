import Foundation
import MienAPI
import MienAccess
import MienClient
import MienCore
import MienDevice
import MienFace
import MienImage
import MienKeys
import MienModels
import MienTesting
import Synchronization
import Testing

/// The SDK's sessions and biometric login against a real server, with real faces in front of the device.
@Suite("Sessions", .enabled(if: Installed.isThere, Installed.reason))
struct SessionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Whoever sits in front of the device: shows this photo's face.
    private final class Person: FacePresenter, PasscodePresenter {
        private let shown = Mutex<FaceTemplate?>(nil)
        func show(_ face: FaceTemplate?) { shown.withLock { $0 = face } }
        func present(_ request: FaceRequest) async throws -> PresentedFace { shown.withLock { $0.map { .face($0) } ?? .cancelled } }
        func passcode(_ request: PasscodeRequest) async throws -> Sensitive<String>? { nil }
    }

    private struct Device: Sendable {
        let person = Person()
        let authenticator: FaceLocalAuthenticator
        let biometric: BiometricDevice
        let faces: [String: FaceTemplate]
        static let pin = "802735"

        init(in scratch: ScratchFolder, _ time: HandClock) async throws {
            let pack = try PackLibrary(folder: Installed.home.packs).pack(PackID("mien-default-1"))
            let engine = try FaceEngine(pack: pack, workers: 1, options: .init(cacheFolder: scratch("networks").path), compilingAll: false)
            var faces: [String: FaceTemplate] = [:]
            for name in ["obama", "obama2", "biden"] {
                let bytes = Installed.photo(name), now = time.now
                faces[name] = try await engine.run { analyzer, networks in
                    let image = try ImageDecoder.decode(bytes, limits: ImageLimits())
                    let analysis = try analyzer.analyse(image, with: networks)
                    let main = try #require(analysis.main)
                    let description = try analyzer.describe(main, in: image, with: networks)
                    let entry = try FaceTemplate.Entry(
                        descriptor: description.descriptor, quality: UInt8(clamping: analysis.qualityScore), pose: main.pose)
                    return try FaceTemplate(entries: [entry], packID: pack.id, createdAt: now)
                }
            }
            self.faces = faces
            authenticator = FaceLocalAuthenticator(
                folder: scratch("device/state").path, keyPath: scratch("device-state.key").path, matcher: try pack.matcher(), faces: person,
                passcodes: person, now: { time.now })
            let keys = SoftwareKeyProvider(
                folder: scratch("device/keys").path, keyPath: scratch("device-keys.key").path, authenticator: authenticator)
            biometric = BiometricDevice(keys: keys, authenticator: authenticator, model: "Test laptop", system: "linux")
        }

        func enrol(_ name: String) async throws {
            try await authenticator.enrol(try #require(faces[name]), passcode: Sensitive(Self.pin))
        }
    }

    private func withSession(
        _ body: @Sendable (TestServer, MienSession, Device, _ make: @Sendable () throws -> MienSession) async throws -> Void
    ) async throws {
        try FileManager.default.createDirectory(at: scratch("device"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try await TestServer.run(in: scratch) { [scratch] server in
            try await server.makeUser()
            let device = try await Device(in: scratch, server.time)
            let make: @Sendable () throws -> MienSession = {
                try MienSession(
                    MienOptions(serverPath: server.address, applicationId: "sample_app", retry: RetryPolicy(attempts: 1)),
                    tokenStorage: TransientTokenStorage(), biometrics: device.biometric, now: { server.time.now })
            }
            let session = try make()
            try await session.configure()
            try await body(server, session, device, make)
        }
    }

    private static func signIn(_ session: MienSession, _ server: TestServer, _ name: String = "ada") async throws {
        let journey = try await server.client().start("password-login")
        for try await step in journey.steps {
            try await step.respond("password", ["username": .string(name), "password": "a password nobody has"])
        }
        guard case .success(let token) = await journey.outcome() else { throw CancellationError() }
        try await session.signIn(journeyToken: token)
    }

    @Test("figure 1 and 2: enable biometric login while signed in; sign in with it after the app was closed")
    func sequence() async throws {
        try await withSession { server, session, device, make in
            await #expect(throws: DeviceError(.biometricNoPasscode, "")) { try await session.checkBiometricSupported() }
            try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
            await #expect(throws: DeviceError(.biometricNoEnrollment, "")) { try await session.checkBiometricSupported() }
            try await device.enrol("obama")
            try await session.checkBiometricSupported()
            await #expect(throws: MienError(.unauthenticatedUser, "")) { try await session.enableBiometric(localizedReason: "Enable") }

            try await Self.signIn(session, server)
            device.person.show(device.faces["obama2"])
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryCurrentSet)
            let isEnabled = try await session.isBiometricEnabled()
            #expect(isEnabled)

            // The app is closed: tokens in memory are gone.
            let relaunched = try make()
            try await relaunched.configure()
            #expect(await relaunched.state == .signedOut(.notYet))
            device.person.show(device.faces["biden"])
            await #expect(throws: DeviceError(.notRecognised, "")) { try await relaunched.authenticateBiometric() }
            device.person.show(nil)
            await #expect(throws: DeviceError(.cancel, "")) { try await relaunched.authenticateBiometric() }
            device.person.show(device.faces["obama2"])
            let user = try await relaunched.authenticateBiometric(localizedReason: "Sign in")
            let expected = try await server.userID("ada").text
            #expect(user.sub == expected)
            #expect(await relaunched.state == .signedIn)

            // Another enrolment, even of the same face: the key is gone.
            try await device.enrol("obama2")
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) { try await relaunched.authenticateBiometric() }
            let isStillEnabled = try await relaunched.isBiometricEnabled()
            #expect(!isStillEnabled)
        }
    }

    @Test("a key that the server takes no more is deleted, and the app is told")
    func revoked() async throws {
        try await withSession { server, session, device, make in
            try await device.authenticator.setPasscode(DevicePIN(Sensitive(Device.pin)))
            try await device.enrol("obama")
            device.person.show(device.faces["obama"])
            try await Self.signIn(session, server)
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            let user = try await server.userID("ada")
            for authenticator in try await server.admin.authenticators(of: user) where authenticator.type == "native_biometrics" {
                try await server.admin.removeAuthenticator(try #require(AuthenticatorID(authenticator.id)), of: user)
            }
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) { try await session.authenticateBiometric() }
            let isEnabled = try await session.isBiometricEnabled()
            #expect(!isEnabled)
            // Enabled again, then disabled: here and there.
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            #expect(try await server.admin.authenticators(of: user).count { $0.type == "native_biometrics" } == 1)
            try await session.disableBiometric()
            #expect(try await server.admin.authenticators(of: user).count { $0.type == "native_biometrics" } == 0)
            // Another user signs in: the first one's key is none of theirs.
            try await session.enableBiometric(localizedReason: "Enable", constraint: .biometryAny)
            try await server.makeUser("bob")
            try await Self.signIn(session, server, "bob")
            let isBobs = try await session.isBiometricEnabled()
            #expect(!isBobs)
        }
    }

    @Test("access tokens are renewed before they end, by one refresh for all; a sign-in that has ended says so")
    func refreshing() async throws {
        try await withSession { server, session, device, make in
            await #expect(throws: MienError(.unauthenticatedUser, "")) { try await session.accessToken() }
            try await Self.signIn(session, server)
            let states = await session.states()
            let first = try await session.accessToken().use { $0 }
            #expect(try await session.accessToken().use { $0 } == first)
            server.time.advance(.seconds(1790))
            let renewed = try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<20 { tasks.addTask { try await session.accessToken().use { $0 } } }
                return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(renewed.count == 1 && !renewed.contains(first), "used twice, the refresh token would have ended the sign-in")
            let info = try await session.userInfo()
            let expected = try await server.userID("ada").text
            #expect(info.sub == expected)
            // A month without a sign of life.
            server.time.advance(.seconds(2_592_000))
            await #expect(throws: MienError(.unauthenticatedUser, "")) { try await session.accessToken() }
            #expect(await session.state == .signedOut(.ended))
            try await Self.signIn(session, server)
            try await session.signOut()
            var seen: [MienSession.State] = []
            for await state in states {
                seen.append(state)
                if state == .signedOut(.byUser) { break }
            }
            #expect(seen == [.signedIn, .signedOut(.ended), .signedIn, .signedOut(.byUser)])
        }
    }

    @Test("tokens in a file outlast the app, and nobody else may read them")
    func persistence() async throws {
        try await withSession { [scratch] server, _, device, _ in
            let path = scratch("tokens.json").path
            let make: @Sendable () throws -> MienSession = {
                try MienSession(
                    MienOptions(serverPath: server.address, applicationId: "sample_app", retry: RetryPolicy(attempts: 1)),
                    tokenStorage: PersistentTokenStorage(path: path), now: { server.time.now })
            }
            let session = try make()
            try await session.configure()
            try await Self.signIn(session, server)
            let token = try await session.accessToken().use { $0 }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let relaunched = try make()
            try await relaunched.configure()
            #expect(try await relaunched.accessToken().use { $0 } == token)
            try await relaunched.signOut()
            let third = try make()
            try await third.configure()
            #expect(await third.state == .signedOut(.notYet))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            await #expect(throws: PrivateFileError.self) { try await make().configure() }
        }
    }
}
