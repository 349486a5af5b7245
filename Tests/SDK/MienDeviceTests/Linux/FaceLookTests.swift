import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienHardware
import MienKeys
import MienTesting
import MienVault
import Synchronization
import Testing

private let ada = try! PersonName("Ada"), pin = try! DevicePIN(rightPIN),
    right = try! PINInput(rightPIN)
private let hotp = try! HOTP(digits: 8, hash: .sha256),
    secret = try! OTPSecret(bytes: Array(1...32))
private let passive = try! VerificationSettings(mode: .livenessPassive)

/// A person or an object in front of the camera, who receives the instructions, and the pipeline.
private final class Stage: LiveFaceReader {
    private struct State {
        var actor: (any MadeActor)?
        var person = 1
        var asked: LivenessAction?
        var allAsked: [LivenessAction] = []
        var leaves = false
    }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - actor: The actor that moves; `nil` for an empty room.
    ///   - person: The person whose face the pipeline describes.
    ///   - leaves: Cancels the task at the first drawn instruction.
    func hold(_ actor: (any MadeActor)?, as person: Int = 1, leaves: Bool = false) {
        state.withLock { $0 = State(actor: actor, person: person, leaves: leaves) }
    }

    /// The actions that were requested, each once.
    var asked: [LivenessAction] { state.withLock { $0.allAsked } }

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        state.withLock { state in
            guard var actor = state.actor else { return .made(nil, index: index, at: frame.time) }
            let reading = actor.reading(asked: state.asked, index: index, at: frame.time)
            state.actor = actor
            return reading
        }
    }

    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry {
        try face(state.withLock { $0.person }).entries[0]
    }

    func show(_ event: FrameEvent) {
        let leaves = state.withLock { state in
            state.asked = event.action
            if let action = event.action, action != state.allAsked.last {
                state.allAsked.append(action)
            }
            return state.leaves && event.action != nil && event.action != .keepStill
        }
        if leaves { withUnsafeCurrentTask { $0?.cancel() } }
    }
}

/// A device with Ada's face and an OTP token that it unlocks.
private struct Rig {
    let scratch: ScratchFolder
    let stage = Stage()
    var files: any FileSystem = POSIXFileSystem()

    init() async throws {
        scratch = try ScratchFolder()
        try await service.enrollLive(1, as: ada)
        let token = try OTPTokenDefinition(
            id: "aut_1", app: "app", server: nil, kind: .hotp(hotp, firstCounter: 0),
            signatureSuite: OCRASuite("OCRA-1:HOTP-SHA256-8:QH64"),
            secret: secret)
        try await vault.keep(token, pin: pin)
        try await vault.upgradeToMultiAuthMode("aut_1", pin: right)
        try await activate()
    }

    func activate() async throws {
        try await vault.activateAuthMode(service.authMode(of: ada), on: "aut_1", pin: right)
    }

    /// The vault after a restart: only the files are shared.
    var vault: OTPVault {
        OTPVault(
            folder: scratch("tokens").path, keyPath: scratch("device.key").path,
            generationFolder: scratch("state").path, tpm: nil,
            now: { Instant(milliseconds: 1_700_000_000_000) }, uptime: { .now },
            files: POSIXFileSystem(), random: .system,
            cost: PasswordHasher.Cost(memory: 8, passes: 1), machineID: { Array("machine".utf8) })
    }

    var service: FaceAuthService {
        FaceAuthService(
            folder: scratch("face").path, keyPath: scratch("device.key").path, packID: pack,
            tpm: nil, cameras: { [] }, faceModes: vault,
            files: files, random: .system,
            hasher: PasswordHasher(cost: .init(memory: 8, passes: 1)),
            machineID: { Array("machine".utf8) })
    }

    /// Verifies through the public method.
    func look(_ settings: VerificationSettings? = nil, frames count: Int = 2000) async throws
        -> FaceAuthentication
    {
        let stage = stage, id = try #require(CaptureID("cap_1"))
        let frames = FrameArray(
            (0..<count).map {
                Frame(
                    image: RGBImage(width: 1, height: 1, filledWith: .black),
                    time: .milliseconds(40 * $0))
            })
        let show: @Sendable (FrameEvent) async -> Void = { stage.show($0) }
        guard let settings else {
            return try await service.ready().verify(
                ada, in: frames, reader: stage, matcher: matcher, capture: id, onFrame: show)
        }
        return try await service.ready().verify(
            ada, in: frames, reader: stage, matcher: matcher, settings: settings, capture: id,
            onFrame: show)
    }

    /// Runs verifications of a stranger until the face is locked.
    ///
    /// - Returns: the number of verifications.
    func looksLeft() async throws -> Int {
        for count in 0..<9 {
            stage.hold(MadePerson(), as: 2)
            do { _ = try await look(passive) } catch let error as FaceAuthError
                where error.code == .lockedOut
            { return count }
        }
        return 9
    }
}

@Suite struct FaceLookTests {
    @Test
    func
        `a person who follows the drawn actions is accepted once per verification and gets the token's code`()
        async throws
    {
        let rig = try await Rig()
        var drawn: Set<[LivenessAction]> = []
        for counter in UInt64(0)..<6 {
            rig.stage.hold(MadePerson())
            let look = try await rig.look()
            let input = try #require(look.input, "\(look.verdict.refusals) \(rig.stage.asked)")
            #expect(
                try await rig.vault.code(of: "aut_1", with: .face(input)).text
                    == hotp.code(at: counter, with: secret).text)
            #expect(
                await #expect(throws: OTPTokenError.self) {
                    try await rig.vault.code(of: "aut_1", with: .face(input))
                }?.code == .inputSpent)
            let asked = rig.stage.asked
            #expect(
                asked.first == .keepStill
                    && (asked.contains(.turnLeft) || asked.contains(.turnRight)))
            drawn.insert(asked)
        }
        // The same action six times is less likely than one in two billion.
        #expect(drawn.count > 1, "drawn for each verification")
    }

    @Test
    func `keeping still and blinking passes only if that mode is set, and a photo opens no token`()
        async throws
    {
        let rig = try await Rig()
        rig.stage.hold(MadePerson())
        let input = try #require(try await rig.look(passive).input)
        #expect(rig.stage.asked == [.keepStill, .blink])
        #expect(
            try await rig.vault.code(of: "aut_1", with: .face(input)).text
                == hotp.code(at: 0, with: secret).text)
        rig.stage.hold(MadeSheet(.still))
        #expect(try await rig.look().input == nil)
    }

    @Test
    func `image mode recognizes a photo without an input, and counts and resets no attempts`()
        async throws
    {
        let rig = try await Rig()
        for _ in 0..<4 {
            rig.stage.hold(MadePerson(), as: 2)
            #expect(try await rig.look(passive).input == nil)
        }
        for _ in 0..<3 {
            rig.stage.hold(MadeSheet(.still))
            let photo = try await rig.look(.photo)
            #expect(photo.verdict.isAccepted && photo.input == nil)
            #expect(photo.verdict.livenessScore == 0 && rig.stage.asked.isEmpty)
            rig.stage.hold(MadeSheet(.still), as: 2)
            let stranger = try await rig.look(.photo)
            #expect(stranger.verdict.refusals == [.noMatch] && stranger.input == nil)
        }
        #expect(try await rig.looksLeft() == 1, "four of five were used, and still are")
        rig.stage.hold(MadeSheet(.still))
        #expect(
            try await rig.look(.photo).verdict.isAccepted,
            "a locked face is still recognized, since that opens nothing")
    }

    @Test
    func `a person enrolled from photos is recognized live, but opens no token`() async throws {
        let rig = try await Rig()
        try await rig.service.enrollPhoto(1, as: ada)
        #expect(try await !rig.vault.token("aut_1").isFaceModeActive)
        #expect(
            await #expect(throws: FaceAuthError.self) { try await rig.activate() }?.code
                == .notConfirmed)
        rig.stage.hold(MadePerson())
        let look = try await rig.look()
        #expect(look.verdict.isAccepted && look.input == nil)
    }

    @Test
    func
        `five strangers or photos in a row lock the face, over restarts, until the token's PIN reactivates it`()
        async throws
    {
        let rig = try await Rig()
        for actor in [
            MadeSheet(.tilted), MadePerson(), MadeSheet(.cutOutAndBent), MadePerson(), MadePerson(),
        ] as [any MadeActor] {
            rig.stage.hold(actor, as: 2)
            #expect(try await rig.look().input == nil)
        }
        #expect(try await rig.service.isLockedOut(ada))
        rig.stage.hold(MadePerson())
        let locked = await #expect(throws: FaceAuthError.self) { try await rig.look() }
        #expect(
            locked?.code == .lockedOut && rig.stage.asked.isEmpty, "no action is requested")

        try await rig.service.unlock(ada)
        #expect(try await !rig.service.isLockedOut(ada))
        let input = try #require(try await rig.look().input)
        let closed = await #expect(throws: OTPTokenError.self) {
            try await rig.vault.code(of: "aut_1", with: .face(input))
        }
        #expect(
            closed?.code == .faceInactive,
            "only the PIN unlocks the token, until it has activated the face")
        try await rig.activate()
        rig.stage.hold(MadePerson())
        let again = try #require(try await rig.look().input)
        #expect(
            try await rig.vault.code(of: "aut_1", with: .face(again)).text
                == hotp.code(at: 0, with: secret).text)
        // Unlocking a face that is not locked changes nothing.
        try await rig.service.unlock(ada)
        #expect(try await rig.vault.token("aut_1").isFaceModeActive)
    }

    @Test func `the right face, another enrollment, and a reset each clear the count`()
        async throws
    {
        let rig = try await Rig()
        for _ in 0..<2 {
            for _ in 0..<4 {
                rig.stage.hold(MadePerson(), as: 2)
                #expect(try await rig.look(passive).input == nil)
            }
            rig.stage.hold(MadePerson())
            #expect(try await rig.look(passive).input != nil)
        }
        #expect(try await rig.looksLeft() == 5)
        try await rig.service.enrollLive(3, as: ada)
        #expect(try await rig.looksLeft() == 5)
        try await rig.service.reset()
        try await rig.service.enrollLive(3, as: ada)
        #expect(try await rig.looksLeft() == 5)
    }

    @Test func `an empty room does not count as a try; leaving after an instruction does`()
        async throws
    {
        let rig = try await Rig()
        rig.stage.hold(nil)
        for count in [10, 2000] { #expect(try await rig.look(frames: count).input == nil) }
        #expect(try await rig.looksLeft() == 5)

        let other = try await Rig()
        other.stage.hold(MadePerson(), leaves: true)
        let task = Task { try await other.look() }
        if let look = try? await task.value { #expect(look.input == nil) }
        #expect(try await other.looksLeft() == 4)
    }

    @Test
    func `a verification is counted before it begins; if the count cannot be written, none starts`()
        async throws
    {
        var rig = try await Rig()
        rig.files = FailingFiles(after: 0, only: .create)
        rig.stage.hold(MadePerson())
        let error = await #expect(throws: FaceAuthError.self) { try await rig.look() }
        #expect(error?.code == .storage && rig.stage.asked.isEmpty)
        rig.files = POSIXFileSystem()
        #expect(try await rig.looksLeft() == 5)
    }

    @Test func `counters with any changed bit are refused`() async throws {
        let rig = try await Rig(), file = rig.scratch("face/lockouts.sealed")
        rig.stage.hold(MadePerson(), as: 2)
        _ = try await rig.look(passive)
        var bytes = [UInt8](try Data(contentsOf: file))
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: file)
        rig.stage.hold(MadePerson())
        #expect(
            await #expect(throws: FaceAuthError.self) { try await rig.look() }?.code == .storage)
    }
}
