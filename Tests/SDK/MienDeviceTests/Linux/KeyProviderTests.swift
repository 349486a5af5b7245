import Foundation
import MienCore
import MienDevice
import MienHardware
import MienKeys
import MienTesting
import Testing

@testable import MienDeviceLinux

private let biometrics = BiometricPolicy.deviceOwnerAuthenticationWithBiometrics,
    ownerPolicy = BiometricPolicy.deviceOwnerAuthentication
private let message = Array("challenge".utf8)
private let tag = try! DeviceKeyTag("com.example.biometric.1")
private let quiet: Void = TPM.quietLibrary()

enum KeyBackend: CaseIterable, CustomTestStringConvertible {
    case software, tpm

    static let testable = SoftwareTPM.program == nil ? [software] : allCases
    var testDescription: String { self == .tpm ? "TPM" : "software" }
}

/// The same guarantees for every key provider.
@Suite struct KeyProviderTests {
    private struct Rig {
        let device: Device
        let authenticator: FaceLocalAuthenticator
        let machine: SoftwareTPM?

        var folder: String { device.scratch("device-keys").path }

        /// The keys after a restart.
        var keys: any DeviceKeyProvider {
            let authenticator = device.authenticator()
            guard let machine else {
                return SoftwareKeyProvider(
                    folder: folder, keyPath: device.keyPath, authenticator: authenticator)
            }
            return TPMKeyProvider(
                tpm: TPM(address: machine.address), folder: folder, keyPath: device.keyPath,
                authenticator: authenticator)
        }

        func sign(_ policy: BiometricPolicy = biometrics) async throws -> [UInt8] {
            try await keys.sign(
                message, tag: tag, unlocking: UnlockPrompt(reason: "sign in", policy: policy))
        }

        var files: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }
                    .sorted()
            }
        }
    }

    private func with(_ backend: KeyBackend, _ body: (Rig) async throws -> Void) async throws {
        _ = quiet
        let device = try Device(), authenticator = try await device.enrolled()
        switch backend {
        case .software:
            try await body(Rig(device: device, authenticator: authenticator, machine: nil))
        case .tpm:
            try await SoftwareTPM.run {
                try await body(Rig(device: device, authenticator: authenticator, machine: $0))
            }
        }
    }

    private func isRight(_ signature: [UInt8], _ key: DevicePublicKey) throws -> Bool {
        key.isValid(signature, over: message)
    }

    @Test(arguments: KeyBackend.testable)
    func `a key is created without a prompt, signs after a passed check, and is gone when deleted`(
        backend: KeyBackend
    ) async throws {
        try await with(backend) { rig throws in
            let key = try await rig.keys.makeKey(tag: tag, protection: .biometryAny)
            #expect(await rig.device.person.faceRequests.isEmpty)
            #expect(try await rig.keys.publicKey(tag: tag) == key)
            try await rig.device.person.shows(1)
            #expect(try isRight(await rig.sign(), key))
            let other = try DeviceKeyTag("a.b")
            #expect(try await rig.keys.makeKey(tag: other, protection: .userPresence) != key)
            #expect(try await rig.keys.listTags() == [other, tag])
            await #expect(throws: DeviceError(.tagInUse, "")) {
                try await rig.keys.makeKey(tag: tag, protection: .biometryAny)
            }
            try await rig.keys.deleteKey(tag: tag)
            try await rig.keys.deleteKey(tag: tag)
            #expect(try await rig.keys.listTags() == [other])
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await rig.keys.publicKey(tag: tag)
            }
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await rig.sign()
            }
        }
    }

    @Test(arguments: KeyBackend.testable)
    func `without a passed check nothing is signed`(backend: KeyBackend) async throws {
        try await with(backend) { rig throws in
            _ = try await rig.keys.makeKey(tag: tag, protection: .biometryCurrentSet)
            await #expect(throws: DeviceError(.cancel, "")) { try await rig.sign() }
            try await rig.device.person.shows(2, times: 3)
            await #expect(throws: DeviceError(.notRecognized, "")) { try await rig.sign() }
            try await rig.device.person.shows(2, times: 3)
            await #expect(throws: DeviceError(.biometricLockout, "")) { try await rig.sign() }
            #expect(try await rig.keys.listTags() == [tag], "a failed check deletes no key")
        }
    }

    @Test(arguments: KeyBackend.testable)
    func
        `a key for biometrics only never accepts the passcode, whatever the prompt says; a presence key does if allowed`(
            backend: KeyBackend
        ) async throws
    {
        try await with(backend) { rig throws in
            for protection in [BiometricAccessConstraint.biometryAny, .biometryCurrentSet] {
                _ = try await rig.keys.makeKey(tag: tag, protection: protection)
                await rig.device.person.types(rightPIN)
                await rig.device.person.shows(.usePasscode)
                await #expect(throws: DeviceError(.cancel, "")) { try await rig.sign(ownerPolicy) }
                try await rig.keys.deleteKey(tag: tag)
            }
            #expect(await rig.device.person.passcodeRequests.isEmpty)
            let key = try await rig.keys.makeKey(tag: tag, protection: .userPresence)
            await rig.device.person.shows(.usePasscode)
            await #expect(throws: DeviceError(.cancel, "")) { try await rig.sign(biometrics) }
            await rig.device.person.shows(.usePasscode)
            #expect(try isRight(await rig.sign(ownerPolicy), key))
            try await rig.device.person.shows(1)
            #expect(try isRight(await rig.sign(biometrics), key))
        }
    }

    @Test(arguments: KeyBackend.testable, BiometricAccessConstraint.allCases)
    func `a key that accepts the passcode is unlocked by it under every constraint, and says so`(
        backend: KeyBackend, constraint: BiometricAccessConstraint
    ) async throws {
        try await with(backend) { rig throws in
            let key = try await rig.keys.makeKey(
                tag: tag, protection: constraint, policy: ownerPolicy)
            func unlock(_ policy: BiometricPolicy) async throws -> LocalVerdict.Method {
                let unlocked = try await rig.keys.unlock(
                    tag: tag, UnlockPrompt(reason: "sign in", policy: policy))
                #expect(try isRight(await unlocked.sign(message), key))
                return unlocked.method
            }
            try await rig.device.person.shows(1)
            #expect(try await unlock(ownerPolicy) == .face)
            // The person chooses the passcode, is not recognized, or is locked out.
            await rig.device.person.shows(.usePasscode)
            await rig.device.person.types(rightPIN)
            #expect(try await unlock(ownerPolicy) == .passcode)
            try await rig.device.person.shows(2, times: 3)
            await rig.device.person.types(rightPIN)
            #expect(try await unlock(ownerPolicy) == .passcode)
            try await rig.device.person.shows(2, times: 3)
            await #expect(throws: DeviceError(.notRecognized, "")) { try await unlock(biometrics) }
            try await rig.device.person.shows(2, times: 3)
            await #expect(throws: DeviceError(.biometricLockout, "")) {
                try await unlock(biometrics)
            }
            await rig.device.person.types(rightPIN)
            #expect(try await unlock(ownerPolicy) == .passcode)
            // The prompt may still ask for biometrics only.
            await rig.device.person.shows(.usePasscode)
            await #expect(throws: DeviceError(.cancel, "")) { try await unlock(biometrics) }
            try await rig.device.person.shows(1)
            #expect(try await unlock(biometrics) == .face)
            // A wrong passcode unlocks nothing.
            await rig.device.person.shows(.usePasscode)
            await rig.device.person.types(Sensitive("000001"), Sensitive("000002"), nil)
            await #expect(throws: DeviceError(.cancel, "")) { try await unlock(ownerPolicy) }
        }
    }

    @Test(arguments: KeyBackend.testable, BiometricAccessConstraint.allCases)
    func `without an enrolled face, a key that accepts the passcode is created and used with it`(
        backend: KeyBackend, constraint: BiometricAccessConstraint
    ) async throws {
        try await with(backend) { rig throws in
            try await rig.authenticator.removeFace(passcode: rightPIN)
            let key = try await rig.keys.makeKey(
                tag: tag, protection: constraint, policy: ownerPolicy)
            await rig.device.person.types(rightPIN)
            #expect(try isRight(await rig.sign(ownerPolicy), key))
            await #expect(throws: DeviceError(.biometricNoEnrollment, "")) { try await rig.sign() }
            // A face enrolled later unlocks what is not bound to the earlier enrollment.
            try await rig.authenticator.enroll(shown(1), passcode: rightPIN)
            try await rig.device.person.shows(1)
            if constraint == .biometryCurrentSet {
                await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                    try await rig.sign(ownerPolicy)
                }
            } else {
                #expect(try isRight(await rig.sign(ownerPolicy), key))
            }
        }
    }

    @Test(arguments: KeyBackend.testable, [1, 2, nil])
    func `another enrollment, even of the same face, ends only keys of the current set`(
        backend: KeyBackend, next: Int?
    ) async throws {
        try await with(backend) { rig throws in
            let lasting = [BiometricAccessConstraint.biometryAny, .userPresence]
            _ = try await rig.keys.makeKey(tag: tag, protection: .biometryCurrentSet)
            for protection in lasting {
                _ = try await rig.keys.makeKey(
                    tag: DeviceKeyTag(protection.rawValue), protection: protection)
            }
            let kept = try rig.files.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: "\(rig.folder)/\($0)")))
            }
            if let next {
                try await rig.authenticator.enroll(shown(next), passcode: rightPIN)
            } else {
                try await rig.authenticator.removeFace(passcode: rightPIN)
            }
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await rig.sign()
            }
            #expect(
                await rig.device.person.faceRequests.isEmpty,
                "a key that is gone causes no prompt")
            #expect(try await rig.keys.listTags().map(\.text) == lasting.map(\.rawValue))
            // Restoring its record does not help.
            for (name, bytes) in kept {
                try bytes.write(to: URL(fileURLWithPath: "\(rig.folder)/\(name)"))
            }
            try await rig.device.person.shows(next ?? 1)
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await rig.sign()
            }
            if let next {
                for protection in lasting {
                    try await rig.device.person.shows(next)
                    let named = try DeviceKeyTag(protection.rawValue),
                        key = try await rig.keys.publicKey(tag: named)
                    #expect(
                        try isRight(
                            await rig.keys.sign(
                                message, tag: named, unlocking: UnlockPrompt(reason: "")), key))
                }
            }
        }
    }

    @Test(arguments: KeyBackend.testable)
    func `a key is also gone if the face is enrolled again during the prompt`(backend: KeyBackend)
        async throws
    {
        try await with(backend) { rig throws in
            _ = try await rig.keys.makeKey(tag: tag, protection: .biometryCurrentSet)
            try await rig.device.person.shows(2)
            let device = rig.device
            await device.person.before {
                try await device.authenticator().enroll(shown(2), passcode: rightPIN)
            }
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await rig.sign()
            }
            #expect(try await rig.keys.listTags() == [])
        }
    }

    @Test(arguments: KeyBackend.testable)
    func `a key deleted during the prompt does not sign`(backend: KeyBackend) async throws {
        try await with(backend) { rig throws in
            _ = try await rig.keys.makeKey(tag: tag, protection: .biometryAny)
            try await rig.device.person.shows(1)
            let keys = rig.keys
            await rig.device.person.before { try await keys.deleteKey(tag: tag) }
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await rig.sign()
            }
        }
    }

    @Test(arguments: KeyBackend.testable)
    func `a canceled task gets no signature`(backend: KeyBackend) async throws {
        try await with(backend) { rig throws in
            _ = try await rig.keys.makeKey(tag: tag, protection: .biometryAny)
            try await rig.device.person.shows(1)
            await rig.device.person.before { withUnsafeCurrentTask { $0?.cancel() } }
            let task = Task { try await rig.sign() }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(arguments: KeyBackend.testable)
    func `a key is created only if its check is set up`(backend: KeyBackend) async throws {
        try await with(backend) { rig throws in
            try await rig.authenticator.removeFace(passcode: rightPIN)
            for protection in [BiometricAccessConstraint.biometryAny, .biometryCurrentSet] {
                await #expect(throws: DeviceError(.biometricNoEnrollment, "")) {
                    try await rig.keys.makeKey(tag: tag, protection: protection)
                }
            }
            _ = try await rig.keys.makeKey(tag: tag, protection: .userPresence)
            try await rig.authenticator.reset()
            await #expect(throws: DeviceError(.biometricNoPasscode, "")) {
                try await rig.keys.makeKey(tag: DeviceKeyTag("other"), protection: .userPresence)
            }
            #expect(try await rig.keys.listTags() == [tag])
        }
    }

    @Test(arguments: KeyBackend.testable)
    func `after a reset no old key can be unlocked`(backend: KeyBackend) async throws {
        try await with(backend) { rig throws in
            _ = try await rig.keys.makeKey(tag: tag, protection: .userPresence)
            try await rig.authenticator.reset()
            try await rig.authenticator.setPasscode(DevicePIN(rightPIN))
            await rig.device.person.types(rightPIN)
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await rig.sign(ownerPolicy)
            }
            #expect(try await rig.keys.listTags() == [])
        }
    }

    @Test(arguments: KeyBackend.testable)
    func
        `a record is private, reveals no tag, and is refused if changed or renamed`(
            backend: KeyBackend
        ) async throws
    {
        try await with(backend) { rig throws in
            _ = try await rig.keys.makeKey(tag: tag, protection: .biometryAny)
            let name = try #require(try rig.files.first), path = "\(rig.folder)/\(name)"
            let mode =
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                as? NSNumber
            #expect(mode?.intValue == 0o600 && !name.contains("example"))
            let good = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(good.range(of: Data("example".utf8)) == nil)
            for index in stride(from: 0, to: good.count, by: 61) {
                var bad = good
                bad[index] ^= 0x04
                try bad.write(to: URL(fileURLWithPath: path))
                await #expect(throws: DeviceError(.storage, "")) {
                    try await rig.keys.publicKey(tag: tag)
                }
            }
            let other = try DeviceKeyTag("other")
            try good.write(to: URL(fileURLWithPath: path))
            _ = try await rig.keys.makeKey(tag: other, protection: .userPresence)
            let others = try #require(try rig.files.first { $0 != name })
            try good.write(to: URL(fileURLWithPath: "\(rig.folder)/\(others)"))
            await #expect(throws: DeviceError(.storage, "")) {
                try await rig.keys.publicKey(tag: other)
            }
        }
    }

    @Test(arguments: KeyBackend.testable)
    func `signed requests are valid for the server`(backend: KeyBackend) async throws {
        try await with(backend) { rig throws in
            let key = try await rig.keys.makeKey(tag: tag, protection: .biometryAny)
            let signer = try await rig.keys.signer(
                tag: tag, unlocking: UnlockPrompt(reason: "sign in"))
            try await rig.device.person.shows(1)
            let text = try await JWS.sign(
                header: ["typ": .string("test")], payload: message, with: signer)
            let parts = text.split(separator: ".").map(String.init)
            #expect(parts.count == 3 && signer.publicKey == key)
            #expect(
                key.isValid(
                    try #require(Base64URL.decode(parts[2])),
                    over: Array("\(parts[0]).\(parts[1])".utf8)))
            await #expect(throws: DeviceError(.cancel, "")) { try await signer.sign(message) }
        }
    }

    @Test(arguments: KeyBackend.testable)
    func `many simultaneous signatures each need one face check`(backend: KeyBackend) async throws {
        try await with(backend) { rig throws in
            let key = try await rig.keys.makeKey(tag: tag, protection: .biometryAny),
                keys = rig.keys
            try await rig.device.person.shows(1, times: 12)
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await keys.sign(message, tag: tag, unlocking: UnlockPrompt(reason: ""))
                    }
                }
                for try await signature in group { #expect(try isRight(signature, key)) }
            }
        }
    }
}

@Suite(.enabled(if: SoftwareTPM.program != nil, Comment(rawValue: SoftwareTPM.missing)))
struct TPMKeyProviderTests {
    private func provider(_ device: Device, _ machine: SoftwareTPM) -> TPMKeyProvider {
        TPMKeyProvider(
            tpm: TPM(address: machine.address), folder: device.scratch("device-keys").path,
            keyPath: device.keyPath,
            authenticator: device.authenticator())
    }

    @Test func `a key does not sign on another machine even if all files are copied`() async throws
    {
        _ = quiet
        let device = try Device()
        _ = try await device.enrolled()
        try await SoftwareTPM.run { machine throws in
            _ = try await provider(device, machine).makeKey(tag: tag, protection: .biometryAny)
            try await SoftwareTPM.run { other throws in
                try await device.person.shows(1)
                await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                    try await provider(device, other).sign(
                        message, tag: tag, unlocking: UnlockPrompt(reason: ""))
                }
            }
            // The original machine is not affected.
            try await device.person.shows(1)
            #expect(
                try await provider(device, machine).sign(
                    message, tag: tag, unlocking: UnlockPrompt(reason: "")
                ).count == 64)
        }
    }

    @Test func `a key is not deleted while the TPM does not respond`() async throws {
        _ = quiet
        let device = try Device()
        _ = try await device.enrolled()
        try await SoftwareTPM.run { machine throws in
            let keys = provider(device, machine)
            _ = try await keys.makeKey(tag: tag, protection: .biometryAny)
            await machine.stop()
            try await device.person.shows(1)
            await #expect(throws: DeviceError(.hardware, "")) {
                try await keys.sign(message, tag: tag, unlocking: UnlockPrompt(reason: ""))
            }
            try await machine.restart()
            try await device.person.shows(1)
            #expect(
                try await keys.sign(message, tag: tag, unlocking: UnlockPrompt(reason: "")).count
                    == 64)
        }
    }
}
