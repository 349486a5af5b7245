import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienHardware
import MienKeys
import MienMedia
import MienTesting
import MienVault
import Synchronization
import Testing

private let ada = try! PersonName("Ada"), bob = try! PersonName("Bob")
private let quiet: Void = TPM.quietLibrary()

/// A machine: its files, its id, its cameras, and possibly its TPM.
private struct Machine {
    let scratch: ScratchFolder
    var id = "machine one"
    var tpm: String?
    var cameras = [
        Camera(name: "USB Camera", path: "/dev/video0"), Camera(name: "Front", path: "/dev/video2"),
    ]
    var faceModes: (any FaceModeHolder)?
    var files: any FileSystem = POSIXFileSystem()
    var licensing: LicensePolicy?

    init(tpm: SoftwareTPM? = nil) throws {
        _ = quiet
        (scratch, self.tpm) = (try ScratchFolder(), tpm?.address)
    }

    /// Copies the files to another machine.
    func copied(to id: String, tpm: SoftwareTPM? = nil) throws -> Machine {
        var copy = try Machine(tpm: tpm)
        copy.id = id
        for name in ["face", "keys"] {
            try FileManager.default.copyItem(at: scratch(name), to: copy.scratch(name))
        }
        return copy
    }

    var binding: URL { scratch("face/binding.sealed") }
    var key: URL { scratch("keys/device.key") }

    /// The service after a restart: only the files are shared.
    var service: FaceAuthService {
        let (id, cameras) = (id, cameras)
        return FaceAuthService(
            folder: scratch("face").path, keyPath: key.path, packID: pack,
            tpm: tpm.map { TPM(address: $0) }, cameras: { cameras },
            faceModes: faceModes, licensing: licensing, files: files, random: .system,
            hasher: PasswordHasher(cost: .init(memory: 8, passes: 1)),
            machineID: { Array(id.utf8) })
    }
}

private func code(_ body: () async throws -> Void) async -> FaceAuthError.Code? {
    do {
        try await body()
        return nil
    } catch { return (error as? FaceAuthError)?.code }
}

@Suite struct FaceAuthServiceTests {
    // MARK: Cameras

    @Test func `the front camera is selected, or the named one`() async throws {
        let service = try Machine().service
        #expect(await service.isSupported())
        #expect(await !service.isInitialized)
        #expect(try await service.initialize().name == "Front")
        #expect(await service.isInitialized)
        #expect(await code { try await service.initialize() } == .alreadyInitialized)
        await service.uninitialize()
        let asked = Mutex<[String]>([])
        let camera = try await service.initialize { names in
            asked.withLock { $0 = names }
            return "usb camera"
        }
        #expect(camera.path == "/dev/video0" && asked.withLock { $0 } == ["USB Camera", "Front"])
    }

    @Test func `a wrong camera name and a missing camera are errors`() async throws {
        var machine = try Machine()
        let service = machine.service
        let error = await #expect(throws: FaceAuthError.self) {
            try await service.initialize { _ in "Rear" }
        }
        #expect(error?.code == .invalidCameraName && error?.reason.contains("“USB Camera”") == true)
        #expect(await code { _ = try await service.openCamera() } == .notInitialized)
        machine.cameras = []
        #expect(await !machine.service.isSupported())
        #expect(await code { try await machine.service.initialize() } == .noCamera)
    }

    // MARK: People

    @Test func `several people persist over restarts and are removed one by one or all at once`()
        async throws
    {
        let machine = try Machine()
        #expect(try await !machine.service.isConfigured())
        try await machine.service.enrollPhoto(1, as: ada)
        try await machine.service.enrollPhoto(2, as: bob)
        #expect(try await machine.service.people() == [ada, bob])
        #expect(try await machine.service.face(of: bob) == face(2))
        try await machine.service.unenroll(ada)
        #expect(try await machine.service.people() == [bob])
        #expect(await code { try await machine.service.unenroll(ada) } == .notEnrolled)
        #expect(await code { _ = try await machine.service.face(of: ada) } == .notEnrolled)
        try await machine.service.reset()
        #expect(try await !machine.service.isConfigured())
        try await machine.service.enrollPhoto(3, as: ada)
        #expect(try await machine.service.face(of: ada) == face(3))
    }

    @Test func `a face of another model pack is refused`() async throws {
        let service = try Machine().service
        #expect(
            await code {
                try await service.ready().enroll(face(1, pack: PackID("other")), as: ada)
            }
                == .otherModelPack)
    }

    @Test func `simultaneous first uses agree on one key`() async throws {
        let machine = try Machine()
        let names = try (0..<8).map { try PersonName("person \($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, name) in names.enumerated() {
                let service = machine.service
                group.addTask { try await service.enrollPhoto(number, as: name) }
            }
            try await group.waitForAll()
        }
        #expect(try await machine.service.people() == names)
    }

    // MARK: Face modes

    private actor Tokens: FaceModeHolder {
        private(set) var told: [String] = []
        private(set) var enrolled: [Int] = []
        private var fails = false
        private var service: FaceAuthService?

        func watch(_ service: FaceAuthService) { self.service = service }
        func fail(_ fails: Bool) { self.fails = fails }

        func deactivateFaceMode(of person: PersonName?) async throws {
            told.append(person?.text ?? "all")
            if let service { enrolled.append(try await service.people().count) }
            if fails { throw CancellationError() }
        }
    }

    @Test
    func
        `face modes end before a face is removed, and the face stays if they cannot end`()
        async throws
    {
        let tokens = Tokens()
        var machine = try Machine()
        machine.faceModes = tokens
        await tokens.watch(machine.service)
        let service = machine.service
        try await service.enrollPhoto(1, as: ada)
        #expect(await tokens.told.isEmpty, "a new person unlocks nothing yet")
        try await service.enrollPhoto(2, as: ada)
        try await service.enrollPhoto(3, as: bob)
        try await service.unenroll(bob)
        try await service.reset()
        #expect(await tokens.told == ["Ada", "Bob", "all"])
        #expect(await tokens.enrolled == [1, 2, 1], "told while the face was still there")

        try await service.enrollPhoto(1, as: ada)
        await tokens.fail(true)
        await #expect(throws: CancellationError.self) { try await service.unenroll(ada) }
        await #expect(throws: CancellationError.self) { try await service.enrollPhoto(4, as: ada) }
        await #expect(throws: CancellationError.self) { try await service.reset() }
        #expect(try await service.face(of: ada) == face(1))
    }

    // MARK: Bound to the machine

    @Test func `data copied to another machine cannot be opened, and the error gives the reason`()
        async throws
    {
        let machine = try Machine()
        try await machine.service.enrollPhoto(1, as: ada)
        #expect(try await machine.service.bindingSource() == .machine)
        let copy = try machine.copied(to: "machine two")
        let error = await #expect(throws: FaceAuthError.self) { try await copy.service.people() }
        #expect(
            error?.code == .otherDevice && error?.reason.contains("machine with another id") == true
        )
        #expect(await code { try await copy.service.initialize() } == .otherDevice)
        #expect(await code { try await copy.service.enrollPhoto(2, as: bob) } == .otherDevice)
        // A machine with the same id and the copied files counts as the same machine.
        let same = try machine.copied(to: machine.id)
        #expect(try await same.service.people() == [ada])
        try await copy.service.reset()
        try await copy.service.enrollPhoto(2, as: bob)
        #expect(try await copy.service.people() == [bob])
    }

    @Test
    func `data cannot be opened without its key file, with another one, or without its binding`()
        async throws
    {
        let machine = try Machine()
        try await machine.service.enrollPhoto(1, as: ada)
        let key = try Data(contentsOf: machine.key), binding = try Data(contentsOf: machine.binding)
        try FileManager.default.removeItem(at: machine.key)
        #expect(await code { _ = try await machine.service.people() } == .storage)
        try Data(repeating: 7, count: 32).write(to: machine.key)
        chmod(machine.key.path, 0o600)
        let other = await #expect(throws: FaceAuthError.self) { try await machine.service.people() }
        #expect(other?.reason.contains("another key file") == true)
        try key.write(to: machine.key)
        try FileManager.default.removeItem(at: machine.binding)
        let gone = await #expect(throws: FaceAuthError.self) { try await machine.service.people() }
        #expect(gone?.code == .storage && gone?.reason.contains("is missing") == true)
        try binding.write(to: machine.binding)
        #expect(try await machine.service.people() == [ada])
        try FileManager.default.removeItem(at: machine.key)
        try await machine.service.reset()
        #expect(try await machine.service.people() == [])
    }

    @Test func `a binding with any bit changed is refused`() async throws {
        let machine = try Machine()
        try await machine.service.enrollPhoto(1, as: ada)
        let whole = [UInt8](try Data(contentsOf: machine.binding))
        for index in stride(from: 0, to: whole.count, by: Thoroughness.step(7)) {
            var changed = whole
            changed[index] ^= 1 << UInt8(index % 8)
            try Data(changed).write(to: machine.binding)
            let code = await code { _ = try await machine.service.people() }
            #expect(code == .storage || code == .otherDevice, "byte \(index)")
        }
        try Data(whole).write(to: machine.binding)
        #expect(try await machine.service.people() == [ada])
    }

    // MARK: Bound to the TPM

    private static let hasTPM = SoftwareTPM.program != nil

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func `with a TPM, data opens on that machine only`() async throws {
        try await SoftwareTPM.run { tpm in
            let machine = try Machine(tpm: tpm)
            try await machine.service.enrollPhoto(1, as: ada)
            #expect(try await machine.service.bindingSource() == .tpm)
            #expect(try await !machine.service.isMigrationNeeded())
            try await tpm.restart()
            #expect(try await machine.service.people() == [ada])
            // The same machine id does not help.
            let without = try machine.copied(to: machine.id)
            let error = await #expect(throws: FaceAuthError.self) {
                try await without.service.people()
            }
            #expect(error?.code == .otherDevice && error?.reason.contains("bound to a TPM") == true)
            try await SoftwareTPM.run { other in
                let copy = try machine.copied(to: machine.id, tpm: other)
                let error = await #expect(throws: FaceAuthError.self) {
                    try await copy.service.people()
                }
                #expect(
                    error?.code == .otherDevice && error?.reason.contains("another TPM") == true)
                let lockout = try await TPM(address: other.address).lockout()
                #expect(lockout.triesLeft == lockout.tries, "none was counted")
            }
            await tpm.stop()
            #expect(await code { _ = try await machine.service.people() } == .bindingUnavailable)
        }
    }

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func `people stay enrolled when data migrates from the machine id to the TPM`() async throws {
        try await SoftwareTPM.run { tpm in
            var machine = try Machine()
            #expect(
                await code { try await machine.service.migrate() } == nil, "nothing to migrate yet")
            try await machine.service.enrollPhoto(1, as: ada)
            #expect(try await !machine.service.isMigrationNeeded())
            #expect(await code { try await machine.service.migrate() } == .bindingUnavailable)

            machine.tpm = tpm.address
            #expect(try await machine.service.isMigrationNeeded())
            #expect(
                try await machine.service.people() == [ada], "data opens before the migration, too")
            try await machine.service.migrate()
            #expect(try await machine.service.bindingSource() == .tpm)
            #expect(try await !machine.service.isMigrationNeeded())
            try await machine.service.migrate()
            #expect(try await machine.service.people() == [ada])
            // The machine id no longer matters.
            machine.id = "reinstalled"
            #expect(try await machine.service.people() == [ada])
        }
    }

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func `an interrupted migration leaves either the old or the new binding`()
        async throws
    {
        try await SoftwareTPM.run { tpm in
            var machine = try Machine()
            try await machine.service.enrollPhoto(1, as: ada)
            machine.tpm = tpm.address
            let before = try Data(contentsOf: machine.binding)
            for calls in stride(from: 0, to: 200, by: Thoroughness.step(3)) {
                try before.write(to: machine.binding)
                let failing = FailingFiles(after: calls)
                var broken = machine
                broken.files = failing
                let code = await code { try await broken.service.migrate() }
                #expect(code == (failing.hasFailed ? .storage : nil))
                #expect(try await machine.service.people() == [ada])
                if !failing.hasFailed {
                    #expect(try await machine.service.bindingSource() == .tpm)
                    return
                }
            }
            Issue.record("a migration takes fewer calls than this")
        }
    }
}

@Suite("The license of a device") struct DeviceLicenseTests {
    private static let start: Int64 = 1_800_000_000

    /// A server without product keys that licenses every device for a day.
    private struct Server {
        let signer: SoftwareSigner

        init() throws { signer = try SoftwareSigner.generate(.es256) }

        @Sendable func exchange(_ device: String) async throws -> (
            text: String, key: DevicePublicKey
        ) {
            let claims: JSONValue = [
                "product": "mien-face", "device": .string(device), "iat": .number(Double(start)),
                "exp": .number(Double(start + 86_400)),
            ]
            return (
                try await JWS.sign(
                    header: ["typ": .string(License.type)],
                    payload: Array(JSONText.write(claims).utf8), with: signer),
                signer.publicKey
            )
        }
    }

    private final class Clock: Sendable {
        private let seconds = Mutex(start)
        var now: Instant { Instant(milliseconds: seconds.withLock { $0 } * 1000) }
        func advance(_ by: Int64) { seconds.withLock { $0 += by } }
    }

    @Test func `without a policy every device is licensed, and no server is contacted`()
        async throws
    {
        let service = try Machine().service
        #expect(try await service.isLicenseConfigured())
        try await service.configureLicense { _ in
            Issue.record("a server was contacted")
            throw CancellationError()
        }
        try await service.initialize()
    }

    @Test
    func `with a policy the device needs a license, which is checked offline until it expires`()
        async throws
    {
        let clock = Clock(), server = try Server()
        var machine = try Machine()
        machine.licensing = LicensePolicy(product: "mien-face") { clock.now }
        let service = machine.service
        #expect(try await !service.isLicenseConfigured())
        #expect(await code { try await service.initialize() } == .notLicensed)
        try await service.configureLicense(server.exchange)
        #expect(try await service.isLicenseConfigured())
        try await service.initialize()

        let later = machine.service
        clock.advance(86_399)
        #expect(try await later.isLicenseConfigured())
        clock.advance(1)
        #expect(try await !later.isLicenseConfigured())
        #expect(await code { try await later.initialize() } == .notLicensed)
        let expired = await #expect(throws: FaceAuthError.self) {
            try await later.configureLicense(server.exchange)
        }
        #expect(expired?.code == .notLicensed && expired?.reason.contains("expired") == true)
    }

    @Test
    func
        `setting the clock back extends no license, over restarts, and a new license uses the current clock`()
        async throws
    {
        let clock = Clock(), server = try Server()
        var machine = try Machine()
        machine.licensing = LicensePolicy(product: "mien-face") { clock.now }
        try await machine.service.configureLicense(server.exchange)
        let day: Int64 = 86_400
        func verdict() async throws -> License.Verdict? {
            try await machine.service.licenseVerdict()
        }
        func isBehind(_ verdict: License.Verdict?) -> Bool {
            if case .clockBehind = verdict { true } else { false }
        }
        func isExpired(_ verdict: License.Verdict?) -> Bool {
            if case .expired = verdict { true } else { false }
        }

        // A little ahead and back again is tolerated. Back by more than a day is not, until the
        // clock is set right.
        clock.advance(day / 2)
        #expect(try await verdict()?.isValid == true)
        clock.advance(-day / 4)
        #expect(try await verdict()?.isValid == true)
        clock.advance(-day)
        #expect(try await isBehind(verdict()))
        clock.advance(day)
        #expect(try await verdict()?.isValid == true)

        // Past the license's end, and back before it.
        clock.advance(day)
        #expect(try await isExpired(verdict()))
        clock.advance(-day / 2)
        #expect(try await isExpired(verdict()))
        #expect(await code { try await machine.service.initialize() } == .notLicensed)
        clock.advance(-day / 2)
        try await machine.service.configureLicense(server.exchange)
        #expect(try await verdict()?.isValid == true)
    }

    @Test func `an unreadable machine id is an error, not another device`() async throws {
        let clock = Clock(), server = try Server(), isReadable = Mutex(true)
        var machine = try Machine()
        machine.licensing = LicensePolicy(product: "mien-face") { clock.now }
        try await machine.service.configureLicense(server.exchange)
        let (id, licensing) = (machine.id, machine.licensing)
        let service = FaceAuthService(
            folder: machine.scratch("face").path, keyPath: machine.key.path, packID: pack, tpm: nil,
            cameras: { [] }, faceModes: nil,
            licensing: licensing, files: POSIXFileSystem(), random: .system,
            machineID: {
                guard isReadable.withLock({ $0 }) else {
                    throw FaceAuthError(.bindingUnavailable, "not now")
                }
                return Array(id.utf8)
            })
        #expect(try await service.isLicenseConfigured())
        isReadable.withLock { $0 = false }
        #expect(await code { _ = try await service.isLicenseConfigured() } == .bindingUnavailable)
        #expect(
            await code { try await service.configureLicense(server.exchange) }
                == .bindingUnavailable)
        isReadable.withLock { $0 = true }
        #expect(try await service.isLicenseConfigured())
    }

    @Test func `a license for another machine or product, or changed on disk, is invalid`()
        async throws
    {
        let clock = Clock(), server = try Server()
        var machine = try Machine()
        machine.licensing = LicensePolicy(product: "mien-face") { clock.now }
        try await machine.service.configureLicense(server.exchange)

        var copy = try machine.copied(to: "machine two")
        copy.licensing = machine.licensing
        guard case .otherDevice = try await copy.service.licenseVerdict() else {
            Issue.record("the license worked on another machine")
            return
        }
        var other = machine
        other.licensing = LicensePolicy(product: "another") { clock.now }
        #expect(try await !other.service.isLicenseConfigured())

        let file = machine.scratch("face/device.licence")
        var bytes = [UInt8](try Data(contentsOf: file))
        bytes[bytes.count - 1] ^= 1
        try Data(bytes).write(to: file)
        #expect(await code { _ = try await machine.service.isLicenseConfigured() } == .storage)
        try await machine.service.configureLicense(server.exchange)
        #expect(try await machine.service.isLicenseConfigured())
    }
}
