// Long, because two suites share one private test machine with a clock, files, and a TPM that can
// fail.

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

private let quiet: Void = TPM.quietLibrary()
private let ada = try! PersonName("Ada"), bob = try! PersonName("Bob")
private let right = try! PINInput(rightPIN), wrong = try! PINInput(wrongPIN),
    pin = try! DevicePIN(rightPIN)
private let suite = try! OCRASuite("OCRA-1:HOTP-SHA256-8:QH64")
private let transfer = try! ShownTransaction(
    DynamicChallenge("000691234568"), [.account: "CH93", .amount: "1", .currency: "CHF"])
private let cheap = PasswordHasher.Cost(memory: 8, passes: 1)

private func secret(_ seed: UInt8 = 1) -> OTPSecret {
    try! OTPSecret(bytes: (0..<32).map { seed &* 31 &+ $0 &* 7 })
}
private let hotp = try! HOTP(digits: 8, hash: .sha256), totp = try! TOTP(digits: 6, hash: .sha256)

private func counting(_ id: String = "aut_1", from first: UInt64 = 0, seed: UInt8 = 1)
    -> OTPTokenDefinition
{
    try! OTPTokenDefinition(
        id: id, app: "app", server: nil, kind: .hotp(hotp, firstCounter: first),
        signatureSuite: suite, secret: secret(seed))
}

private func timed(_ id: String = "aut_2", seed: UInt8 = 2) -> OTPTokenDefinition {
    try! OTPTokenDefinition(
        id: id, app: "app", server: "https://login.example.org", kind: .totp(totp),
        signatureSuite: suite, secret: secret(seed))
}

/// A CAP token with the key 00 01 … 0f, whose codes `CAPCodeTests` computes elsewhere.
private func card(_ id: String = "aut_4", from first: UInt16 = 1) throws -> OTPTokenDefinition {
    try OTPTokenDefinition(
        id: id, app: "app", server: nil, kind: .cap(CAP(), firstCounter: first),
        signatureSuite: nil, secret: OTPSecret(bytes: Array(0..<16)))
}

/// A device with OTP tokens: its files, its id, its clock, and possibly its TPM.
private struct Machine {
    let scratch: ScratchFolder
    var id = "machine one"
    var tpm: String?
    var files: any FileSystem = POSIXFileSystem()
    let clock = HandClock()
    let uptime = HandUptime()

    init(tpm: SoftwareTPM? = nil) throws {
        _ = quiet
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
            now: { clock.now }, uptime: { uptime.now }, files: files, random: .system, cost: cheap,
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
private final class HandUptime: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}

/// Finds one person's live face in every frame.
private final class OnePerson: LiveFaceReader {
    let person: Int
    private let state = Mutex((actor: MadePerson(), asked: LivenessAction?.none))

    init(_ person: Int) { self.person = person }

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        state.withLock { $0.actor.reading(asked: $0.asked, index: index, at: frame.time) }
    }
    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry { try face(person).entries[0] }
    func show(_ event: FrameEvent) { state.withLock { $0.asked = event.action } }
}

private let frames = FrameArray(
    (0..<500).map {
        Frame(
            image: RGBImage(width: 1, height: 1, filledWith: .black), time: .milliseconds(40) * $0)
    })

private func look(
    _ person: Int, for name: PersonName, _ machine: Machine, capture: String = "cap_1"
) async throws -> FaceAuthentication {
    let uptime = machine.uptime, reader = OnePerson(person)
    return try await FaceAuthentication.run(
        machine.faces.face(of: name), of: name, in: frames, reader: reader,
        matcher: matcher, settings: .standard, challenge: nil,
        capture: try #require(CaptureID(capture)), now: { uptime.now },
        onFrame: { reader.show($0) })
}

private func code(_ body: () async throws -> Void) async -> OTPTokenError.Code? {
    do {
        try await body()
        return nil
    } catch { return (error as? OTPTokenError)?.code }
}

@Suite struct OTPVaultTests {
    // MARK: Codes

    @Test func `a counter-based token gives the standard's codes, each once, over restarts`()
        async throws
    {
        let machine = try Machine()
        try await machine.vault.keep(counting(from: 3), pin: pin)
        for counter in UInt64(3)..<6 {
            #expect(
                try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                    == hotp.code(at: counter, with: secret()).text)
        }
    }

    @Test func `a time-based token gives the current code and changes nothing`()
        async throws
    {
        let machine = try Machine()
        try await machine.vault.keep(timed(), pin: pin)
        let file = try machine.backup()
        for _ in 0..<2 {
            let code = try await machine.vault.code(of: "aut_2", with: .pin(right))
            #expect(try code.text == totp.code(at: machine.clock.now, with: secret(2)).text)
            machine.clock.pass(30)
        }
        #expect(try machine.backup() == file)
    }

    @Test func `what is shown is signed with the PIN's secret; a wrong PIN signs something else`()
        async throws
    {
        let machine = try Machine()
        try await machine.vault.keep(timed(), pin: pin)
        let signed = try await machine.vault.sign(transfer, on: "aut_2", with: .pin(right))
        #expect(try signed.text == transfer.response(with: secret(2)).text)
        let other = try await machine.vault.sign(transfer, on: "aut_2", with: .pin(wrong))
        #expect(other.text != signed.text)
    }

    @Test
    func
        `a CAP token's codes, answers, and signatures share one counter, which a wrong PIN uses up`()
        async throws
    {
        let machine = try Machine(), cap = try CAP(), key = try card().secret
        try await machine.vault.keep(card(), pin: pin)
        let info = try await machine.vault.token("aut_4")
        #expect(info.kind == .cap && info.digits == 8 && info.signatureSuite == nil)
        let challenge = try CAPQuestion(challenge: "12345678"),
            numbers = try CAPQuestion(signing: ["1000", "3101234567"])
        #expect(
            try await machine.vault.code(of: "aut_4", with: .pin(right)).text == "00128591")
        #expect(
            try await machine.vault.code(of: "aut_4", answering: challenge, with: .pin(right)).text
                == "00174382")
        #expect(
            try await machine.vault.code(of: "aut_4", answering: numbers, with: .pin(right)).text
                == cap.code(numbers.mode, at: 3, with: key).text)
        #expect(
            try await machine.vault.sign(transfer, on: "aut_4", with: .pin(right)).text
                == transfer.response(of: cap, at: 4, with: key).text)
        let other = try await machine.vault.code(of: "aut_4", with: .pin(wrong)).text
        #expect(try other.count == 8 && other != cap.code(.identify, at: 5, with: key).text)
        #expect(
            try await machine.vault.code(of: "aut_4", with: .pin(right)).text
                == cap.code(.identify, at: 6, with: key).text)

        let old = try machine.backup()
        try await machine.vault.changePIN(
            of: "aut_4", from: right, to: DevicePIN(Sensitive("9038")))
        #expect(
            try await machine.vault.code(of: "aut_4", with: .pin(PINInput(Sensitive("9038")))).text
                == cap.code(.identify, at: 7, with: key).text)
        try machine.restore(old)
        for question in [challenge, numbers] {
            #expect(
                await code {
                    _ = try await machine.vault.code(
                        of: "aut_4", answering: question, with: .pin(right))
                } == .restored)
        }
        #expect(
            await code {
                _ = try await machine.vault.sign(transfer, on: "aut_4", with: .pin(right))
            } == .restored)
    }

    @Test func `a CAP token ends after counter 65535, and other tokens answer nothing`()
        async throws
    {
        let machine = try Machine(), challenge = try CAPQuestion(challenge: "1")
        try await machine.vault.keep(card(from: .max - 1), pin: pin)
        for _ in 0..<2 { _ = try await machine.vault.code(of: "aut_4", with: .pin(right)) }
        #expect(
            await code {
                _ = try await machine.vault.sign(transfer, on: "aut_4", with: .pin(right))
            } == .exhausted)
        try await machine.vault.keep(counting(), pin: pin)
        #expect(
            await code {
                _ = try await machine.vault.code(
                    of: "aut_1", answering: challenge, with: .pin(right))
            } == .notCAP)
        #expect(
            try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                == hotp.code(at: 0, with: secret(1)).text, "no counter was used up")
    }

    @Test func `a face unlocks a CAP token like others`() async throws {
        let machine = try Machine()
        try await machine.vault.keep(card(), pin: pin)
        try await machine.vault.upgradeToMultiAuthMode("aut_4", pin: right)
        let faces = machine.faces
        try await faces.enrollLive(1, as: ada)
        try await machine.vault.activateAuthMode(
            faces.authMode(of: ada), on: "aut_4", pin: right)
        let input = try #require(try await look(1, for: ada, machine).input)
        #expect(
            try await machine.vault.sign(transfer, on: "aut_4", with: .face(input)).text
                == transfer.response(of: CAP(), at: 1, with: card().secret).text)
    }

    @Test func `a CAP token needs a key of 16 bytes and no suite, and others have a suite`() {
        let long = secret(1)
        for (kind, chosen, secret) in [
            (.cap(try! CAP(), firstCounter: 1), nil, long),
            (.cap(try! CAP(), firstCounter: 1), suite, try! card().secret),
            (.totp(totp), nil, long), (.totp(totp), suite, try! card().secret),
        ] as [(OTPTokenDefinition.Kind, OCRASuite?, OTPSecret)] {
            #expect(throws: OTPTokenError(.secret, "")) {
                try OTPTokenDefinition(
                    id: "aut_5", app: "app", server: nil, kind: kind, signatureSuite: chosen,
                    secret: secret)
            }
        }
    }

    @Test func `a token with another suite signs nothing`() async throws {
        let machine = try Machine()
        let other = try OTPTokenDefinition(
            id: "aut_3", app: "app", server: nil, kind: .totp(totp),
            signatureSuite: OCRASuite("OCRA-1:HOTP-SHA1-6:QN08"), secret: secret(3))
        try await machine.vault.keep(other, pin: pin)
        await #expect(throws: OTPError(.suite, "")) {
            try await machine.vault.sign(transfer, on: "aut_3", with: .pin(right))
        }
    }

    @Test func `no code follows the last counter`() async throws {
        let machine = try Machine()
        try await machine.vault.keep(counting(from: .max - 1), pin: pin)
        for _ in 0..<2 { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
        #expect(
            await code { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
                == .exhausted)
    }

    @Test func `several tokens are listed and removed, and none is stored twice`() async throws {
        let machine = try Machine()
        #expect(
            try await machine.vault.tokens().isEmpty
                && !FileManager.default.fileExists(atPath: machine.folder.path))
        try await machine.vault.keep(counting(), pin: pin)
        try await machine.vault.keep(timed(), pin: pin)
        #expect(await code { try await machine.vault.keep(timed(), pin: pin) } == .exists)
        let tokens = try await machine.vault.tokens()
        #expect(
            tokens.map(\.id) == ["aut_1", "aut_2"] && tokens.map(\.kind) == [.hotp, .totp]
                && tokens.map(\.digits) == [8, 6])
        #expect(tokens[1].stepSeconds == 30 && tokens[1].server == "https://login.example.org")
        try await machine.vault.remove("aut_1")
        #expect(try await machine.vault.tokens().map(\.id) == ["aut_2"])
        #expect(await code { try await machine.vault.remove("aut_1") } == .unknown)
        #expect(
            await code { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
                == .unknown)
    }

    @Test func `a device stores at most a hundred tokens`() async throws {
        let machine = try Machine(), vault = machine.vault
        for number in 0..<100 { try await vault.keep(timed("aut_\(number)"), pin: pin) }
        #expect(await code { try await vault.keep(timed("aut_100"), pin: pin) } == .full)
    }

    @Test
    func
        `a registration's key stays the same until its token is stored or ten minutes have passed`()
        async throws
    {
        let machine = try Machine(), code = Sensitive("otc_1.secret")
        let key = try await machine.vault.registrationKey(for: code)
        #expect(key.use(\.count) == 32)
        #expect(try await machine.vault.registrationKey(for: code) == key)
        machine.clock.pass(599)
        #expect(try await machine.vault.registrationKey(for: code) == key)
        machine.clock.pass(1)
        let later = try await machine.vault.registrationKey(for: code)
        #expect(later != key)
        try await machine.vault.keep(counting(), pin: pin)
        #expect(try await machine.vault.registrationKey(for: code) != later)
        #expect(try await machine.vault.registrationKey(for: Sensitive("otc_2.secret")) != later)
    }

    @Test
    func `simultaneous requests from several processes never repeat a code`()
        async throws
    {
        let machine = try Machine(), one = machine.vault, two = machine.vault
        try await one.keep(counting(), pin: pin)
        let codes = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<16 {
                let vault = number % 2 == 0 ? one : two
                group.addTask { try await vault.code(of: "aut_1", with: .pin(right)).text }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(codes) == Set((0..<16).map { hotp.code(at: UInt64($0), with: secret()).text }))
    }

    // MARK: PINs

    @Test func `a wrong PIN gives a wrong code and no error, and the counter advances`()
        async throws
    {
        let machine = try Machine()
        try await machine.vault.keep(counting(), pin: pin)
        let first = try await machine.vault.code(of: "aut_1", with: .pin(wrong))
        #expect(first.text.count == 8 && first.text != hotp.code(at: 0, with: secret()).text)
        #expect(
            try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                == hotp.code(at: 1, with: secret()).text)
    }

    @Test func `a PIN is changed; a wrong old PIN makes the token useless without an error`()
        async throws
    {
        let machine = try Machine(), new = try DevicePIN(Sensitive("9038")),
            newInput = PINInput(new)
        try await machine.vault.keep(counting(), pin: pin)
        try await machine.vault.changePIN(of: "aut_1", from: right, to: new)
        #expect(
            try await machine.vault.code(of: "aut_1", with: .pin(newInput)).text
                == hotp.code(at: 0, with: secret()).text)
        #expect(
            try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                != hotp.code(at: 1, with: secret()).text)
        try await machine.vault.changePIN(of: "aut_1", from: wrong, to: pin)
        let codes = (0..<10).map { hotp.code(at: $0, with: secret()).text }
        for input in [right, wrong, newInput] {
            let given = try await machine.vault.code(of: "aut_1", with: .pin(input)).text
            #expect(!codes.contains(given))
        }
    }

    @Test(
        "a malformed PIN is refused before anything is computed",
        arguments: ["", "123", "1234567890123", "12a4", "１２３４", "12 34"])
    func form(text: String) {
        #expect(throws: OTPTokenError(.pin, "")) { try PINInput(Sensitive(text)) }
    }

    @Test func `a secret of another length is refused`() throws {
        for count in [16, 31, 33, 64] {
            let other = try OTPSecret(bytes: [UInt8](repeating: 1, count: count))
            #expect(throws: OTPTokenError(.secret, "")) {
                try OTPTokenDefinition(
                    id: "aut_3", app: "app", server: nil, kind: .totp(totp), signatureSuite: suite,
                    secret: other)
            }
        }
    }

    // MARK: Faces

    @Test func `a token is upgraded, activated, unlocked by a recent face, and deactivated`()
        async throws
    {
        let machine = try Machine(), vault = machine.vault
        try await vault.keep(counting(), pin: pin)
        try await machine.faces.enrollLive(1, as: ada)
        let mode = try await machine.faces.authMode(of: ada)
        #expect(try await !vault.isMultiAuthModeEnabled("aut_1"))
        #expect(
            await code { try await vault.activateAuthMode(mode, on: "aut_1", pin: right) }
                == .notMultiAuth)
        try await vault.upgradeToMultiAuthMode("aut_1", pin: right)
        #expect(try await vault.isMultiAuthModeEnabled("aut_1"))
        #expect(try await !vault.isAuthModeActive(mode, on: "aut_1"))
        let early = try #require(try await look(1, for: ada, machine).input)
        #expect(
            await code { _ = try await vault.code(of: "aut_1", with: .face(early)) }
                == .faceInactive)
        try await vault.activateAuthMode(mode, on: "aut_1", pin: right)
        #expect(try await vault.isAuthModeActive(mode, on: "aut_1"))

        let input = try #require(try await look(1, for: ada, machine, capture: "cap_7").input)
        #expect(input.capture.text == "cap_7")
        #expect(
            try await vault.code(of: "aut_1", with: .face(input)).text
                == hotp.code(at: 0, with: secret()).text)
        #expect(
            try await vault.code(of: "aut_1", with: .pin(right)).text
                == hotp.code(at: 1, with: secret()).text)
        // Changing the PIN does not change the face mode.
        try await vault.changePIN(of: "aut_1", from: right, to: DevicePIN(Sensitive("9038")))
        let next = try #require(try await look(1, for: ada, machine).input)
        #expect(
            try await vault.code(of: "aut_1", with: .face(next)).text
                == hotp.code(at: 2, with: secret()).text)
        // A signature under the face is the same as under the PIN, and spends the look at the face.
        let signing = try #require(try await look(1, for: ada, machine).input)
        #expect(
            try await vault.sign(transfer, on: "aut_1", with: .face(signing)).text
                == transfer.response(with: secret()).text)
        #expect(
            await code { _ = try await vault.sign(transfer, on: "aut_1", with: .face(signing)) }
                == .inputSpent)

        try await vault.deactivateAuthMode(on: "aut_1")
        #expect(try await !vault.isAuthModeActive(mode, on: "aut_1"))
        #expect(try await vault.isMultiAuthModeEnabled("aut_1"))
        let late = try #require(try await look(1, for: ada, machine).input)
        #expect(
            await code { _ = try await vault.code(of: "aut_1", with: .face(late)) } == .faceInactive
        )
    }

    @Test
    func
        `a face activated with a wrong PIN gives wrong codes; activated again with the right PIN, right ones`()
        async throws
    {
        let machine = try Machine(), vault = machine.vault
        try await vault.keep(counting(), pin: pin)
        try await machine.faces.enrollLive(1, as: ada)
        let mode = try await machine.faces.authMode(of: ada)
        try await vault.upgradeToMultiAuthMode("aut_1", pin: wrong)
        try await vault.activateAuthMode(mode, on: "aut_1", pin: wrong)
        let first = try #require(try await look(1, for: ada, machine).input)
        #expect(
            try await vault.code(of: "aut_1", with: .face(first)).text
                != hotp.code(at: 0, with: secret()).text)
        try await vault.activateAuthMode(mode, on: "aut_1", pin: right)
        let second = try #require(try await look(1, for: ada, machine).input)
        #expect(
            try await vault.code(of: "aut_1", with: .face(second)).text
                == hotp.code(at: 1, with: secret()).text)
    }

    @Test func `the server checks a code of the PIN before an upgrade`() async throws {
        let machine = try Machine(), vault = machine.vault
        try await vault.keep(counting(), pin: pin)
        let isRight: @Sendable (OneTimeCode) -> Bool = { code in
            (0..<3).contains { hotp.code(at: $0, with: secret()).matches(code) }
        }
        let refused = await code {
            try await vault.upgradeToMultiAuthMode("aut_1", pin: wrong) { isRight($0) }
        }
        #expect(refused == .notConfirmed)
        #expect(try await !vault.isMultiAuthModeEnabled("aut_1"))
        try await vault.upgradeToMultiAuthMode("aut_1", pin: right) { isRight($0) }
        #expect(try await vault.isMultiAuthModeEnabled("aut_1"))
    }

    @Test
    func
        `a verification unlocks a token once, within a minute, and only for the person as enrolled`()
        async throws
    {
        let machine = try Machine(), vault = machine.vault
        try await vault.keep(counting(), pin: pin)
        try await machine.faces.enrollLive(1, as: ada)
        try await machine.faces.enrollLive(2, as: bob)
        try await vault.upgradeToMultiAuthMode("aut_1", pin: right)
        try await vault.activateAuthMode(machine.faces.authMode(of: ada), on: "aut_1", pin: right)

        let stranger = try await look(2, for: ada, machine)
        #expect(stranger.input == nil && stranger.verdict.refusals == [.noMatch])
        let other = try #require(try await look(2, for: bob, machine).input)
        #expect(
            await code { _ = try await vault.code(of: "aut_1", with: .face(other)) }
                == .faceInactive)

        let once = try #require(try await look(1, for: ada, machine).input)
        _ = try await vault.code(of: "aut_1", with: .face(once))
        #expect(
            await code { _ = try await vault.code(of: "aut_1", with: .face(once)) } == .inputSpent)
        let old = try #require(try await look(1, for: ada, machine).input)
        machine.uptime.pass(.seconds(60))
        #expect(
            await code { _ = try await vault.code(of: "aut_1", with: .face(old)) } == .inputSpent)
        let justInTime = try #require(try await look(1, for: ada, machine).input)
        machine.uptime.pass(.milliseconds(59_999))
        // Refused inputs used up no counter.
        #expect(
            try await vault.code(of: "aut_1", with: .face(justInTime)).text
                == hotp.code(at: 1, with: secret()).text)
    }

    @Test func `only one of many simultaneous uses of a verification gets a code`() async throws {
        let machine = try Machine(), vault = machine.vault
        try await vault.keep(timed(), pin: pin)
        try await machine.faces.enrollLive(1, as: ada)
        try await vault.upgradeToMultiAuthMode("aut_2", pin: right)
        try await vault.activateAuthMode(machine.faces.authMode(of: ada), on: "aut_2", pin: right)
        let input = try #require(try await look(1, for: ada, machine).input)
        let won = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { await (try? vault.code(of: "aut_2", with: .face(input))) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(won == 1)
    }

    @Test func `a face that is removed or enrolled again no longer unlocks a token`() async throws {
        let machine = try Machine(), vault = machine.vault
        for token in [counting(), timed()] { try await vault.keep(token, pin: pin) }
        for (person, name) in [(1, ada), (2, bob)] {
            try await machine.faces.enrollLive(person, as: name)
        }
        for (id, name) in [("aut_1", ada), ("aut_2", bob)] {
            try await vault.upgradeToMultiAuthMode(id, pin: right)
            try await vault.activateAuthMode(machine.faces.authMode(of: name), on: id, pin: right)
        }
        try await machine.faces.unenroll(ada)
        #expect(try await vault.tokens().map(\.isFaceModeActive) == [false, true])
        try await machine.faces.enrollLive(3, as: bob)
        #expect(try await vault.tokens().map(\.isFaceModeActive) == [false, false])
        try await vault.activateAuthMode(machine.faces.authMode(of: bob), on: "aut_2", pin: right)
        try await machine.faces.reset()
        #expect(try await vault.tokens().map(\.isFaceModeActive) == [false, false])
        // The other enrollment is detected even if the vault was not told.
        try await machine.faces.enrollLive(1, as: ada)
        try await vault.activateAuthMode(FaceAuthMode(face(2), of: ada), on: "aut_1", pin: right)
        let input = try #require(try await look(1, for: ada, machine).input)
        #expect(
            await code { _ = try await vault.code(of: "aut_1", with: .face(input)) }
                == .faceInactive)
    }

    @Test func `a reset of the faces succeeds despite tokens of another device`() async throws {
        var machine = try Machine()
        try await machine.vault.keep(counting(), pin: pin)
        machine.id = "machine two"
        #expect(await code { _ = try await machine.vault.tokens() } == .otherDevice)
        try await machine.vault.deactivateFaceMode(of: nil)
        try await machine.vault.reset()
        #expect(try await machine.vault.tokens().isEmpty)
        try await machine.vault.keep(counting(), pin: pin)
        #expect(
            try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                == hotp.code(at: 0, with: secret()).text)
    }
}

@Suite struct TokenFileTests {
    @Test func `a file with any changed bit is refused`() async throws {
        let machine = try Machine()
        try await machine.vault.keep(timed(), pin: pin)
        let whole = [UInt8](try machine.backup())
        for index in stride(from: 0, to: whole.count, by: Thoroughness.step(7)) {
            var changed = whole
            changed[index] ^= 1 << UInt8(index % 8)
            try machine.restore(Data(changed))
            #expect(
                await code { _ = try await machine.vault.tokens() } == .storage, "byte \(index)")
        }
        try machine.restore(Data(whole))
        #expect(try await machine.vault.tokens().count == 1)
    }

    @Test
    func
        `an interrupted change repeats no code and is not mistaken for a backup`()
        async throws
    {
        for calls in stride(from: 0, to: 300, by: Thoroughness.step(3)) {
            var machine = try Machine()
            try await machine.vault.keep(counting(), pin: pin)
            let failing = FailingFiles(after: calls)
            var broken = machine
            broken.files = failing
            var given: [String] = []
            for _ in 0..<2 {
                if let code = try? await broken.vault.code(of: "aut_1", with: .pin(right)) {
                    given.append(code.text)
                }
            }
            machine.files = POSIXFileSystem()
            #expect(
                try await machine.vault.token("aut_1").isRestored == false, "after \(calls) calls")
            given.append(try await machine.vault.code(of: "aut_1", with: .pin(right)).text)
            #expect(Set(given).count == given.count, "after \(calls) calls")
            if !failing.hasFailed { return }
        }
        Issue.record("two codes take fewer calls than this")
    }

    @Test func `the first token can be stored again after any interruption`() async throws {
        for calls in stride(from: 0, to: 300, by: Thoroughness.step(3)) {
            var machine = try Machine()
            let failing = FailingFiles(after: calls)
            machine.files = failing
            let first = await code { try await machine.vault.keep(counting(), pin: pin) }
            #expect((first == nil) == !failing.hasFailed, "after \(calls) calls")
            machine.files = POSIXFileSystem()
            let second = await code { try await machine.vault.keep(counting(), pin: pin) }
            #expect(second == nil || second == .exists, "after \(calls) calls")
            #expect(
                try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                    == hotp.code(at: 0, with: secret()).text, "after \(calls) calls")
            if !failing.hasFailed { return }
        }
        Issue.record("keeping a token takes fewer calls than this")
    }

    // MARK: Backups

    @Test
    func
        `a restored backup is detected: counter-based tokens give no codes, and a removed face unlocks nothing`()
        async throws
    {
        let machine = try Machine(), vault = machine.vault
        for token in [counting(), timed()] { try await vault.keep(token, pin: pin) }
        try await machine.faces.enrollLive(1, as: ada)
        try await vault.upgradeToMultiAuthMode("aut_2", pin: right)
        try await vault.activateAuthMode(machine.faces.authMode(of: ada), on: "aut_2", pin: right)
        let old = try machine.backup()
        _ = try await vault.code(of: "aut_1", with: .pin(right))
        try await vault.deactivateAuthMode(on: "aut_2")

        try machine.restore(old)
        for _ in 0..<2 {
            let tokens = try await machine.vault.tokens()
            #expect(
                tokens.map(\.isRestored) == [true, false]
                    && tokens.map(\.isFaceModeActive) == [false, false])
            #expect(
                await code { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
                    == .restored)
            #expect(
                try await machine.vault.code(of: "aut_2", with: .pin(right)).text
                    == totp.code(at: machine.clock.now, with: secret(2)).text)
            // Restored again; tokens that were marked stay marked.
            try machine.restore(old)
        }
        try await machine.vault.remove("aut_1")
        try await machine.vault.keep(counting(seed: 9), pin: pin)
        #expect(
            try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                == hotp.code(at: 0, with: secret(9)).text)
    }

    @Test func `the file counts as restored if its generation's copy is missing or older`()
        async throws
    {
        for isGone in [true, false] {
            let machine = try Machine()
            try await machine.vault.keep(counting(), pin: pin)
            let state = machine.scratch("state")
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: state.path).first {
                    $0.hasSuffix(".generation")
                })
            let old = try Data(contentsOf: state.appending(path: name))
            for _ in 0..<2 { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
            if isGone {
                try FileManager.default.removeItem(at: state)
            } else {
                try old.write(to: state.appending(path: name))
            }
            #expect(
                await code { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
                    == .restored)
        }
    }

    @Test func `only a file exactly one generation ahead of the copy is an interrupted change`() {
        for file in UInt64(0)..<6 {
            for witness in UInt64(0)..<6 {
                let expected: Generation =
                    file == witness ? .present : file == witness + 1 ? .interrupted : .restored
                #expect(Generation(file: file, witness: witness) == expected)
            }
            #expect(Generation(file: file, witness: nil) == .restored)
            #expect(Generation(file: file, witness: .max) == .restored)
        }
        #expect(Generation(file: .max, witness: .max) == .present)
    }

    @Test func `a file copied to another machine cannot be opened`() async throws {
        var machine = try Machine()
        try await machine.vault.keep(counting(), pin: pin)
        machine.id = "machine two"
        #expect(
            await code { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
                == .otherDevice)
    }

    // MARK: With a TPM

    private static let hasTPM = SoftwareTPM.program != nil

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func `the TPM's counter detects even a complete restore`() async throws {
        try await SoftwareTPM.run { tpm in
            let machine = try Machine(tpm: tpm)
            try await machine.vault.keep(counting(), pin: pin)
            try await machine.vault.keep(timed(), pin: pin)
            #expect(
                try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                    == hotp.code(at: 0, with: secret()).text)
            try await tpm.restart()
            let copy = machine.scratch("copy")
            try FileManager.default.copyItem(at: machine.folder, to: copy)
            #expect(
                try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                    == hotp.code(at: 1, with: secret()).text)
            #expect(!FileManager.default.fileExists(atPath: machine.scratch("state").path))
            try FileManager.default.removeItem(at: machine.folder)
            try FileManager.default.moveItem(at: copy, to: machine.folder)
            #expect(
                await code { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
                    == .restored)
            #expect(
                try await machine.vault.code(of: "aut_2", with: .pin(right)).text
                    == totp.code(at: machine.clock.now, with: secret(2)).text)
        }
    }

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func `tokens move to a TPM that is added later, and earlier copies become unusable`()
        async throws
    {
        try await SoftwareTPM.run { tpm in
            var machine = try Machine()
            try await machine.vault.keep(counting(), pin: pin)
            let copy = machine.scratch("copy")
            try FileManager.default.copyItem(at: machine.folder, to: copy)
            machine.tpm = tpm.address
            #expect(try await machine.vault.isMigrationNeeded())
            try await machine.vault.migrate()
            #expect(try await !machine.vault.isMigrationNeeded())
            #expect(
                try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                    == hotp.code(at: 0, with: secret()).text)
            try FileManager.default.removeItem(at: machine.folder)
            try FileManager.default.moveItem(at: copy, to: machine.folder)
            #expect(
                await code { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
                    == .otherDevice)
        }
    }

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func `with a TPM, too, an interrupted change is not mistaken for a backup`() async throws {
        try await SoftwareTPM.run { tpm in
            let machine = try Machine(tpm: tpm)
            try await machine.vault.keep(counting(), pin: pin)
            var given: Set<String> = [], codes = 0
            for calls in stride(from: 0, to: 100, by: Thoroughness.step(3)) {
                let failing = FailingFiles(after: calls)
                var broken = machine
                broken.files = failing
                if let code = try? await broken.vault.code(of: "aut_1", with: .pin(right)) {
                    (codes, given) = (codes + 1, given.union([code.text]))
                }
                #expect(
                    try await machine.vault.token("aut_1").isRestored == false,
                    "after \(calls) calls")
                if !failing.hasFailed {
                    #expect(given.count == codes && codes > 0)
                    return
                }
            }
            Issue.record("a code takes fewer calls than this")
        }
    }

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func
        `a vault has one TPM counter while it has a file: reading creates none, and a reset removes it`()
        async throws
    {
        try await SoftwareTPM.run { tpm in
            let machine = try Machine(tpm: tpm), chip = TPM(address: tpm.address)
            func counters() async throws -> Int { try await chip.counterIndices().count }
            let vault = machine.vault
            #expect(try await vault.tokens().isEmpty)
            #expect(await code { _ = try await vault.token("aut_1") } == .unknown)
            #expect(
                await code { _ = try await vault.code(of: "aut_1", with: .pin(right)) } == .unknown)
            #expect(
                await code {
                    _ = try await vault.sign(transfer, on: "aut_1", with: .pin(right))
                } == .unknown)
            #expect(await code { try await vault.remove("aut_1") } == .unknown)
            #expect(
                await code { try await vault.upgradeToMultiAuthMode("aut_1", pin: right) }
                    == .unknown)
            #expect(await code { _ = try await vault.isMultiAuthModeEnabled("aut_1") } == .unknown)
            #expect(await code { try await vault.deactivateAuthMode(on: "aut_1") } == .unknown)
            #expect(
                await code { try await vault.changePIN(of: "aut_1", from: right, to: pin) }
                    == .unknown)
            try await vault.deactivateFaceMode(of: nil)
            #expect(
                try await counters() == 0
                    && !FileManager.default.fileExists(atPath: machine.folder.path),
                "nothing was touched")

            for _ in 0..<3 {
                try await vault.keep(counting(), pin: pin)
                try await vault.keep(timed(), pin: pin)
                _ = try await vault.code(of: "aut_1", with: .pin(right))
                #expect(
                    await code { _ = try await vault.code(of: "aut_9", with: .pin(right)) }
                        == .unknown)
                #expect(try await counters() == 1)
                try await vault.reset()
                #expect(try await counters() == 0)
            }
            try await vault.reset()
        }
    }

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func
        `a failed first change leaves no counter; a crash's counter is reused, and another owner's stays`()
        async throws
    {
        try await SoftwareTPM.run { tpm in
            let machine = try Machine(tpm: tpm), chip = TPM(address: tpm.address)
            func counters() async throws -> Int { try await chip.counterIndices().count }
            let stranger = try await chip.makeCounter(auth: Sensitive([9, 9, 9]))
            try await machine.vault.keep(counting(), pin: pin)
            #expect(try await counters() == 2)
            // As after a crash between the counter and the file.
            try FileManager.default.removeItem(at: machine.file)
            var broken = machine
            broken.files = FailingFiles(after: 0, only: .create)
            #expect(await code { try await broken.vault.keep(counting(), pin: pin) } == .storage)
            #expect(try await counters() == 1)
            for _ in 0..<3 {
                try await machine.vault.keep(counting(), pin: pin)
                #expect(try await counters() == 2)
                #expect(
                    try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                        == hotp.code(at: 0, with: secret()).text)
                try FileManager.default.removeItem(at: machine.file)
            }
            // A reset finds the counter even without the file.
            try await machine.vault.reset()
            #expect(try await chip.counterIndices() == [stranger.index])
        }
    }

    @Test(.enabled(if: hasTPM, Comment(rawValue: SoftwareTPM.missing)))
    func
        `an interrupted move to the TPM uses one counter, and so does one whose counter is gone`()
        async throws
    {
        try await SoftwareTPM.run { tpm in
            var machine = try Machine()
            let chip = TPM(address: tpm.address)
            func counters() async throws -> Int { try await chip.counterIndices().count }
            try await machine.vault.keep(counting(), pin: pin)
            machine.tpm = tpm.address
            for calls in stride(from: 0, to: 200, by: Thoroughness.step(3)) {
                let failing = FailingFiles(after: calls)
                var broken = machine
                broken.files = failing
                try? await broken.vault.migrate()
                #expect(try await counters() <= 1, "after \(calls) calls")
                if !failing.hasFailed { break }
            }
            #expect(try await counters() == 1)
            #expect(
                try await machine.vault.code(of: "aut_1", with: .pin(right)).text
                    == hotp.code(at: 0, with: secret()).text)
            for index in try await chip.counterIndices() { try await chip.removeCounter(index) }
            #expect(try await machine.vault.token("aut_1").isRestored)
            #expect(try await counters() == 1)
            try await machine.vault.reset()
            #expect(try await counters() == 0)
        }
    }
}
