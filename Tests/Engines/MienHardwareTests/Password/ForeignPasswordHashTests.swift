import MienCore
import MienHardware
import Testing

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
            ("$scrypt$ln=14,r=8,p=64$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAA", "512 MiB"),
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
}
