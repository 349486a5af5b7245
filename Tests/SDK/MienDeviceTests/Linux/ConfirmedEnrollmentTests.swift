import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienHardware
import MienKeys
import MienTesting
import MienVault
import Testing

private let biometrics = BiometricPolicy.deviceOwnerAuthenticationWithBiometrics
private let bob = try! PersonName("Bob")

/// One enrollment per person serves recognition, keys, and tokens; only a live one that the PIN
/// confirmed opens something.
@Suite struct ConfirmedEnrollmentTests {
    private func code(_ body: () async throws -> Void) async -> FaceAuthError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? FaceAuthError)?.code }
    }

    private func opens(_ device: Device, _ person: Int, of name: PersonName = owner) async throws
        -> Bool
    {
        try await device.person.shows(person)
        do {
            _ = try await device.authenticator(of: name).authenticate(
                reason: "", policy: biometrics)
            return true
        } catch is DeviceError { return false }
    }

    /// The files that hold the enrolled faces.
    private func records(_ device: Device) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: URL(filePath: "\(device.folder)/faces"), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "face" }
    }

    @Test func `one live enrollment serves recognition, keys, and tokens`() async throws {
        let device = try Device(), service = device.service()
        try await service.enrollLive(1, as: owner)
        #expect(try await service.face(of: owner) == face(1), "recognition")
        #expect(try await opens(device, 1), "keys")
        #expect(try await !opens(device, 2))
        let vault = vault(device)
        try await keep(in: vault)
        try await vault.activateAuthMode(
            service.authMode(of: owner), on: "aut_1", pin: PINInput(rightPIN))
        #expect(try await vault.token("aut_1").isFaceModeActive, "tokens")
        // An enrollment through the authenticator is the same one.
        try await device.authenticator().enroll(shown(2), passcode: rightPIN)
        #expect(try await service.face(of: owner) == face(2))
        #expect(try await opens(device, 2))
        #expect(try await !opens(device, 1))
    }

    @Test func `a person enrolled from photos opens no key, with or without a PIN`() async throws {
        let device = try Device(), service = device.service()
        try await service.setPIN(DevicePIN(rightPIN))
        try await service.enrollPhoto(1, as: owner)
        #expect(try await service.people() == [owner])
        #expect(try await !service.isConfirmed(owner))
        #expect(try await !opens(device, 1))
        #expect(await code { _ = try await service.authMode(of: owner) } == .notConfirmed)
        // The right PIN does not turn pictures into a live enrollment.
        let photo = try shown(1, mode: .image)
        #expect(
            await code {
                try await service.ready().enroll(photo, as: owner, pin: rightPIN)
            } == .notLive)
        await #expect(throws: DeviceError(.biometricNoEnrollment, "")) {
            try await device.authenticator().enroll(photo, passcode: rightPIN)
        }
        #expect(try await !opens(device, 1))
        #expect(try await service.isConfirmed(owner) == false)
        #expect(try await service.face(of: owner) == face(1))
    }

    @Test func `a live enrollment without the right PIN is not stored`() async throws {
        let device = try Device(), service = try await device.service().ready()
        await #expect(throws: DeviceError(.biometricNoPasscode, "")) {
            try await service.enroll(shown(1), as: owner, pin: rightPIN)
        }
        try await service.setPIN(DevicePIN(rightPIN))
        await #expect(throws: DeviceError(.wrongPasscode, "")) {
            try await service.enroll(shown(1), as: owner, pin: wrongPIN)
        }
        #expect(try await !service.isConfigured())
        try await service.enroll(shown(1), as: owner, pin: rightPIN)
        await #expect(throws: DeviceError(.wrongPasscode, "")) {
            try await service.enroll(shown(2), as: owner, pin: wrongPIN)
        }
        #expect(try await opens(device, 1), "the old face stays")
        #expect(try await !opens(device, 2))
    }

    @Test func `replacing a live enrollment by photos closes what it opened`() async throws {
        let device = try Device(), service = device.service()
        try await service.enrollLive(1, as: owner)
        let before = try await device.authenticator().enrollmentGeneration()
        try await service.enrollPhoto(1, as: owner)
        #expect(try await !service.isConfirmed(owner))
        #expect(try await !opens(device, 1))
        #expect(try await device.authenticator().enrollmentGeneration() != before)
    }

    @Test func `a picture presented in image mode opens nothing and counts as a wrong face`()
        async throws
    {
        let device = try Device()
        _ = try await device.enrolled()
        let picture = try shown(1, mode: .image)
        for _ in 0..<2 {
            await device.person.shows(.face(picture), .face(picture), .face(picture))
            await #expect(throws: DeviceError.self) {
                try await device.authenticator().authenticate(reason: "", policy: biometrics)
            }
        }
        #expect(try await device.authenticator().capability().isLockedOut)
    }

    // MARK: Swapped and upgraded records

    @Test func `a stored face that was swapped for another one opens nothing`() async throws {
        let device = try Device(), service = device.service()
        try await service.enrollLive(1, as: owner)
        let record = try #require(try records(device).first), mine = try Data(contentsOf: record)
        // The attacker's face under the owner's name, stored by the attacker's own run of the
        // service, while the state that names the confirmed face is put back.
        let state = URL(filePath: "\(device.folder)/authenticator.sealed"),
            confirmed = try Data(contentsOf: state)
        try await service.enrollPhoto(2, as: owner)
        try confirmed.write(to: state)
        #expect(try await service.face(of: owner) == face(2), "the swap took place")
        #expect(try await !service.isConfirmed(owner))
        #expect(try await !opens(device, 2))
        #expect(try await !opens(device, 1))
        // A record under another file name, or one of another person, cannot be opened at all.
        try await service.enrollPhoto(3, as: bob)
        let other = try #require(try records(device).first { $0 != record })
        try Data(contentsOf: other).write(to: record)
        #expect(await code { _ = try await service.people() } == .storage)
        try mine.write(to: record)
        #expect(try await opens(device, 1), "the owner's own record")
    }

    @Test func `a person confirmed under one name opens nothing under another`() async throws {
        let device = try Device(), service = device.service()
        try await service.enrollLive(1, as: owner)
        try await service.enrollPhoto(1, as: bob)
        #expect(try await service.isConfirmed(owner))
        #expect(try await !service.isConfirmed(bob))
        #expect(try await !opens(device, 1, of: bob))
        try await service.enrollLive(2, as: bob)
        #expect(try await opens(device, 2, of: bob))
        #expect(try await !opens(device, 2))
        // Each person's keys are their own.
        let mine = device.authenticator(), theirs = device.authenticator(of: bob)
        let locked = try await mine.lock(
            Sensitive([1, 2, 3]), for: .biometryAny, policy: biometrics, context: "x")
        try await device.person.shows(2)
        await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
            try await theirs.release(
                locked, for: .biometryAny, policy: biometrics, context: "x",
                unlocking: UnlockPrompt(reason: ""))
        }
    }

    // MARK: Interruptions

    @Test
    func `an interrupted enrollment never lets an unconfirmed face open anything`() async throws {
        let original = try Device()
        try await original.service().enrollLive(1, as: owner)
        try await original.service().enrollPhoto(1, as: owner)
        var calls = 0, isDone = false
        while !isDone {
            let device = try Device(copyOf: original), files = FailingFiles(after: calls)
            let result = await Result {
                try await device.service(files: files).ready().enroll(
                    shown(2), as: owner, pin: rightPIN)
            }
            let opened = try await opens(device, 2)
            #expect(try await !opens(device, 1), "photo, at call \(calls)")
            if case .success = result { #expect(opened) }
            isDone = !files.hasFailed
            calls += Thoroughness.step(4)
            try #require(calls < 500)
        }
        #expect(calls > 20)
    }

    // MARK: A token for the tests

    private func vault(_ device: Device) -> OTPVault {
        OTPVault(
            folder: device.scratch("tokens").path, keyPath: device.keyPath,
            generationFolder: device.scratch("generations").path, tpm: nil,
            now: { [clock = device.clock] in clock.now }, uptime: { .now },
            files: POSIXFileSystem(), random: .system,
            cost: PasswordHasher.Cost(memory: 8, passes: 1), machineID: { Array("machine".utf8) })
    }

    private func keep(in vault: OTPVault) async throws {
        try await vault.keep(
            OTPTokenDefinition(
                id: "aut_1", app: "app", server: nil,
                kind: .hotp(HOTP(digits: 8, hash: .sha256), firstCounter: 0),
                signatureSuite: OCRASuite("OCRA-1:HOTP-SHA256-8:QH64"),
                secret: OTPSecret(bytes: Array(1...32))),
            pin: DevicePIN(rightPIN))
        try await vault.upgradeToMultiAuthMode("aut_1", pin: PINInput(rightPIN))
    }
}
