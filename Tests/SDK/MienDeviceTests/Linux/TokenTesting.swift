import Foundation
import MienCore
import MienFace
import MienHardware
import MienKeys
import MienTesting
import MienVault
import Synchronization
import Testing

@testable import MienDevice
@testable import MienDeviceLinux

/// People, PINs, tokens, and a look into the camera, for the tests of OTP tokens on a device.
protocol TokenTesting {}

extension TokenTesting {
    var ada: PersonName { try! PersonName("Ada") }
    var bob: PersonName { try! PersonName("Bob") }
    var right: PINInput { try! PINInput(rightPIN) }
    var wrong: PINInput { try! PINInput(wrongPIN) }
    var pin: DevicePIN { try! DevicePIN(rightPIN) }
    var suite: OCRASuite { try! OCRASuite("OCRA-1:HOTP-SHA256-8:QH64") }
    var transfer: ShownTransaction {
        try! ShownTransaction(
            DynamicChallenge("000691234568"),
            [.account: "CH93", .amount: "1", .currency: "CHF"])
    }
    var hotp: HOTP { try! HOTP(digits: 8, hash: .sha256) }
    var totp: TOTP { try! TOTP(digits: 6, hash: .sha256) }

    func secret(_ seed: UInt8 = 1) -> OTPSecret {
        try! OTPSecret(bytes: (0..<32).map { seed &* 31 &+ $0 &* 7 })
    }

    func counting(_ id: String = "aut_1", from first: UInt64 = 0, seed: UInt8 = 1)
        -> OTPTokenDefinition
    {
        try! OTPTokenDefinition(
            id: id, app: "app", server: nil, kind: .hotp(hotp, firstCounter: first),
            signatureSuite: suite, secret: secret(seed))
    }

    func timed(_ id: String = "aut_2", seed: UInt8 = 2) -> OTPTokenDefinition {
        try! OTPTokenDefinition(
            id: id, app: "app", server: "https://login.example.org", kind: .totp(totp),
            signatureSuite: suite, secret: secret(seed))
    }

    /// A CAP token with the key 00 01 … 0f, whose codes `CAPCodeTests` computes elsewhere.
    func card(_ id: String = "aut_4", from first: UInt16 = 1) throws -> OTPTokenDefinition {
        try OTPTokenDefinition(
            id: id, app: "app", server: nil, kind: .cap(CAP(), firstCounter: first),
            signatureSuite: nil, secret: OTPSecret(bytes: Array(0..<16)))
    }

    var frames: FrameArray {
        FrameArray(
            (0..<500).map {
                Frame(
                    image: RGBImage(width: 1, height: 1, filledWith: .black),
                    time: .milliseconds(40) * $0)
            })
    }

    func look(
        _ person: Int, for name: PersonName, _ machine: TokenMachine, capture: String = "cap_1"
    ) async throws -> FaceAuthentication {
        let uptime = machine.uptime, reader = OnePerson(person)
        return try await FaceAuthentication.run(
            machine.faces.face(of: name), of: name, in: frames, reader: reader,
            matcher: matcher, settings: .standard, challenge: nil,
            capture: try #require(CaptureID(capture)), now: { uptime.now },
            onFrame: { reader.show($0) })
    }

    func code(_ body: () async throws -> Void) async -> OTPTokenError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? OTPTokenError)?.code }
    }
}

/// A device with OTP tokens: its files, its id, its clock, and possibly its TPM.
struct TokenMachine {
    private static let quiet: Void = TPM.quietLibrary()
    private static let cheap = PasswordHasher.Cost(memory: 8, passes: 1)

    let scratch: ScratchFolder
    var id = "machine one"
    var tpm: String?
    var files: any FileSystem = POSIXFileSystem()
    let clock = HandClock()
    let uptime = HandUptime()

    init(tpm: SoftwareTPM? = nil) throws {
        _ = Self.quiet
        (scratch, self.tpm) = (try ScratchFolder(), tpm?.address)
    }

    var folder: URL { scratch("tokens") }
    var file: URL { scratch("tokens/tokens.sealed") }

    /// The vault after a restart: only the files are shared.
    var vault: OTPVault {
        let (id, clock, uptime) = (id, clock, uptime)
        return OTPVault(
            folder: folder.path, keyPath: scratch("keys/device.key").path,
            generationFolder: scratch("state").path, tpm: tpm.map { TPM(address: $0) },
            now: { clock.now }, uptime: { uptime.now }, files: files, random: .system,
            cost: Self.cheap,
            machineID: { Array(id.utf8) })
    }

    var faces: FaceAuthService {
        let id = id
        return FaceAuthService(
            folder: scratch("face").path, keyPath: scratch("keys/device.key").path, packID: pack,
            tpm: tpm.map { TPM(address: $0) }, cameras: { [] },
            faceModes: vault, files: files, random: .system,
            hasher: PasswordHasher(cost: .init(memory: 8, passes: 1)),
            machineID: { Array(id.utf8) })
    }

    func backup() throws -> Data { try Data(contentsOf: file) }
    func restore(_ data: Data) throws { try data.write(to: file) }
}

/// An uptime that advances when the test says so.
final class HandUptime: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}

/// Finds one person's live face in every frame.
final class OnePerson: LiveFaceReader {
    let person: Int
    private let state = Mutex((actor: MadePerson(), asked: LivenessAction?.none))

    init(_ person: Int) { self.person = person }

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        state.withLock { $0.actor.reading(asked: $0.asked, index: index, at: frame.time) }
    }
    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry { try face(person).entries[0] }
    func show(_ event: FrameEvent) { state.withLock { $0.asked = event.action } }
}
