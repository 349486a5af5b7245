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

@Suite struct TokenFileTests: TokenTesting {
    @Test func `a file with any changed bit is refused`() async throws {
        let machine = try TokenMachine()
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
            var machine = try TokenMachine()
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
            var machine = try TokenMachine()
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
        let machine = try TokenMachine(), vault = machine.vault
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
            let machine = try TokenMachine()
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
        var machine = try TokenMachine()
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
            let machine = try TokenMachine(tpm: tpm)
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
            var machine = try TokenMachine()
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
            let machine = try TokenMachine(tpm: tpm)
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
            let machine = try TokenMachine(tpm: tpm), chip = TPM(address: tpm.address)
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
            let machine = try TokenMachine(tpm: tpm), chip = TPM(address: tpm.address)
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
            var machine = try TokenMachine()
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
