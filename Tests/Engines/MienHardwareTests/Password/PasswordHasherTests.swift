import Foundation
import MienCore
import MienHardware
import MienTesting
import Testing

@Suite struct PasswordHasherTests {
    /// The lowest cost.
    static let hasher = PasswordHasher(cost: .init(memory: 8, passes: 1)), salt = [UInt8](1...16)

    @Test func `published passwords hash to published hashes`() throws {
        for vector in try Vectors.load().hashes {
            let hasher = PasswordHasher(
                cost: .init(memory: vector.memory, passes: vector.passes, lanes: vector.lanes))
            let password = Sensitive(vector.password)
            #expect(
                try hasher.hash(password, salt: vector.saltBytes) == vector.encoded,
                "\(vector.name)")
            #expect(
                hasher.verify(password, against: vector.encoded)
                    && !hasher.isOutdated(vector.encoded), "\(vector.name)")
            #expect(
                !hasher.verify(Sensitive(vector.password + " "), against: vector.encoded),
                "\(vector.name)")
        }
    }

    @Test func `hashes from the reference library's own tests are verified`() throws {
        for vector in try Vectors.load().reference {
            #expect(
                Self.hasher.verify(Sensitive(vector.password), against: vector.encoded),
                "\(vector.name)")
            #expect(
                !Self.hasher.verify(Sensitive("passwore"), against: vector.encoded),
                "\(vector.name)")
            #expect(Self.hasher.isOutdated(vector.encoded))
        }
    }

    @Test func `a hash with another cost is outdated but still verified`() throws {
        let old = try Self.hasher.hash(Sensitive("pferd"), salt: Self.salt)
        for cost in [
            PasswordHasher.Cost(memory: 9, passes: 1), .init(memory: 8, passes: 2),
            .init(memory: 16, passes: 1, lanes: 2), .standard,
        ] {
            let hasher = PasswordHasher(cost: cost)
            #expect(hasher.isOutdated(old) && hasher.verify(Sensitive("pferd"), against: old))
        }
        #expect(Self.hasher.isOutdated("") && Self.hasher.isOutdated("x" + old))
    }

    @Test func `a stretched key equals the one in a published hash`() throws {
        for vector in try Vectors.load().hashes {
            let hasher = PasswordHasher(
                cost: .init(memory: vector.memory, passes: vector.passes, lanes: vector.lanes))
            let key = try hasher.stretched(Sensitive(vector.password), salt: vector.saltBytes)
            let kept = try #require(vector.encoded.split(separator: "$").last)
            #expect(
                Data(key).base64EncodedString().replacing("=", with: "") == kept, "\(vector.name)")
        }
    }

    @Test func `another salt gives another hash`() throws {
        let other = try Self.hasher.hash(Sensitive("pferd"), salt: [UInt8](2...17))
        #expect(
            try Self.hasher.hash(Sensitive("pferd"), salt: Self.salt) != other
                && Self.hasher.verify(Sensitive("pferd"), against: other))
    }

    /// Some keyboards send é as one code point, others as two.
    @Test func `a password is the same in every Unicode normalization`() throws {
        let hash = try Self.hasher.hash(Sensitive("caf\u{E9}"), salt: Self.salt)
        #expect(
            Self.hasher.verify(Sensitive("cafe\u{301}"), against: hash)
                && Self.hasher.verify(Sensitive("ｃａｆé"), against: hash))
        #expect(
            !Self.hasher.verify(Sensitive("cafe"), against: hash)
                && !Self.hasher.verify(Sensitive("CAF\u{C9}"), against: hash))
    }

    @Test func `characters after a NUL count`() throws {
        let hash = try Self.hasher.hash(Sensitive("a\0b"), salt: Self.salt)
        #expect(
            !Self.hasher.verify(Sensitive("a"), against: hash)
                && !Self.hasher.verify(Sensitive("a\0c"), against: hash))
        #expect(!Self.hasher.verify(Sensitive("a\0b"), against: hash + "\0"))
    }

    @Test func `costs out of range are not computed`() throws {
        let good = try Self.hasher.hash(Sensitive("pferd"), salt: Self.salt)
        for cost in [
            "m=4194305,t=1,p=1", "m=99999999999999999999,t=1,p=1", "m=7,t=1,p=1", "m=8,t=0,p=1",
            "m=8,t=101,p=1", "m=8,t=1,p=0", "m=8,t=1,p=17",
            "m=8,t=1,p=2", "m=-8,t=1,p=1", "m=8,t=1", "t=1,m=8,p=1", "m=8,t=1,p=1,x=1",
        ] {
            let changed = good.replacing("m=8,t=1,p=1", with: cost)
            #expect(
                changed != good && !Self.hasher.verify(Sensitive("pferd"), against: changed),
                "\(cost)")
        }
    }

    @Test func `any changed character of a hash is rejected`() throws {
        let good = Array(try Self.hasher.hash(Sensitive("pferd"), salt: Self.salt).utf8)
        for index in good.indices {
            for byte in [
                0, UInt8(ascii: "$"), UInt8(ascii: "A"), UInt8(ascii: "9"), UInt8(ascii: "="),
                good[index] ^ 1,
            ] where byte != good[index] {
                var bad = good
                bad[index] = byte
                let text = String(decoding: bad, as: UTF8.self)
                #expect(!Self.hasher.verify(Sensitive("pferd"), against: text), "\(index): \(text)")
            }
            #expect(
                !Self.hasher.verify(
                    Sensitive("pferd"), against: String(decoding: good[..<index], as: UTF8.self)),
                "cut at \(index)")
        }
        #expect(
            !Self.hasher.verify(
                Sensitive("pferd"), against: String(decoding: good, as: UTF8.self) + "="))
    }

    @Test(arguments: [
        "", "$", "$$$$$", "password", "$argon2id$",
        "$argon2i$v=19$m=8,t=1,p=1$AQIDBAUGBwgJCgsMDQ4PEA$AAAA",
        "$argon2d$v=19$m=8,t=1,p=1$AQIDBAUGBwgJCgsMDQ4PEA$AAAA",
        "$argon2id$v=16$m=8,t=1,p=1$AQIDBAUGBwgJCgsMDQ4PEA$AAAA",
        "$argon2id$v=19$m=8,t=1,p=1$$", "$argon2id$v=19$m=8,t=1,p=1$AQ$AQ",
        "$2b$12$abcdefghijklmnopqrstuv",
    ])
    func `a malformed hash verifies nothing`(text: String) {
        for password in ["", "password", text] {
            #expect(!Self.hasher.verify(Sensitive(password), against: text))
        }
    }

    @Test func `random texts are rejected without a crash`() throws {
        var generator = TestSeed.generator(51)
        let pieces = [
            "$argon2id", "$v=19", "$m=8,t=1,p=1", "$m=", "$AQIDBAUGBwgJCgsMDQ4PEA", "$", "=", ",",
            "0", "17", "é", "\0", "t=1", "A", "+/",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }.joined()
            #expect(!Self.hasher.verify(Sensitive("pferd"), against: text), "\(text)")
        }
    }

    @Test(arguments: [
        (7, 1, 1), (4_194_305, 1, 1), (8, 0, 1), (8, 101, 1), (8, 1, 0), (1024, 1, 17), (15, 1, 2),
    ])
    func `a cost out of range traps`(memory: Int, passes: Int, lanes: Int) async {
        await #expect(processExitsWith: .failure) {
            [memory = memory as Int, passes = passes as Int, lanes = lanes as Int] in
            _ = PasswordHasher.Cost(memory: memory, passes: passes, lanes: lanes)
        }
    }

    @Test func `a salt of another size traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = try PasswordHasherTests.hasher.hash(Sensitive("pferd"), salt: [1, 2, 3])
        }
    }
}

private struct Vectors: Decodable {
    struct Hash: Decodable {
        let name, password, salt, encoded: String
        let memory, passes, lanes: Int

        var saltBytes: [UInt8] {
            stride(from: 0, to: 32, by: 2).map { UInt8(salt.dropFirst($0).prefix(2), radix: 16)! }
        }
    }

    let hashes, reference: [Hash]

    static func load() throws -> Self {
        let url = try #require(
            Bundle.module.url(
                forResource: "argon2id", withExtension: "json", subdirectory: "Vectors"))
        return try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
    }
}
