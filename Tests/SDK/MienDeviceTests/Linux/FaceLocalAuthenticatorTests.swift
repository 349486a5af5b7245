import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienTesting
import MienVault
import Testing

private let biometrics = BiometricPolicy.deviceOwnerAuthenticationWithBiometrics,
    ownerPolicy = BiometricPolicy.deviceOwnerAuthentication

@Suite struct FaceLocalAuthenticatorTests {
    private func expect(
        _ code: DeviceError.Code, _ authenticator: FaceLocalAuthenticator, _ policy: BiometricPolicy
    ) async {
        await #expect(throws: DeviceError(code, "")) {
            try await authenticator.authenticate(reason: "sign in", policy: policy)
        }
    }

    @Test func `a new device requires a passcode, then a face, and the error says which`()
        async throws
    {
        let device = try Device(), authenticator = device.authenticator()
        await expect(.biometricNoPasscode, authenticator, biometrics)
        await expect(.biometricNoPasscode, authenticator, ownerPolicy)
        await #expect(throws: DeviceError(.biometricNoPasscode, "")) {
            try await authenticator.enroll(shown(1), passcode: rightPIN)
        }
        try await authenticator.setPasscode(DevicePIN(rightPIN))
        await expect(.biometricNoEnrollment, authenticator, biometrics)
        await #expect(throws: DeviceError(.wrongPasscode, "")) {
            try await authenticator.enroll(shown(1), passcode: wrongPIN)
        }
        #expect(try await !authenticator.capability().isEnrolled)
        try await authenticator.enroll(shown(1), passcode: rightPIN)
        #expect(
            try await authenticator.capability()
                == BiometricCapability(
                    isSupported: true, isEnrolled: true, isPasscodeSet: true, isLockedOut: false))
        #expect(await device.person.faceRequests.isEmpty)
    }

    @Test
    func
        `the enrolled face passes with its enrollment and time; a stranger fails three times`()
        async throws
    {
        let device = try Device(), authenticator = try await device.enrolled()
        try await device.person.shows(1)
        let verdict = try await authenticator.authenticate(reason: "sign in", policy: biometrics)
        #expect(
            try await verdict
                == LocalVerdict(
                    method: .face, generation: authenticator.enrollmentGeneration(),
                    at: device.clock.now))
        try await device.person.shows(2, times: 9)
        await expect(.notRecognized, authenticator, biometrics)
        #expect(await device.person.faceRequests.map(\.triesLeft) == [3, 3, 2, 1])
        #expect(
            await device.person.faceRequests.allSatisfy {
                $0.reason == "sign in" && !$0.mayUsePasscode
            })
    }

    @Test
    func
        `five strangers in a row lock the face, even the right one, until the passcode is entered`()
        async throws
    {
        let device = try Device(), authenticator = try await device.enrolled()
        try await device.person.shows(2, times: 9)
        await expect(.notRecognized, authenticator, biometrics)
        await expect(.biometricLockout, authenticator, biometrics)
        #expect(
            await device.person.faceRequests.count == 6, "the sixth is requested but not judged")
        #expect(try await authenticator.capability().isLockedOut)
        try await device.person.shows(1)
        await expect(.biometricLockout, device.authenticator(), biometrics)
        #expect(
            await device.person.faceRequests.count == 6, "no face is requested while it is locked")
        await device.person.types(rightPIN)
        #expect(
            try await authenticator.authenticate(reason: "", policy: ownerPolicy).method
                == .passcode)
        #expect(
            try await authenticator.authenticate(reason: "", policy: biometrics).method == .face)
    }

    @Test func `a right face resets the count of wrong ones`() async throws {
        let device = try Device(), authenticator = try await device.enrolled()
        for _ in 0..<4 {
            await device.person.shows(.face(try shown(2)), .face(try shown(3)), .face(try shown(1)))
            #expect(
                try await authenticator.authenticate(reason: "", policy: biometrics).method == .face
            )
        }
    }

    @Test func `with biometrics alone, the passcode is never requested`() async throws {
        let device = try Device(), authenticator = try await device.enrolled()
        await device.person.types(rightPIN, rightPIN, rightPIN)
        await device.person.shows(.usePasscode)
        await expect(.cancel, authenticator, biometrics)
        await device.person.shows(.cancelled)
        await expect(.cancel, authenticator, biometrics)
        try await device.person.shows(2, times: 9)
        await expect(.notRecognized, authenticator, biometrics)
        await expect(.biometricLockout, authenticator, biometrics)
        #expect(await device.person.passcodeRequests.isEmpty)
    }

    @Test
    func
        `with the owner's policy, the passcode follows a declined or unknown face, but not a cancellation`()
        async throws
    {
        let device = try Device(), authenticator = try await device.enrolled()
        await device.person.types(rightPIN)
        await device.person.shows(.usePasscode)
        #expect(
            try await authenticator.authenticate(reason: "", policy: ownerPolicy).method
                == .passcode)
        await device.person.types(wrongPIN, rightPIN)
        try await device.person.shows(2, times: 3)
        #expect(
            try await authenticator.authenticate(reason: "", policy: ownerPolicy).method
                == .passcode)
        #expect(await device.person.passcodeRequests.map(\.triesLeft) == [3, 3, 2])
        await device.person.types(rightPIN)
        await device.person.shows(.cancelled)
        await expect(.cancel, authenticator, ownerPolicy)
        #expect(await device.person.faceRequests.allSatisfy(\.mayUsePasscode))
    }

    @Test func `five wrong passcodes lock for a minute each, twenty permanently, for every caller`()
        async throws
    {
        let device = try Device(), authenticator = try await device.enrolled()
        for _ in 0..<5 {
            await #expect(throws: DeviceError(.wrongPasscode, "")) {
                try await authenticator.removeFace(passcode: wrongPIN)
            }
        }
        for wrong in 5..<20 {
            await #expect(throws: DeviceError(.passcodeLockout, ""), "\(wrong)") {
                try await authenticator.removeFace(passcode: rightPIN)
            }
            device.clock.pass(59)
            await #expect(throws: DeviceError(.passcodeLockout, "")) {
                try await device.authenticator().removeFace(passcode: rightPIN)
            }
            device.clock.pass(1)
            await #expect(throws: DeviceError(.wrongPasscode, "")) {
                try await authenticator.removeFace(passcode: wrongPIN)
            }
        }
        device.clock.pass(1_000_000)
        await #expect(throws: DeviceError(.passcodeLockout, "")) {
            try await authenticator.removeFace(passcode: rightPIN)
        }
        try await authenticator.reset()
        #expect(
            try await authenticator.capability()
                == BiometricCapability(
                    isSupported: true, isEnrolled: false, isPasscodeSet: false, isLockedOut: false))
    }

    @Test func `a right passcode resets the count of wrong ones`() async throws {
        let device = try Device(), authenticator = try await device.enrolled()
        for _ in 0..<6 {
            await device.person.shows(.usePasscode)
            await device.person.types(wrongPIN, wrongPIN, rightPIN)
            #expect(
                try await authenticator.authenticate(reason: "", policy: ownerPolicy).method
                    == .passcode)
        }
    }

    @Test func `changing the passcode needs the old one`() async throws {
        let device = try Device(), authenticator = try await device.enrolled()
        await #expect(throws: DeviceError(.wrongPasscode, "")) {
            try await authenticator.setPasscode(DevicePIN(wrongPIN))
        }
        await #expect(throws: DeviceError(.wrongPasscode, "")) {
            try await authenticator.setPasscode(DevicePIN(wrongPIN), replacing: wrongPIN)
        }
        try await authenticator.setPasscode(DevicePIN(wrongPIN), replacing: rightPIN)
        await #expect(throws: DeviceError(.wrongPasscode, "")) {
            try await authenticator.removeFace(passcode: rightPIN)
        }
        try await authenticator.removeFace(passcode: wrongPIN)
    }

    @Test func `enrollment, passcode, and counters survive a restart`() async throws {
        let device = try Device()
        let generation = try await device.enrolled().enrollmentGeneration()
        try await device.person.shows(2, times: 9)
        await expect(.notRecognized, device.authenticator(), biometrics)
        #expect(try await device.authenticator().enrollmentGeneration() == generation)
        await expect(.biometricLockout, device.authenticator(), biometrics)
    }

    @Test func `each change of the enrollment creates a generation, and a failed one does not`()
        async throws
    {
        let device = try Device(), authenticator = device.authenticator()
        var seen = [try await authenticator.enrollmentGeneration()]
        try await authenticator.setPasscode(DevicePIN(rightPIN))
        #expect(try await authenticator.enrollmentGeneration() == seen[0])
        for person in [1, 1, 2] {
            try await authenticator.enroll(shown(person), passcode: rightPIN)
            seen.append(try await authenticator.enrollmentGeneration())
        }
        try? await authenticator.enroll(shown(3), passcode: wrongPIN)
        #expect(try await authenticator.enrollmentGeneration() == seen[3])
        try await authenticator.removeFace(passcode: rightPIN)
        seen.append(try await authenticator.enrollmentGeneration())
        try await authenticator.reset()
        seen.append(try await authenticator.enrollmentGeneration())
        #expect(Set(seen).count == seen.count)
    }

    @Test
    func `a task canceled while a face is shown gets no verdict, and no face is judged`()
        async throws
    {
        let device = try Device(), authenticator = try await device.enrolled()
        for shown in [1, 2] {
            try await device.person.shows(shown, times: 3)
            await device.person.before { withUnsafeCurrentTask { $0?.cancel() } }
            let task = Task { try await authenticator.authenticate(reason: "", policy: biometrics) }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        await device.person.before {}
        await device.person.shows(.face(try shown(2)), .face(try shown(2)))
        await expect(.cancel, authenticator, biometrics)
        await device.person.shows(.face(try shown(2)), .face(try shown(2)), .face(try shown(1)))
        #expect(
            try await authenticator.authenticate(reason: "", policy: biometrics).method == .face,
            "four of five wrong ones, not seven")
    }

    @Test func `the old face does not pass if a new one is enrolled while it is shown`()
        async throws
    {
        let device = try Device(), authenticator = try await device.enrolled()
        try await device.person.shows(1)
        await device.person.before {
            try await device.authenticator().enroll(shown(2), passcode: rightPIN)
        }
        await expect(.cancel, authenticator, biometrics)
    }

    @Test func `a face of another model pack is refused and does not count as a guess`()
        async throws
    {
        let device = try Device(), authenticator = try await device.enrolled()
        for _ in 0..<6 {
            await device.person.shows(.face(try shown(1, pack: PackID("other"))))
            await expect(.otherModelPack, authenticator, biometrics)
        }
        #expect(try await !authenticator.capability().isLockedOut)
    }

    @Test func `many simultaneous strangers get no more than five tries in a row`() async throws {
        let device = try Device(), authenticator = try await device.enrolled()
        try await device.person.shows(2, times: 100)
        let codes = await withTaskGroup(of: DeviceError.Code?.self) { group in
            for i in 0..<12 {
                let one = i % 2 == 0 ? authenticator : device.authenticator()
                group.addTask {
                    do { _ = try await one.authenticate(reason: "", policy: biometrics) } catch {
                        return (error as? DeviceError)?.code
                    }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            codes.allSatisfy { $0 == .notRecognized || $0 == .biometricLockout }
                && codes.contains(.biometricLockout))
        try await device.person.shows(1)
        await expect(.biometricLockout, authenticator, biometrics)
    }

    @Test func `a try that could not be counted is not judged, at any disk failure`() async throws {
        let original = try Device()
        _ = try await original.enrolled()
        var isDone = false, calls = 0
        while !isDone {
            let device = try Device(copyOf: original)
            let files = FailingFiles(after: calls), failing = device.authenticator(files: files)
            try await device.person.shows(2, times: 3)
            let strangers = await Result {
                try await failing.authenticate(reason: "", policy: biometrics)
            }
            #expect(throws: DeviceError.self) { try strangers.get() }
            // After the crash, every judged try is counted, and possibly the one in progress.
            let asked = await device.person.faceRequests.count
            let judged = files.hasFailed ? max(0, asked - 1) : asked
            try await device.person.shows(2, times: 5 - judged)
            for _ in 0..<2 {
                _ = try? await device.authenticator().authenticate(reason: "", policy: biometrics)
            }
            #expect(
                try await device.authenticator().capability().isLockedOut, "failed at call \(calls)"
            )
            isDone = !files.hasFailed
            calls += Thoroughness.step(5)
            try #require(calls < 500)
        }
        #expect(calls > 20, "there was something to fail")
    }

    @Test func `an interrupted change leaves either the old or the new face complete`() async throws
    {
        let original = try Device(), before = try await original.enrolled().enrollmentGeneration()
        var isDone = false, calls = 0
        while !isDone {
            let device = try Device(copyOf: original)
            let files = FailingFiles(after: calls)
            let change = await Result {
                try await device.authenticator(files: files).enroll(shown(2), passcode: rightPIN)
            }
            let after = try await device.authenticator().enrollmentGeneration()
            try await device.person.shows(after == before ? 1 : 2)
            #expect(
                try await device.authenticator().authenticate(reason: "", policy: biometrics).method
                    == .face, "failed at call \(calls)")
            if case .success = change { #expect(after != before) }
            isDone = !files.hasFailed
            calls += Thoroughness.step(5)
            try #require(calls < 500)
        }
        #expect(calls > 20, "there was something to fail")
    }

    @Test func `its file is private, reveals nothing, and is refused if any bit changes`()
        async throws
    {
        let device = try Device(), authenticator = try await device.enrolled()
        let path = "\(device.folder)/authenticator.sealed"
        func mode(_ path: String) throws -> Int {
            (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as! NSNumber)
                .intValue
        }
        #expect(
            try mode(device.folder) == 0o700 && mode(path) == 0o600 && mode(device.keyPath) == 0o600
        )
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(
            good.range(of: Data("argon2".utf8)) == nil && good.range(of: Data("MIFT".utf8)) == nil)
        for index in stride(from: 0, to: good.count, by: 97) {
            var bad = good
            bad[index] ^= 0x10
            try bad.write(to: URL(fileURLWithPath: path))
            await #expect(throws: DeviceError(.storage, "")) {
                try await authenticator.capability()
            }
        }
        try good.write(to: URL(fileURLWithPath: path))
        #expect(try await authenticator.capability().isEnrolled)
        #expect(chmod(device.folder, 0o750) == 0)
        let error = await #expect(throws: DeviceError.self) { try await authenticator.capability() }
        #expect(error?.code == .storage && error?.reason.contains("chmod 700") == true)
    }

    @Test func `a state without its key file is not treated as new`() async throws {
        let device = try Device()
        _ = try await device.enrolled()
        try FileManager.default.removeItem(atPath: device.keyPath)
        await #expect(throws: DeviceError(.storage, "")) {
            try await device.authenticator().capability()
        }
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
