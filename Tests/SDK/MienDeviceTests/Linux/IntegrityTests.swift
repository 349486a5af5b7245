import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienHardware
import MienKeys
import MienTesting
import MienVault
import Testing

/// The policy; `IntegrityCommandTests` looks at real tracers and real preloads.
@Suite struct IntegrityTests {
    private static func found(_ present: IntegritySignal...) -> @Sendable () -> [IntegrityFinding] {
        {
            IntegritySignal.allCases.map {
                IntegrityFinding($0, isPresent: present.contains($0), detail: "\($0.rawValue).")
            }
        }
    }

    @Test func `a policy refuses the signals that it names, and no others`() {
        for refused in IntegritySignal.allCases {
            for present in IntegritySignal.allCases {
                let policy = IntegrityPolicy(refusing: [refused], inspect: Self.found(present))
                if refused == present {
                    let error = #expect(throws: FaceAuthError.self) { try policy.check() }
                    #expect(
                        error?.code == .tampered
                            && error?.reason.contains("\(present.rawValue).") == true)
                } else {
                    #expect(throws: Never.self) { try policy.check() }
                }
            }
        }
        #expect(IntegrityPolicy.report.refused.isEmpty)
        #expect(IntegrityPolicy.strict.refused == [.debugger, .preload])
    }

    @Test func `the service looks before each use, since a debugger may attach at any time`()
        async throws
    {
        let device = try Device(), ada = try PersonName("Ada"),
            id = try #require(CaptureID("cap_1"))
        let isTraced = Locked(false)
        let policy = IntegrityPolicy(refusing: [.debugger]) {
            [
                IntegrityFinding(
                    .debugger, isPresent: isTraced.withLock { $0 }, detail: "A process traces.")
            ]
        }
        let service = FaceAuthService(
            folder: device.folder, keyPath: device.keyPath, packID: pack, tpm: nil,
            cameras: { [] }, faceModes: nil, integrity: policy, files: POSIXFileSystem(),
            random: .system, machineID: { Array("machine".utf8) })
        try await service.enrollLive(1, as: ada)
        isTraced.withLock { $0 = true }
        func code(_ body: () async throws -> Void) async -> FaceAuthError.Code? {
            do {
                try await body()
                return nil
            } catch { return (error as? FaceAuthError)?.code }
        }
        #expect(
            await code {
                _ = try await service.verify(
                    ada, in: FrameArray([]), reader: Nobody(), matcher: matcher, capture: id)
            } == .tampered)
        #expect(await code { try await service.enrollLive(2, as: ada) } == .tampered)
        #expect(await code { try await service.enrollPhoto(2, as: ada) } == .tampered)
        #expect(await code { _ = try await service.enroller(reader: Nobody()) } == .tampered)
        await service.uninitialize()
        #expect(
            await code { try await service.initialize(frames: FaceFrames { FrameArray([]) }) }
                == .tampered)
        #expect(try await service.face(of: ada) == face(1), "nothing was replaced")
    }

    @Test func `a device key is neither made nor used while a debugger is attached`() async throws {
        let device = try Device(), tag = try DeviceKeyTag("a.key"), isTraced = Locked(false)
        _ = try await device.enrolled()
        let policy = Self.strict(isTraced)
        let keys = SoftwareKeyProvider(
            folder: device.scratch("device-keys").path, keyPath: device.keyPath,
            authenticator: device.authenticator(integrity: policy))
        _ = try await keys.makeKey(tag: tag, protection: .biometryCurrentSet)
        let prompt = UnlockPrompt(reason: "Sign in")
        func code(_ body: () async throws -> Void) async -> DeviceError.Code? {
            do {
                try await body()
                return nil
            } catch { return (error as? DeviceError)?.code }
        }
        isTraced.withLock { $0 = true }
        let other = try DeviceKeyTag("another.key")
        #expect(
            await code { _ = try await keys.makeKey(tag: other, protection: .biometryAny) }
                == .tampered)
        #expect(await code { _ = try await keys.unlock(tag: tag, prompt) } == .tampered)
        let authenticator = device.authenticator(integrity: policy)
        #expect(await code { _ = try await authenticator.authenticate(prompt) } == .tampered)
        #expect(
            await code {
                try await authenticator.setPasscode(
                    DevicePIN(Sensitive("9038")), replacing: rightPIN)
            } == .tampered)
        #expect(
            await code { try await authenticator.enroll(shown(2), passcode: rightPIN) }
                == .tampered)
        #expect(await device.person.faceRequests.isEmpty, "nobody was asked")
        isTraced.withLock { $0 = false }
        #expect(try await keys.listTags() == [tag], "the key is still there")

        // A debugger that attaches while the person is asked.
        try await device.person.shows(1)
        await device.person.before { isTraced.withLock { $0 = true } }
        #expect(await code { _ = try await keys.unlock(tag: tag, prompt) } == .tampered)
        isTraced.withLock { $0 = false }
        await device.person.before {}
        try await device.person.shows(1)
        #expect(try await keys.unlock(tag: tag, prompt).method == .face)
    }

    @Test func `a vault neither stores a token nor computes a code while a debugger is attached`()
        async throws
    {
        let device = try Device(), isTraced = Locked(false)
        let vault = OTPVault(
            folder: device.scratch("tokens").path, keyPath: device.keyPath,
            generationFolder: device.scratch("state").path, tpm: nil,
            integrity: Self.strict(isTraced), now: { device.clock.now }, uptime: { .now },
            files: POSIXFileSystem(), random: .system, cost: .init(memory: 8, passes: 1),
            machineID: { Array("machine".utf8) })
        func definition(_ id: String) throws -> OTPTokenDefinition {
            try OTPTokenDefinition(
                id: id, app: "app", server: "https://login.example.org", kind: .totp(TOTP()),
                signatureSuite: OCRASuite("OCRA-1:HOTP-SHA256-8:QH64"),
                secret: OTPSecret(bytes: [UInt8](repeating: 7, count: 32)))
        }
        try await vault.keep(definition("aut_1"), pin: DevicePIN(rightPIN))
        let pin = OTPTokenInput.pin(try PINInput(rightPIN))
        func code(_ body: () async throws -> Void) async -> OTPTokenError.Code? {
            do {
                try await body()
                return nil
            } catch { return (error as? OTPTokenError)?.code }
        }
        isTraced.withLock { $0 = true }
        #expect(await code { _ = try await vault.code(of: "aut_1", with: pin) } == .tampered)
        #expect(
            await code { try await vault.keep(definition("aut_2"), pin: DevicePIN(rightPIN)) }
                == .tampered)
        #expect(
            await code { _ = try await vault.registrationKey(for: Sensitive("otc_1")) }
                == .tampered)
        isTraced.withLock { $0 = false }
        #expect(try await vault.tokens().map(\.id) == ["aut_1"])
        #expect(try await vault.code(of: "aut_1", with: pin).text.count == 6)
        isTraced.withLock { $0 = true }
        try await vault.reset()
    }

    /// The strict policy on a machine where a debugger comes and goes.
    private static func strict(_ isTraced: Locked<Bool>) -> IntegrityPolicy {
        IntegrityPolicy(refusing: IntegrityPolicy.strict.refused) {
            [
                IntegrityFinding(
                    .debugger, isPresent: isTraced.withLock { $0 }, detail: "A process traces.")
            ]
        }
    }
}

private struct Nobody: LiveFaceReader {
    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        .made(nil, index: index, at: frame.time)
    }
    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry { try face(1).entries[0] }
}
