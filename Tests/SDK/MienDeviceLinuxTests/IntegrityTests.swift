import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienSealing
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
}

private struct Nobody: LiveFaceReader {
    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        .made(nil, index: index, at: frame.time)
    }
    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry { try face(1).entries[0] }
}
