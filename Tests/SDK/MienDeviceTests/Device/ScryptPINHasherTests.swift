import MienCore
import MienDevice
import Testing

@Suite struct ScryptPINHasherTests {
    private let pin = Sensitive("4711"), salt = Array(UInt8(0)..<16)
    private let cheap = ScryptPINHasher(rounds: 16, blockSize: 1, parallelism: 1)

    /// Made with Python's `hashlib.scrypt`.
    @Test(arguments: [
        ([16, 1, 1], "0cb382bcba6c87cb061aaf8d5814e4c2c76511c2755715742222c9849813b23e"),
        ([1024, 8, 2], "4263e5d7cacfb37a1ae8460213ee0823b8930f2b08eeec65d402cdfeb9c7db43"),
    ])
    func `stretching gives the bytes of another implementation`(cost: [Int], expected: String)
        throws
    {
        let bytes = try #require(try cheap.stretched(pin, salt: salt, cost: cost))
        let text = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(text == expected)
    }

    @Test func `a hash accepts its PIN, and no other`() throws {
        let hash = try cheap.hash(pin, salt: salt)
        #expect(hash.hasPrefix("$scrypt$16$1$1$"))
        #expect(cheap.verify(pin, against: hash))
        #expect(ScryptPINHasher.standard.verify(pin, against: hash), "the hash has its own cost")
        for wrong in ["4712", "471", "47110", ""] {
            #expect(!cheap.verify(Sensitive(wrong), against: hash), "\(wrong)")
        }
    }

    @Test func `a hash that was changed, or that asks for too much, is refused`() throws {
        let hash = try cheap.hash(pin, salt: salt)
        for changed in [
            "", "$scrypt$", hash.replacing("$scrypt$", with: "$argon2id$"), hash + "$",
            hash.replacing("$16$1$1$", with: "$17$1$1$"),
            hash.replacing("$16$1$1$", with: "$16$9$1$"),
            hash.replacing("$16$1$1$", with: "$1073741824$8$1$"),
            hash.replacing("$16$1$1$", with: "$16$1$0$"), String(hash.dropLast()),
        ] { #expect(!cheap.verify(pin, against: changed), "\(changed)") }
    }

    @Test(arguments: [[], [16], [15, 1, 1], [1 << 18, 8, 1], [16, 0, 1], [16, 1, 17]])
    func `a cost that is not its own is refused`(cost: [Int]) throws {
        #expect(try cheap.stretched(pin, salt: salt, cost: cost) == nil)
    }

    @Test func `the standard takes 64 MiB`() {
        let cost = ScryptPINHasher.standard.cost
        #expect(128 * cost[0] * cost[1] == 64 << 20)
    }
}
