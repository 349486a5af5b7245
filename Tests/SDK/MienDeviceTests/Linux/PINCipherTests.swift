import Foundation
import MienCore
import MienHardware
import MienKeys
import MienTesting
import MienVault
import Testing

@testable import MienDevice
@testable import MienDeviceLinux

/// Tests that nothing stored distinguishes a right PIN from a wrong one.
@Suite struct PINCipherTests {
    private let key = MasterKey(bytes: [UInt8](1...32)),
        hasher = Argon2PINHasher(PasswordHasher(cost: .init(memory: 8, passes: 1)))
    private let right = try! PINInput(rightPIN)

    private func token(_ secret: [UInt8], _ pin: PINInput, id: String = "aut_1") throws
        -> OTPStoredToken
    {
        let isCard = secret.count == CAP.keySize
        let new = try OTPTokenDefinition(
            id: id, app: "app", server: nil,
            kind: isCard
                ? .cap(CAP(), firstCounter: 1)
                : .hotp(HOTP(digits: 8, hash: .sha256), firstCounter: 0),
            signatureSuite: isCard ? nil : OCRASuite("OCRA-1:HOTP-SHA256-8:QH64"),
            secret: OTPSecret(bytes: secret))
        // The same random bytes each time.
        return try OTPStoredToken(
            new, pin: pin, key: key, hasher: hasher, at: Instant(milliseconds: 1),
            random: RandomSource { [UInt8](repeating: 9, count: $0) })
    }

    private static func pin(_ number: Int) throws -> PINInput {
        try PINInput(
            Sensitive(
                String(repeating: "0", count: max(0, 4 - String(number).count)) + String(number)))
    }

    /// The data stored for a secret under a PIN equals, byte for byte, the data for the secret that
    /// another PIN yields, under that other PIN.
    @Test(arguments: [32, 16])
    func `the stored data is the same whichever PIN is right`(size: Int) throws {
        let secret = Array([UInt8](50..<82).suffix(size)), stored = try token(secret, right)
        for number in stride(from: 0, to: 10_000, by: 37) {
            let pin = try Self.pin(number), opened = try stored.secret(pin, key, hasher).bytes
            #expect(try token(opened, pin) == stored, "\(number)")
        }
    }

    @Test
    func `all ten thousand PINs yield well-formed secrets, all different and indistinguishable`()
        throws
    {
        let stored = try token([UInt8](50..<82), right), hotp = try stored.hotp()
        var seen: Set<[UInt8]> = [], ones = [Int](repeating: 0, count: 256)
        for number in 0..<10_000 {
            let secret = try stored.secret(Self.pin(number), key, hasher)
            seen.insert(secret.bytes)
            for bit in 0..<256 where secret.bytes[bit / 8] >> UInt8(bit % 8) & 1 == 1 {
                ones[bit] += 1
            }
            #expect(secret.bytes.count == 32)
            if number % 100 == 0 { #expect(hotp.code(at: 0, with: secret).text.utf8.count == 8) }
        }
        #expect(seen.count == 10_000)
        // Each bit is set in half of them, within five standard deviations of 10,000 fair coins.
        #expect(ones.allSatisfy { abs($0 - 5_000) < 250 })
    }

    @Test
    func `the right PIN yields the right secret; another device, token, or salt yields another`()
        throws
    {
        let secret = [UInt8](50..<82), stored = try token(secret, right)
        #expect(try stored.secret(right, key, hasher).bytes == secret)
        #expect(
            try stored.secret(right, MasterKey(bytes: [UInt8](2...33)), hasher).bytes != secret)
        let cipher = PINCipher(
            key: key, token: "aut_1", salt: [UInt8](repeating: 9, count: 16), hasher: hasher,
            cost: hasher.cost)
        let hidden = try cipher.applied(to: secret, right)
        #expect(try cipher.applied(to: hidden, right) == secret)
        for other in [
            PINCipher(
                key: key, token: "aut_2", salt: cipher.salt, hasher: hasher, cost: hasher.cost),
            PINCipher(
                key: key, token: "aut_1", salt: [UInt8](repeating: 8, count: 16), hasher: hasher,
                cost: hasher.cost),
            PINCipher(
                key: key, token: "aut_1", salt: cipher.salt, hasher: hasher, cost: [16, 1, 1]),
        ] { #expect(try other.applied(to: hidden, right) != secret) }
    }

    @Test(arguments: [32, 16])
    func `the file's length depends on no secret and no PIN`(size: Int) throws {
        var generator = TestSeed.generator(3), lengths: Set<Int> = []
        for _ in 0..<200 {
            let secret = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var state = OTPTokenState(generation: 7, counter: nil)
            try state.add(token(secret, Self.pin(Int.random(in: 0..<10_000, using: &generator))))
            lengths.insert(state.bytes.count)
        }
        #expect(lengths.count == 1)
    }

    @Test func `nothing secret is printed`() throws {
        let stored = try token([UInt8](50..<82), right)
        var state = OTPTokenState(generation: 1, counter: nil)
        try state.add(stored)
        for text in ["\(stored)", "\(state)", String(reflecting: stored), "\(right)"] {
            #expect(
                !text.contains("4711") && !text.contains("aut_1")
                    && !text.contains(stored.hidden.base64EncodedString()))
        }
        var dumped = ""
        dump(state, to: &dumped)
        dump(right, to: &dumped)
        #expect(!dumped.contains("4711") && !dumped.contains("aut_1"))
    }
}
