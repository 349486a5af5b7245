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

@Suite struct OTPVaultTests: TokenTesting {
    // MARK: Codes

    @Test func `a counter-based token gives the standard's codes, each once, over restarts`()
        async throws
    {
        let machine = try TokenMachine()
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
        let machine = try TokenMachine()
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
        let machine = try TokenMachine()
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
        let machine = try TokenMachine(), cap = try CAP(), key = try card().secret
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
        let machine = try TokenMachine(), challenge = try CAPQuestion(challenge: "1")
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
        let machine = try TokenMachine()
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
        let machine = try TokenMachine()
        let other = try OTPTokenDefinition(
            id: "aut_3", app: "app", server: nil, kind: .totp(totp),
            signatureSuite: OCRASuite("OCRA-1:HOTP-SHA1-6:QN08"), secret: secret(3))
        try await machine.vault.keep(other, pin: pin)
        await #expect(throws: OTPError(.suite, "")) {
            try await machine.vault.sign(transfer, on: "aut_3", with: .pin(right))
        }
    }

    @Test func `no code follows the last counter`() async throws {
        let machine = try TokenMachine()
        try await machine.vault.keep(counting(from: .max - 1), pin: pin)
        for _ in 0..<2 { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
        #expect(
            await code { _ = try await machine.vault.code(of: "aut_1", with: .pin(right)) }
                == .exhausted)
    }

    @Test func `several tokens are listed and removed, and none is stored twice`() async throws {
        let machine = try TokenMachine()
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
        let machine = try TokenMachine(), vault = machine.vault
        for number in 0..<100 { try await vault.keep(timed("aut_\(number)"), pin: pin) }
        #expect(await code { try await vault.keep(timed("aut_100"), pin: pin) } == .full)
    }

    @Test
    func
        `a registration's key stays the same until its token is stored or ten minutes have passed`()
        async throws
    {
        let machine = try TokenMachine(), code = Sensitive("otc_1.secret")
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
        let machine = try TokenMachine(), one = machine.vault, two = machine.vault
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
        let machine = try TokenMachine()
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
        let machine = try TokenMachine(), new = try DevicePIN(Sensitive("9038")),
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
        let machine = try TokenMachine(), vault = machine.vault
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
        let machine = try TokenMachine(), vault = machine.vault
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
        let machine = try TokenMachine(), vault = machine.vault
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
        let machine = try TokenMachine(), vault = machine.vault
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
        let machine = try TokenMachine(), vault = machine.vault
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
        let machine = try TokenMachine(), vault = machine.vault
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
        var machine = try TokenMachine()
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
