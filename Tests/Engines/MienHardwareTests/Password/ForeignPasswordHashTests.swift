import Foundation
import MienCore
import Testing

@testable import MienHardware

@Suite("Hashes that another product made") struct ForeignPasswordHashTests {
    /// crypt_blowfish, the reference library of Argon2, RFC 7914, Python's hashlib in the form of
    /// passlib, RFC 6070.
    private static let published: [(password: String, hash: String)] = [
        ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ("U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ("U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        (
            "password",
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        ),
        (
            "pleaseletmein",
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw"
        ),
        (
            "password",
            "$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdeA$xS3upr62e29h9/zIrz.USU3saLoax9c4c5xTWMHer.Y"
        ),
        (
            "passwordPASSWORDpassword",
            "$pbkdf2$i=4096,l=25$c2FsdFNBTFRzYWx0U0FMVHNhbHRTQUxUc2FsdFNBTFRzYWx0$PS7sT+QchJuAyNg2YsDkSospGpZM8vBwOA"
        ),
    ]

    @Test("published passwords match published hashes, others do not", arguments: published)
    func matches(password: String, text: String) throws {
        let hash = try ForeignPasswordHash(text)
        #expect(hash.matches(Sensitive(password)))
        #expect(!hash.matches(Sensitive(password + "!")))
        #expect(!hash.matches(Sensitive("")))
        #expect(try ForeignPasswordHash(hash.text) == hash)
        #expect(hash.text.hasPrefix(hash.setting))
        let decoy = try #require(ForeignPasswordHash.decoy(setting: hash.setting))
        #expect(decoy.setting == hash.setting && !decoy.matches(Sensitive(password)))
    }

    @Test("padding and passlib's base64 are the same as plain base64")
    func spellings() throws {
        let plain = try ForeignPasswordHash(
            "$pbkdf2-sha512$i=1000,l=16$MDEyMzQ1Njc4OWFiY2RlZg$++++++++++++++++++++++")
        #expect(
            try ForeignPasswordHash(
                "$pbkdf2-sha512$1000$MDEyMzQ1Njc4OWFiY2RlZg==$......................==") == plain)
    }

    @Test("bcrypt does not end a password at a NUL")
    func nul() throws {
        let hash = try ForeignPasswordHash(Self.published[0].hash)
        #expect(!hash.matches(Sensitive("U*U\0more")))
    }

    @Test(
        "malformed and costly hashes are refused",
        arguments: [
            ("", "is not a known kind"), ("plain", "is not a known kind"),
            ("$1$salt$hash", "is not a known kind"), ("$argon2i$v=19$m=8,t=1,p=1$a$b", "kind"),
            ("$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "kind"),
            ("$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "4 to 14"),
            ("$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe", "malformed"),
            ("$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO%W", "malformed"),
            ("$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO\0W", "malformed"),
            (
                "$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
                "256 MiB"
            ),
            (
                "$argon2id$v=19$m=262144,t=64,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
                "passes"
            ),
            ("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO0", "16 to 64"),
            ("$scrypt$ln=30,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAA", "256 MiB"),
            ("$scrypt$ln=14,r=8,p=17$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAA", "256 MiB"),
            ("$scrypt$ln=18,r=8,p=2$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAA", "256 MiB"),
            ("$scrypt$ln=99999999999,r=8,p=1$MDEy$AAAA", "malformed"),
            ("$pbkdf2-sha256$i=4000000000$MDEyMzQ1Njc4OWFiY2RlZg$AAAA", "malformed"),
            ("$pbkdf2-sha256$i=400000000$MDEyMzQ1Njc4OWFiY2RlZg$AAAA", "2,000,000"),
            ("$pbkdf2-sha256$i=1000$MDEyMzQ$AAAAAAAAAAAAAAAAAAAAAA", "8 to 64"),
            ("$pbkdf2-md5$i=1000$MDEyMzQ$AAAAAAAAAAAAAAAAAAAAAA", "kind"),
        ])
    func refused(text: String, reason: String) {
        #expect {
            _ = try ForeignPasswordHash(text)
        } throws: {
            "\($0)".contains(reason) && (text.isEmpty || !"\($0)".contains(text))
        }
    }

    private static func text(_ setting: String, bytes: Int) -> String {
        "\(setting)MDEyMzQ1Njc4OWFiY2RlZg$\(Data(count: bytes).base64EncodedString())"
    }

    @Test(
        "the iterations of PBKDF2 count for each block of the hash",
        arguments: [
            ("sha1", 20, 2_000_000), ("sha1", 21, 1_000_000), ("sha1", 40, 1_000_000),
            ("sha1", 64, 500_000), ("sha256", 32, 2_000_000), ("sha256", 64, 1_000_000),
            ("sha512", 16, 1_000_000), ("sha512", 64, 1_000_000),
        ])
    func blocks(function: String, bytes: Int, most: Int) throws {
        func setting(_ rounds: Int) -> String { "$pbkdf2-\(function)$i=\(rounds)$" }
        let hash = try ForeignPasswordHash(Self.text(setting(most), bytes: bytes))
        let decoy = try #require(ForeignPasswordHash.decoy(setting: hash.setting))
        #expect(decoy.setting == hash.setting && decoy.work >= hash.work)
        // The decoy does the most work that the setting permits, so its text is a valid hash.
        #expect(try ForeignPasswordHash(decoy.text) == decoy)
        for rounds in [999, most + 1] {
            #expect {
                _ = try ForeignPasswordHash(Self.text(setting(rounds), bytes: bytes))
            } throws: {
                "\($0)".contains("2,000,000")
            }
        }
    }

    @Test(
        "a decoy does the work of the longest hash of its setting",
        arguments: [
            ("$pbkdf2-sha1$i=27500$", 64), ("$pbkdf2-sha1$i=700000$", 40),
            ("$pbkdf2-sha256$i=600000$", 64), ("$pbkdf2-sha256$i=1500000$", 32),
            ("$pbkdf2-sha512$i=210000$", 64), ("$argon2id$v=19$m=19456,t=2,p=1$", 64),
            ("$scrypt$ln=14,r=8,p=1$", 64),
        ])
    func decoys(setting: String, bytes: Int) throws {
        let decoy = try #require(ForeignPasswordHash.decoy(setting: setting))
        #expect(decoy.work == (try ForeignPasswordHash(Self.text(setting, bytes: bytes)).work))
        #expect(decoy.setting == setting)
    }

    private static let mixtures: [(settings: [String], dearest: [String])] = [
        (["$2b$10$", "$2b$12$", "$2b$04$"], ["$2b$12$"]),
        ((29_000..<30_000).map { "$pbkdf2-sha256$i=\($0)$" }, ["$pbkdf2-sha256$i=29999$"]),
        // Four blocks, three blocks, one block.
        (
            ["$pbkdf2-sha1$i=500000$", "$pbkdf2-sha1$i=510000$", "$pbkdf2-sha1$i=1900000$"],
            ["$pbkdf2-sha1$i=500000$"]
        ),
        (
            [
                "$argon2id$v=19$m=1024,t=64,p=4$", "$argon2id$v=19$m=32768,t=1,p=2$",
                "$argon2id$v=19$m=19456,t=2,p=1$",
            ], ["$argon2id$v=19$m=32768,t=2,p=1$"]
        ),
        (
            ["$scrypt$ln=10,r=8,p=40$", "$scrypt$ln=14,r=8,p=1$"], ["$scrypt$ln=14,r=8,p=3$"]
        ),
        (
            [
                "$scrypt$ln=14,r=8,p=1$", "$pbkdf2-sha512$i=1000$", "$2b$05$",
                "$pbkdf2-sha1$i=1000$", "$pbkdf2-sha256$i=1000$",
                "$argon2id$v=19$m=8,t=1,p=1$", "$1$", "",
            ],
            [
                "$argon2id$v=19$m=8,t=1,p=1$", "$2b$05$", "$pbkdf2-sha1$i=1000$",
                "$pbkdf2-sha256$i=1000$", "$pbkdf2-sha512$i=1000$", "$scrypt$ln=14,r=8,p=1$",
            ]
        ), ([], []),
    ]

    @Test("one hash of each scheme is at least as dear as all others", arguments: mixtures)
    func dearest(settings: [String], expected: [String]) {
        let found = ForeignPasswordHash.dearest(of: settings)
        #expect(found.map(\.setting) == expected)
    }
}
