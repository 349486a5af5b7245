import Crypto
import Foundation
import MienCore
import MienTPM
import MienTesting
import Testing

private let quiet: Void = TPM.quietLibrary()

private func secret(_ byte: UInt8) -> Sensitive<[UInt8]> {
    Sensitive([UInt8](repeating: byte, count: 32))
}

private func isRight(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) throws
    -> Bool
{
    try P256.Signing.PublicKey(x963Representation: publicKey)
        .isValidSignature(.init(rawRepresentation: signature), for: SHA256.hash(data: message))
}

private func digest(_ message: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: message)) }

/// Against a real TPM in software.
@Suite(.enabled(if: SoftwareTPM.program != nil, Comment(rawValue: SoftwareTPM.missing)))
struct TPMTests {
    private let message = Array("who goes there".utf8)

    /// A fresh TPM; whatever `body` did, nothing of it may be left in there.
    private func withTPM(_ body: (TPM, SoftwareTPM) async throws -> Void) async throws {
        _ = quiet
        try await SoftwareTPM.run { machine in
            try await body(TPM(address: machine.address), machine)
            #expect(
                try await TPM(address: machine.address).handleCount() == 0,
                "objects or sessions are left")
        }
    }

    @Test
    func `what it signs verifies elsewhere, under the key that it told, for that message alone`()
        async throws
    {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: secret(1)),
                other = try await tpm.makeSigningKey(auth: secret(1))
            #expect(key.publicKey.count == 65 && key.publicKey != other.publicKey)
            #expect(try TPM.publicKey(of: TPMBlob(bytes: key.blob.bytes)) == key.publicKey)
            let signature = try await tpm.sign(
                digest: digest(message), with: TPMBlob(bytes: key.blob.bytes), auth: secret(1))
            #expect(try isRight(signature, of: message, by: key.publicKey))
            #expect(try !isRight(signature, of: message + [0], by: key.publicKey))
            #expect(try !isRight(signature, of: message, by: other.publicKey))
        }
    }

    @Test
    func
        `a wrong auth value is told apart from everything else and counted, a right one still works`()
        async throws
    {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: secret(1))
            let before = try await tpm.lockout()
            #expect(!before.isLockedOut && before.triesLeft == before.tries && before.tries > 1)
            await #expect(throws: TPMError(.wrongAuth, "")) {
                try await tpm.sign(digest: digest(message), with: key.blob, auth: secret(2))
            }
            #expect(try await tpm.lockout().triesLeft == before.triesLeft - 1)
            let signature = try await tpm.sign(
                digest: digest(message), with: key.blob, auth: secret(1))
            #expect(try isRight(signature, of: message, by: key.publicKey))
        }
    }

    @Test func `after too many wrong ones the right one is refused, too, as locked out`()
        async throws
    {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: secret(1))
            let sealed = try await tpm.seal(Sensitive([7]), auth: secret(1))
            for _ in 0..<(try await tpm.lockout().triesLeft) {
                await #expect(throws: TPMError(.wrongAuth, "")) {
                    try await tpm.sign(digest: digest(message), with: key.blob, auth: secret(2))
                }
            }
            #expect(try await tpm.lockout().isLockedOut)
            #expect(try await tpm.lockout().triesLeft == 0)
            await #expect(throws: TPMError(.lockedOut, "")) {
                try await tpm.sign(digest: digest(message), with: key.blob, auth: secret(1))
            }
            await #expect(throws: TPMError(.lockedOut, "")) {
                try await tpm.unseal(sealed, auth: secret(1))
            }
        }
    }

    @Test func `every changed bit of a blob is refused`() async throws {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: secret(1)), good = key.blob.bytes
            // Every byte of the frame and of the areas' ends; every seventh of what lies between,
            // which one code path judges.
            for place in good.indices where place < 40 || place > good.count - 8 || place % 7 == 0 {
                var bad = good
                bad[place] ^= 1 << UInt8(place % 8)
                await #expect(throws: TPMError(.blobRefused, ""), "byte \(place)") {
                    try await tpm.sign(
                        digest: digest(message), with: TPMBlob(bytes: bad), auth: secret(1))
                }
            }
            #expect(try await tpm.lockout().triesLeft == tpm.lockout().tries, "damage is no guess")
        }
    }

    @Test func `a shortened or lengthened blob is refused before the TPM is asked`() async throws {
        try await withTPM { tpm, _ throws in
            let good = try await tpm.seal(Sensitive([1, 2, 3]), auth: secret(1)).bytes
            for count in 0..<good.count {
                #expect(throws: TPMError(.blobRefused, "")) {
                    try TPMBlob(bytes: Array(good.prefix(count)))
                }
            }
            #expect(throws: TPMError(.blobRefused, "")) { try TPMBlob(bytes: good + [0]) }
            #expect(throws: TPMError(.blobRefused, "")) {
                try TPMBlob(bytes: [UInt8](repeating: 0, count: TPMBlob.sizeLimit + 1))
            }
            #expect(try TPMBlob(bytes: good).bytes == good)
        }
    }

    @Test func `a key of another TPM is refused`() async throws {
        try await withTPM { tpm, _ throws in
            try await withTPM { other, _ throws in
                let key = try await other.makeSigningKey(auth: secret(1))
                await #expect(throws: TPMError(.blobRefused, "")) {
                    try await tpm.sign(digest: digest(message), with: key.blob, auth: secret(1))
                }
            }
        }
    }

    @Test func `sealed data comes back under its auth value alone, and a key is no sealed data`()
        async throws
    {
        try await withTPM { tpm, _ throws in
            for data in [[UInt8(9)], Array(0..<128)] {
                let blob = try await tpm.seal(Sensitive(data), auth: secret(3))
                #expect(try await tpm.unseal(blob, auth: secret(3)).use { $0 == data })
                #expect(blob.bytes.firstRange(of: data.count > 1 ? data : [1, 2, 3, 4, 5]) == nil)
            }
            let blob = try await tpm.seal(Sensitive([1]), auth: secret(3)),
                key = try await tpm.makeSigningKey(auth: secret(3))
            await #expect(throws: TPMError(.wrongAuth, "")) {
                try await tpm.unseal(blob, auth: secret(4))
            }
            await #expect(throws: TPMError(.blobRefused, "")) {
                try await tpm.unseal(key.blob, auth: secret(3))
            }
            await #expect(throws: TPMError(.blobRefused, "")) {
                try await tpm.sign(digest: digest(message), with: blob, auth: secret(3))
            }
            #expect(throws: TPMError(.blobRefused, "")) { try TPM.publicKey(of: blob) }
        }
    }

    @Test func `data bound to registers needs them as they were, and the auth value as well`()
        async throws
    {
        try await withTPM { tpm, _ throws in
            let registers = try PCRSelection([0, 7, 16])
            let blob = try await tpm.seal(Sensitive([5, 6]), auth: secret(1), boundTo: registers)
            #expect(try TPMBlob(bytes: blob.bytes).registers == registers)
            #expect(try await tpm.unseal(blob, auth: secret(1)).use { $0 == [5, 6] })
            await #expect(throws: TPMError(.wrongAuth, "")) {
                try await tpm.unseal(blob, auth: secret(2))
            }
            // Bytes 5…7 say which registers: neither others nor none help.
            for mask: [UInt8] in [[0x01, 0x01, 0x01], [0x81, 0, 0], [0, 0, 0]] {
                var other = blob.bytes
                other.replaceSubrange(5..<8, with: mask)
                await #expect(
                    throws: TPMError(mask == [0, 0, 0] ? .blobRefused : .policyNotMet, "")
                ) {
                    try await tpm.unseal(TPMBlob(bytes: other), auth: secret(1))
                }
            }
            try await tpm.extend(16, with: digest(message))
            await #expect(throws: TPMError(.policyNotMet, "")) {
                try await tpm.unseal(blob, auth: secret(1))
            }
        }
    }

    @Test func `many at once all get their own answer`() async throws {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: secret(1))
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for i in 0..<24 {
                    group.addTask {
                        let message = Array("message \(i)".utf8)
                        if i % 6 == 5 { return try await tpm.random(100).count == 100 }
                        return try isRight(
                            await tpm.sign(
                                digest: digest(message), with: key.blob, auth: secret(1)),
                            of: message, by: key.publicKey)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test
    func
        `while the TPM is slow, callers beyond those who may wait are turned away at once, and the others get their answers`()
        async throws
    {
        try await withTPM { tpm, machine throws in
            #expect(try await tpm.random(1).count == 1)
            await machine.pause()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<(TPM.maxWaiting + 20) {
                    group.addTask {
                        do { return try await tpm.random(1).count == 1 } catch let error as TPMError
                            where error == TPMError(.busy, "")
                        {
                            return false
                        }
                    }
                }
                // Nobody else can have ended: the TPM stands still.
                for _ in 0..<20 { #expect(try await group.next() == false) }
                await machine.resume()
                var served = 0
                for try await isServed in group where isServed { served += 1 }
                #expect(served == TPM.maxWaiting)
            }
        }
    }

    @Test func `a cancelled task asks nothing of the TPM`() async throws {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: secret(1)),
                before = try await tpm.lockout()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await tpm.sign(digest: digest(message), with: key.blob, auth: secret(2))
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await tpm.lockout() == before)
        }
    }

    @Test func `keys and sealed data outlive a restart, which the same value gets over`()
        async throws
    {
        try await withTPM { tpm, machine throws in
            let key = try await tpm.makeSigningKey(auth: secret(1)),
                sealed = try await tpm.seal(Sensitive([8]), auth: secret(1))
            await machine.stop()
            await #expect(throws: TPMError(.unreachable, "")) { try await tpm.random(1) }
            try await machine.restart()
            let signature = try await tpm.sign(
                digest: digest(message), with: key.blob, auth: secret(1))
            #expect(try isRight(signature, of: message, by: key.publicKey))
            #expect(try await tpm.unseal(sealed, auth: secret(1)).use { $0 == [8] })
        }
    }

    @Test func `a counter goes up by one, over restarts, and never back, not even made anew`()
        async throws
    {
        try await withTPM { tpm, machine throws in
            let counter = try await tpm.makeCounter(auth: secret(1))
            #expect(try await tpm.value(ofCounter: counter.index, auth: secret(1)) == counter.value)
            for step in UInt64(1)...3 {
                #expect(
                    try await tpm.increment(counter: counter.index, auth: secret(1)) == counter
                        .value + step)
            }
            try await machine.restart()
            #expect(
                try await tpm.value(ofCounter: counter.index, auth: secret(1)) == counter.value + 3)
            #expect(try await tpm.removeCounter(counter.index))
            #expect(try await !tpm.removeCounter(counter.index))
            #expect(try await tpm.value(ofCounter: counter.index, auth: secret(1)) == nil)
            #expect(try await tpm.increment(counter: counter.index, auth: secret(1)) == nil)
            #expect(try await tpm.makeCounter(auth: secret(1)).value > counter.value + 3)
        }
    }

    @Test
    func
        `a counter asked for at a place is made there once, then taken over, and never somebody else's`()
        async throws
    {
        try await withTPM { tpm, _ throws in
            let place = TPMCounter.indices.lowerBound + 7
            #expect(try await tpm.counterIndices() == [])
            let counter = try await tpm.makeCounter(auth: secret(1), at: place)
            #expect(counter.index == place)
            #expect(
                try await tpm.makeCounter(auth: secret(1), at: place).value == counter.value + 1)
            await #expect(throws: TPMError(.wrongAuth, "")) {
                try await tpm.makeCounter(auth: secret(2), at: place)
            }
            #expect(try await tpm.counterIndices() == [place])
            #expect(try await tpm.removeCounter(place))
            #expect(try await tpm.counterIndices() == [])
            await #expect(throws: TPMError(.badArgument, "")) {
                try await tpm.makeCounter(auth: secret(1), at: 0x0150_0000)
            }
        }
    }

    @Test func `a counter needs its auth value, and wrong ones are not counted`() async throws {
        try await withTPM { tpm, _ throws in
            let counter = try await tpm.makeCounter(auth: secret(1)),
                other = try await tpm.makeCounter(auth: secret(3)),
                before = try await tpm.lockout()
            await #expect(throws: TPMError(.wrongAuth, "")) {
                try await tpm.increment(counter: counter.index, auth: secret(2))
            }
            await #expect(throws: TPMError(.wrongAuth, "")) {
                try await tpm.value(ofCounter: counter.index, auth: secret(2))
            }
            #expect(try await tpm.lockout() == before)
            #expect(try await tpm.value(ofCounter: counter.index, auth: secret(1)) == counter.value)
            #expect(counter.index != other.index)
            await #expect(throws: TPMError(.badArgument, "")) {
                try await tpm.value(ofCounter: 0x0150_0000, auth: secret(1))
            }
        }
    }

    @Test func `random bytes come in the number asked for and differ`() async throws {
        try await withTPM { tpm, _ throws in
            for count in [1, 31, 32, 33, 1000] {
                #expect(try await tpm.random(count).count == count)
            }
            #expect(try await tpm.random(32) != tpm.random(32))
        }
    }

    @Test func `zeros at the end of an auth value do not count, as the TPM has it`() async throws {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: Sensitive([1, 0, 2, 0, 0]))
            let signature = try await tpm.sign(
                digest: digest(message), with: key.blob, auth: Sensitive([1, 0, 2]))
            #expect(try isRight(signature, of: message, by: key.publicKey))
        }
    }

    @Test func `no two secrets print`() async throws {
        try await withTPM { tpm, _ throws in
            let sealed = try await tpm.seal(Sensitive(Array("open sesame".utf8)), auth: secret(1))
            #expect("\(try await tpm.unseal(sealed, auth: secret(1)))" == "‹sensitive›")
        }
    }
}

@Suite struct TPMArgumentTests {
    private let tpm = TPM(address: "swtpm:host=127.0.0.1,port=1")

    @Test
    func `arguments out of range are refused before any TPM is looked for, saying what is allowed`()
        async throws
    {
        await #expect(throws: TPMError(.badArgument, "")) {
            try await tpm.makeSigningKey(auth: Sensitive([]))
        }
        await #expect(throws: TPMError(.badArgument, "")) {
            try await tpm.makeSigningKey(auth: Sensitive([0, 0]))
        }
        await #expect(throws: TPMError(.badArgument, "")) {
            try await tpm.makeSigningKey(auth: Sensitive([UInt8](repeating: 1, count: 33)))
        }
        await #expect(throws: TPMError(.badArgument, "")) {
            try await tpm.seal(Sensitive([]), auth: secret(1))
        }
        await #expect(throws: TPMError(.badArgument, "")) {
            try await tpm.seal(Sensitive([UInt8](repeating: 1, count: 129)), auth: secret(1))
        }
        await #expect(throws: TPMError(.badArgument, "")) { try await tpm.random(0) }
        await #expect(throws: TPMError(.badArgument, "")) { try await tpm.random(4097) }
        #expect(throws: TPMError(.badArgument, "")) { try PCRSelection([]) }
        #expect(throws: TPMError(.badArgument, "")) { try PCRSelection([24]) }
        #expect(try PCRSelection([0, 9, 23]).registers == [0, 9, 23])
    }

    @Test func `where nothing listens the TPM is unreachable, and the address is named`()
        async throws
    {
        _ = quiet
        let error = await #expect(throws: TPMError.self) { try await tpm.random(1) }
        #expect(error?.code == .unreachable && error?.reason.contains("port=1") == true)
    }

    @Test func `a device that is not there and a transport that is not known are unreachable, too`()
        async throws
    {
        _ = quiet
        for address in ["device:/nonexistent/tpm", "nonsense:x", ""] {
            await #expect(throws: TPMError(.unreachable, ""), "\(address)") {
                try await TPM(address: address).random(1)
            }
        }
    }

    @Test func `codes are as documented`() {
        #expect(
            TPMError.Code.allCases.map(\.rawValue) == [
                "tpm.unreachable", "tpm.wrong-auth", "tpm.locked-out", "tpm.blob-refused",
                "tpm.policy-not-met", "tpm.owner-auth", "tpm.bad-argument",
                "tpm.busy", "tpm.failed",
            ])
    }
}
