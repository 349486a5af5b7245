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

private let biometrics = BiometricPolicy.deviceOwnerAuthenticationWithBiometrics
private let newPack = try! PackID("made-up-2")
private let hotp = try! HOTP(digits: 8, hash: .sha256),
    secret = try! OTPSecret(bytes: Array(1...32))
private let strong = TemplateMigration.minScore..<MatchScore(73),
    weak = MatchScore.defaultThreshold..<TemplateMigration.minScore

/// Returns a person's face, turned away from their template until the old pack's score is in a range.
private func face(_ person: Int, scoring range: Range<MatchScore>) throws -> FaceTemplate {
    let enrolled = try matcher.reference(for: face(person))
    for step in 0..<900 {
        let angle = Float(step) / 900 * .pi / 2
        var values = [Float](repeating: 0, count: dimensions)
        (values[person], values[person + 8]) = (cos(angle), sin(angle))
        let turned = try FaceTemplate(
            entries: [.init(descriptor: FaceDescriptor(values), quality: 90, pose: .frontal)],
            packID: pack, createdAt: Instant(milliseconds: 2))
        if range.contains(matcher.score(try matcher.reference(for: turned), enrolled)) {
            return turned
        }
    }
    throw CocoaError(.featureUnsupported)
}

/// A live capture that was described for the new pack and for the former one.
private func shownToBoth(_ person: Int, scoring range: Range<MatchScore> = strong) throws
    -> CapturedFace
{
    CapturedFace(
        try MienDeviceTests.face(person, pack: newPack), mode: .livenessActive,
        former: [try face(person, scoring: range)])
}

/// A live person in front of the camera, whom two packs describe differently.
private final class Stage: LiveFaceReader {
    private struct State {
        var actor = MadePerson(), person = 1
        var asked: LivenessAction?
        var last: FaceReading?
    }
    private let state = Mutex(State())

    func hold(_ person: Int) {
        state.withLock { $0 = State(actor: MadePerson(), person: person) }
    }

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        state.withLock { state in
            let reading = state.actor.reading(asked: state.asked, index: index, at: frame.time)
            state.last = reading
            return reading
        }
    }
    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry {
        try MienDeviceTests.face(state.withLock { $0.person }, pack: newPack).entries[0]
    }
    func show(_ event: FrameEvent) { state.withLock { $0.asked = event.action } }

    /// The networks of the former pack.
    struct Former: LiveFaceReader {
        let stage: Stage
        var range = strong
        /// Whether the pack finds a face somewhere else in the picture.
        var isElsewhere = false

        func reading(of frame: Frame, index: Int) async throws -> FaceReading {
            isElsewhere
                ? .made(MadeLook(x: 900, y: 900), index: index, at: frame.time)
                : stage.state.withLock { $0.last! }
        }
        func entry(of _: FaceReading) async throws -> FaceTemplate.Entry {
            try face(stage.state.withLock { $0.person }, scoring: range).entries[0]
        }
    }
}

/// A device whose owner was enrolled with the pack `made-up`, with a key and an OTP token, before the
/// app began to use `made-up-2`.
private struct Rig {
    let device: Device
    let stage = Stage()
    let locked: LockedSecret
    let generation: EnrollmentGeneration
    let notices = Notices()

    final class Notices: Sendable {
        private let list = Mutex<[FaceMigrationNotice]>([])
        var outcomes: [FaceMigrationNotice.Outcome] { list.withLock { $0.map(\.outcome) } }
        func add(_ notice: FaceMigrationNotice) { list.withLock { $0.append(notice) } }
    }

    init(isConfirmed: Bool = true) async throws {
        device = try Device()
        let before = device.authenticator()
        try await before.setPasscode(DevicePIN(rightPIN))
        if isConfirmed {
            try await before.enroll(shown(1), passcode: rightPIN)
            locked = try await before.lock(
                Sensitive([1, 2, 3]), for: .biometryCurrentSet, policy: biometrics, context: "x")
        } else {
            try await device.service().enrollPhoto(1, as: owner)
            locked = LockedSecret(bytes: [], generation: try await before.enrollmentGeneration())
        }
        generation = try await before.enrollmentGeneration()
        guard isConfirmed else { return }
        try await vault.keep(
            OTPTokenDefinition(
                id: "aut_1", app: "app", server: nil, kind: .hotp(hotp, firstCounter: 0),
                signatureSuite: OCRASuite("OCRA-1:HOTP-SHA256-8:QH64"), secret: secret),
            pin: DevicePIN(rightPIN))
        try await vault.upgradeToMultiAuthMode("aut_1", pin: PINInput(rightPIN))
        try await vault.activateAuthMode(
            device.service().authMode(of: owner), on: "aut_1", pin: PINInput(rightPIN))
    }

    var vault: OTPVault {
        OTPVault(
            folder: device.scratch("tokens").path, keyPath: device.keyPath,
            generationFolder: device.scratch("generations").path, tpm: nil,
            now: { [clock = device.clock] in clock.now }, uptime: { .now },
            files: POSIXFileSystem(), random: .system,
            cost: PasswordHasher.Cost(memory: 8, passes: 1), machineID: { Array("machine".utf8) })
    }

    /// The service of the new pack after a restart.
    func service(
        on copy: Device? = nil, files: any FileSystem = POSIXFileSystem(),
        former: Stage.Former? = nil, hasFormer: Bool = true
    ) -> FaceAuthService {
        let device = copy ?? device, notices = notices
        let former = FormerFacePack(
            packID: pack, matcher: matcher, reader: former ?? Stage.Former(stage: stage))
        return FaceAuthService(
            folder: device.folder, keyPath: device.keyPath, packID: newPack,
            formerPacks: hasFormer ? [former] : [], onMigration: { notices.add($0) }, tpm: nil,
            cameras: { [] }, faceModes: vault, now: { [clock = device.clock] in clock.now },
            files: files, random: .system,
            hasher: PasswordHasher(cost: .init(memory: 8, passes: 1)),
            machineID: { Array("machine".utf8) })
    }

    func authenticator(_ service: FaceAuthService) -> FaceLocalAuthenticator {
        FaceLocalAuthenticator(
            service: service, owner: owner, matcher: matcher, faces: device.person,
            passcodes: device.person)
    }

    /// Whether a capture opens the owner's key.
    func opens(_ service: FaceAuthService, _ face: CapturedFace) async throws -> Bool {
        await device.person.shows(.face(face))
        do {
            let released = try await authenticator(service).release(
                locked, for: .biometryCurrentSet, policy: biometrics, context: "x",
                unlocking: UnlockPrompt(reason: ""))
            return released.secret.use { $0 == [1, 2, 3] }
        } catch is DeviceError { return false }
    }

    func look(
        _ service: FaceAuthService, at person: Int = 1
    ) async throws -> FaceAuthentication {
        stage.hold(person)
        let frames = FrameArray(
            (0..<2000).map {
                Frame(
                    image: RGBImage(width: 1, height: 1, filledWith: .black),
                    time: .milliseconds(40 * $0))
            })
        return try await service.ready().verify(
            owner, in: frames, reader: stage, matcher: matcher,
            capture: try #require(CaptureID("cap_1"))
        ) { [stage] in stage.show($0) }
    }

    func code(_ look: FaceAuthentication) async throws -> String {
        try await vault.code(of: "aut_1", with: .face(#require(look.input))).text
    }

    func recordSizes() throws -> [Int] {
        try records().map { try Data(contentsOf: $0).count }
    }

    func records() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: URL(filePath: "\(device.folder)/faces"), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "face" }
    }
}

private let month = 30 * 86_400

/// People whom a former model pack enrolled are moved to the pack in use when they are recognized
/// live.
@Suite struct FaceMigrationTests {
    // MARK: Migration

    @Test
    func `a capture that opens a key migrates the face, and keys, tokens, and the PIN stay`()
        async throws
    {
        let rig = try await Rig(), service = rig.service()
        #expect(try await service.packs() == [pack])
        #expect(try await rig.opens(service, shownToBoth(1)))
        let until = rig.device.clock.now + .seconds(month)
        #expect(rig.notices.outcomes == [.migrated(.score, keptUntil: until)])
        #expect(try await service.packs() == [newPack])
        let kept = try #require(try await service.formerFaces().first)
        #expect(kept.person == owner && kept.packID == pack && kept.keptUntil == until)
        #expect(
            try await service.face(of: owner) == MienDeviceTests.face(1, pack: newPack))
        // From now on the former pack is not needed, also after a restart.
        let after = rig.service(hasFormer: false)
        #expect(try await after.isConfirmed(owner))
        #expect(try await after.isPINSet())
        #expect(
            try await rig.authenticator(after).enrollmentGeneration() == rig.generation)
        #expect(try await rig.opens(after, shown(1, pack: newPack)))
        #expect(try await !rig.opens(after, shown(2, pack: newPack)))
        #expect(try await rig.vault.isAuthModeActive(after.authMode(of: owner), on: "aut_1"))
        #expect(try await rig.code(rig.look(after)) == hotp.code(at: 0, with: secret).text)
        #expect(rig.notices.outcomes.count == 1, "migrated once")
    }

    @Test func `a verification that opens a token migrates the face, too`() async throws {
        let rig = try await Rig(), service = rig.service()
        let look = try await rig.look(service)
        #expect(look.migration?.from == pack && look.migration?.to == newPack)
        #expect(look.migration.map { [$0.outcome] } == rig.notices.outcomes)
        #expect(try await rig.code(look) == hotp.code(at: 0, with: secret).text)
        let after = rig.service(hasFormer: false), next = try await rig.look(after)
        #expect(next.migration == nil)
        #expect(try await rig.code(next) == hotp.code(at: 1, with: secret).text)
        #expect(try await rig.opens(after, shown(1, pack: newPack)))
        #expect(try await rig.look(after, at: 2).input == nil)
    }

    @Test func `the old pack decides who it is`() async throws {
        let rig = try await Rig(), service = rig.service()
        // The new pack's description of the owner does not help a stranger.
        let stranger = CapturedFace(
            try MienDeviceTests.face(1, pack: newPack), mode: .livenessActive,
            former: [try MienDeviceTests.face(2)])
        #expect(try await !rig.opens(service, stranger))
        #expect(try await rig.look(service, at: 2).verdict.refusals == [.noMatch])
        #expect(rig.notices.outcomes.isEmpty)
        #expect(try await service.packs() == [pack])
    }

    @Test func `a capture in which the old pack finds another face is not accepted`() async throws {
        let rig = try await Rig()
        let look = try await rig.look(
            rig.service(former: Stage.Former(stage: rig.stage, isElsewhere: true)))
        #expect(look.verdict.refusals == [.badQuality] && look.input == nil)
        #expect(rig.notices.outcomes.isEmpty)
    }

    @Test func `a face whose pack is not loaded is refused without counting a guess`() async throws
    {
        let rig = try await Rig(), service = rig.service(hasFormer: false)
        for _ in 0..<6 { #expect(try await !rig.opens(service, shownToBoth(1))) }
        #expect(
            await #expect(throws: FaceAuthError.self) { try await rig.look(service) }?.code
                == .otherModelPack)
        // Nor is one that the capture was not described for.
        for _ in 0..<6 {
            #expect(try await !rig.opens(rig.service(), shown(1, pack: newPack)))
        }
        #expect(try await rig.opens(rig.service(), shownToBoth(1)))
    }

    @Test func `a person enrolled for recognition only is migrated and still opens nothing`()
        async throws
    {
        let rig = try await Rig(isConfirmed: false), service = rig.service()
        let look = try await rig.look(service)
        #expect(look.verdict.isAccepted && look.input == nil)
        #expect(rig.notices.outcomes.count == 1)
        #expect(try await service.packs() == [newPack])
        #expect(try await !service.isConfirmed(owner))
        #expect(try await rig.look(service).input == nil)
    }

    // MARK: A second factor

    @Test func `a lower score migrates only with the right PIN, within a minute`() async throws {
        let rig = try await Rig(),
            service = rig.service(former: Stage.Former(stage: rig.stage, range: weak))
        #expect(try await service.confirmMigration(of: owner, pin: rightPIN) == nil)
        #expect(try await rig.opens(service, shownToBoth(1, scoring: weak)))
        #expect(rig.notices.outcomes == [.waiting])
        #expect(try await service.packs() == [pack])
        await #expect(throws: DeviceError(.wrongPasscode, "")) {
            try await service.confirmMigration(of: owner, pin: wrongPIN)
        }
        #expect(try await service.packs() == [pack])
        // Another service does not know what waits.
        #expect(try await rig.service().confirmMigration(of: owner, pin: rightPIN) == nil)
        rig.device.clock.pass(60)
        #expect(try await service.confirmMigration(of: owner, pin: rightPIN) == nil)
        #expect(try await service.packs() == [pack])

        let look = try await rig.look(service)
        #expect(look.migration?.outcome == .waiting)
        #expect(try await rig.code(look) == hotp.code(at: 0, with: secret).text)
        rig.device.clock.pass(59)
        let notice = try #require(try await service.confirmMigration(of: owner, pin: rightPIN))
        #expect(
            notice.outcome
                == .migrated(.secondFactor, keptUntil: rig.device.clock.now + .seconds(month)))
        #expect(try await service.confirmMigration(of: owner, pin: rightPIN) == nil, "used")
        let after = rig.service(hasFormer: false)
        #expect(try await rig.code(rig.look(after)) == hotp.code(at: 1, with: secret).text)
        #expect(try await rig.opens(after, shown(1, pack: newPack)))
    }

    @Test func `a waiting template is dropped with the enrollment it belongs to`() async throws {
        let rig = try await Rig(), service = rig.service()
        #expect(try await rig.opens(service, shownToBoth(1, scoring: weak)))
        try await service.ready().enroll(shown(2, pack: newPack), as: owner, pin: rightPIN)
        #expect(try await service.confirmMigration(of: owner, pin: rightPIN) == nil)
        #expect(
            try await service.face(of: owner) == MienDeviceTests.face(2, pack: newPack))
        // Enrolled by another process meanwhile.
        let other = try await Rig(), waiting = other.service()
        #expect(try await other.opens(waiting, shownToBoth(1, scoring: weak)))
        try await other.service().ready().enroll(
            shown(2, pack: newPack), as: owner, pin: rightPIN)
        #expect(try await waiting.confirmMigration(of: owner, pin: rightPIN) == nil)
        #expect(
            try await waiting.face(of: owner) == MienDeviceTests.face(2, pack: newPack))
        #expect(try await waiting.isConfirmed(owner))
    }

    // MARK: Erasing

    @Test func `the old template is kept for 30 days and then erased`() async throws {
        let rig = try await Rig(), small = try rig.recordSizes()
        #expect(try await rig.opens(rig.service(), shownToBoth(1)))
        let large = try rig.recordSizes()
        #expect(large[0] > small[0])
        rig.device.clock.pass(month - 1)
        #expect(try await rig.service().formerFaces().count == 1)
        #expect(try rig.recordSizes() == large)
        rig.device.clock.pass(1)
        let after = rig.service(hasFormer: false)
        #expect(try await after.formerFaces().isEmpty)
        #expect(try rig.recordSizes() == small)
        #expect(try await rig.opens(after, shown(1, pack: newPack)))
        // A process that keeps running erases, too.
        let other = try await Rig(), running = other.service()
        #expect(try await other.opens(running, shownToBoth(1)))
        other.device.clock.pass(month)
        #expect(try await running.isConfigured())
        #expect(try other.recordSizes() == small)
    }

    @Test func `removing or replacing the face erases both templates`() async throws {
        let rig = try await Rig()
        let small = try rig.recordSizes()
        #expect(try await rig.opens(rig.service(), shownToBoth(1)))
        try await rig.service().ready().enroll(shown(1, pack: newPack), as: owner, pin: rightPIN)
        #expect(try rig.recordSizes() == small)
        #expect(try await rig.service().formerFaces().isEmpty)
        #expect(
            try await rig.authenticator(rig.service()).enrollmentGeneration() != rig.generation)
        #expect(try await !rig.vault.token("aut_1").isFaceModeActive)

        let other = try await Rig()
        #expect(try await other.opens(other.service(), shownToBoth(1)))
        try await other.service().unenroll(owner)
        #expect(try other.records().isEmpty)
        #expect(try await !other.opens(other.service(), shownToBoth(1)))
        #expect(try await !other.vault.token("aut_1").isFaceModeActive)
    }

    // MARK: Swapped records

    @Test func `only the migrated record opens keys and tokens afterwards`() async throws {
        let rig = try await Rig(), record = try #require(try rig.records().first)
        let before = try Data(contentsOf: record), service = rig.service()
        #expect(try await rig.opens(service, shownToBoth(1)))
        let migrated = try Data(contentsOf: record)
        // A copy from before the migration.
        try before.write(to: record)
        #expect(try await !service.isConfirmed(owner))
        #expect(try await !rig.opens(service, shownToBoth(1)))
        #expect(try await rig.look(service).input == nil, "recognized, without an input")
        #expect(try await !service.isConfirmed(owner), "and not confirmed by another migration")
        try migrated.write(to: record)
        #expect(try await rig.opens(service, shown(1, pack: newPack)))
    }

    @Test func `migrating a swapped record confirms nothing`() async throws {
        let rig = try await Rig(), service = rig.service()
        // An attacker's face under the owner's name, while the state that names the confirmed face
        // is put back.
        let state = URL(filePath: "\(rig.device.folder)/authenticator.sealed"),
            confirmed = try Data(contentsOf: state)
        try await rig.device.service().enrollPhoto(2, as: owner)
        try confirmed.write(to: state)
        let look = try await rig.look(service, at: 2)
        #expect(look.verdict.isAccepted && look.input == nil)
        #expect(try await service.packs() == [newPack], "recognized and migrated")
        #expect(try await !service.isConfirmed(owner))
        #expect(try await !rig.opens(service, shown(2, pack: newPack)))
        #expect(try await !rig.opens(service, shown(1, pack: newPack)))
    }

    // MARK: Interruptions

    @Test
    func `an interrupted migration leaves the old or the new template, which opens what it did`()
        async throws
    {
        let original = try await Rig()
        var calls = 0, isDone = false, outcomes: Set<Bool> = []
        while !isDone {
            let copy = try Device(copyOf: original.device), files = FailingFiles(after: calls)
            // Fails with an error, or recognizes the person and migrates later.
            _ = try? await original.opens(
                original.service(on: copy, files: files), shownToBoth(1))
            let service = original.service(on: copy)
            let isMigrated = try await service.packs() == [newPack]
            outcomes.insert(isMigrated)
            #expect(try await service.isConfirmed(owner), "at call \(calls)")
            #expect(
                try await original.vault.isAuthModeActive(
                    service.authMode(of: owner), on: "aut_1"))
            #expect(
                try await original.authenticator(service).enrollmentGeneration()
                    == original.generation)
            let stranger = CapturedFace(
                try MienDeviceTests.face(2, pack: newPack), mode: .livenessActive,
                former: [try MienDeviceTests.face(2)])
            #expect(try await !original.opens(service, stranger))
            #expect(try await original.opens(service, shownToBoth(1)))
            #expect(try await service.packs() == [newPack])
            #expect(try await service.formerFaces().count == 1)
            isDone = !files.hasFailed
            calls += 1
            try #require(calls < 500)
        }
        #expect(calls > 20 && outcomes == [false, true])
    }

    @Test func `an old template that cannot be erased is erased later`() async throws {
        let rig = try await Rig()
        let small = try rig.recordSizes()
        #expect(try await rig.opens(rig.service(), shownToBoth(1)))
        rig.device.clock.pass(month)
        let files = FailingFiles(after: 0, only: .rename)
        #expect(try await rig.opens(rig.service(files: files), shown(1, pack: newPack)) == false)
        #expect(try await rig.service().isConfigured())
        #expect(try rig.recordSizes() == small)
    }
}
