import Crypto
import Foundation
import MienCore
import MienHardware
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

/// Runs against a complete TPM in software.
@Suite(.enabled(if: SoftwareTPM.program != nil, Comment(rawValue: SoftwareTPM.missing)))
struct TPMTests {
    private let message = Array("who goes there".utf8)

    /// Runs `body` with a fresh TPM. Afterwards, none of its objects or sessions may remain in the
    /// TPM.
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
    func `a signature verifies elsewhere with the returned key, only for its message`()
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

    @Test func `after too many wrong auth values, the right one is refused as locked out`()
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

    @Test func `every changed bit of a blob is rejected`() async throws {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: secret(1)), good = key.blob.bytes
            // Tests every byte of the frame and of the areas' ends, and every seventh byte in
            // between, which a single code path checks.
            for index in good.indices where index < 40 || index > good.count - 8 || index % 7 == 0 {
                var bad = good
                bad[index] ^= 1 << UInt8(index % 8)
                await #expect(throws: TPMError(.blobRefused, ""), "byte \(index)") {
                    try await tpm.sign(
                        digest: digest(message), with: TPMBlob(bytes: bad), auth: secret(1))
                }
            }
            #expect(
                try await tpm.lockout().triesLeft == tpm.lockout().tries,
                "damage must not count as a wrong auth value")
        }
    }

    @Test func `a shortened or lengthened blob is rejected without using the TPM`() async throws {
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

    @Test func `a key of another TPM is rejected`() async throws {
        try await withTPM { tpm, _ throws in
            try await withTPM { other, _ throws in
                let key = try await other.makeSigningKey(auth: secret(1))
                await #expect(throws: TPMError(.blobRefused, "")) {
                    try await tpm.sign(digest: digest(message), with: key.blob, auth: secret(1))
                }
            }
        }
    }

    @Test func `sealed data needs its auth value, and a key is not sealed data`()
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

    @Test func `data bound to registers needs their values and the auth value`()
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
            // Bytes 5…7 select the registers. Neither other registers nor none unseal the data.
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

    @Test func `concurrent calls get their own results`() async throws {
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
                // No other call can have finished, because the TPM is paused.
                for _ in 0..<20 { #expect(try await group.next() == false) }
                await machine.resume()
                var served = 0
                for try await isServed in group where isServed { served += 1 }
                #expect(served == TPM.maxWaiting)
            }
        }
    }

    @Test func `a canceled task sends nothing to the TPM`() async throws {
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

    @Test func `keys, sealed data, and the same TPM value survive a restart`()
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

    @Test
    func `a counter increases by one across restarts and never goes back, even after removal`()
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
        `a counter at a given index is made once, then reused, and never taken from another owner`()
        async throws
    {
        try await withTPM { tpm, _ throws in
            let index = TPMCounter.indices.lowerBound + 7
            #expect(try await tpm.counterIndices() == [])
            let counter = try await tpm.makeCounter(auth: secret(1), at: index)
            #expect(counter.index == index)
            #expect(
                try await tpm.makeCounter(auth: secret(1), at: index).value == counter.value + 1)
            await #expect(throws: TPMError(.wrongAuth, "")) {
                try await tpm.makeCounter(auth: secret(2), at: index)
            }
            #expect(try await tpm.counterIndices() == [index])
            #expect(try await tpm.removeCounter(index))
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

    @Test func `random bytes have the requested count and differ`() async throws {
        try await withTPM { tpm, _ throws in
            for count in [1, 31, 32, 33, 1000] {
                #expect(try await tpm.random(count).count == count)
            }
            #expect(try await tpm.random(32) != tpm.random(32))
        }
    }

    @Test func `trailing zeros of an auth value are ignored, as in the TPM`() async throws {
        try await withTPM { tpm, _ throws in
            let key = try await tpm.makeSigningKey(auth: Sensitive([1, 0, 2, 0, 0]))
            let signature = try await tpm.sign(
                digest: digest(message), with: key.blob, auth: Sensitive([1, 0, 2]))
            #expect(try isRight(signature, of: message, by: key.publicKey))
        }
    }

    @Test func `secrets do not print`() async throws {
        try await withTPM { tpm, _ throws in
            let sealed = try await tpm.seal(Sensitive(Array("open sesame".utf8)), auth: secret(1))
            #expect("\(try await tpm.unseal(sealed, auth: secret(1)))" == "‹sensitive›")
        }
    }
}

@Suite struct TPMArgumentTests {
    private let tpm = TPM(address: "swtpm:host=127.0.0.1,port=1")

    @Test
    func `arguments out of range are rejected without a TPM and state the limits`()
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

    @Test func `a TPM with no listener is unreachable, and the error names the address`()
        async throws
    {
        _ = quiet
        let error = await #expect(throws: TPMError.self) { try await tpm.random(1) }
        #expect(error?.code == .unreachable && error?.reason.contains("port=1") == true)
    }

    @Test func `a missing device and an unknown transport are unreachable`()
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
