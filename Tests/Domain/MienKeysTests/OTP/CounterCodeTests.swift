import MienCore
import MienKeys
import MienTesting
import Testing

/// Returns the secrets of RFC 4226 and RFC 6238: the digits one to nine and zero, repeated.
func countingSecret(_ count: Int) throws -> OTPSecret {
    try OTPSecret(bytes: (0..<count).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) })
}

func code(_ text: String) throws -> OneTimeCode { try #require(OneTimeCode(typed: text)) }

@Suite struct CounterCodeTests {
    @Test func `codes match RFC 4226, appendix D`() throws {
        let hotp = try HOTP(), secret = try countingSecret(20)
        let codes = (0..<10).map { hotp.code(at: $0, with: secret).text }
        #expect(
            codes == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
                "399871", "520489",
            ])
    }

    @Test(arguments: [
        (59, "94287082", "46119246", "90693936"),
        (1_111_111_109, "07081804", "68084774", "25091201"),
        (1_111_111_111, "14050471", "67062674", "99943326"),
        (1_234_567_890, "89005924", "91819424", "93441116"),
        (2_000_000_000, "69279037", "90698825", "38618901"),
        (20_000_000_000, "65353130", "77737706", "47863826"),
    ]) func `codes match RFC 6238, appendix B`(
        time: Int64, sha1: String, sha256: String, sha512: String
    ) throws {
        for (hash, length, expected) in [
            (OTPHash.sha1, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512),
        ] {
            let totp = try TOTP(digits: 8, hash: hash)
            #expect(
                try totp.code(at: Instant(seconds: time), with: countingSecret(length)).text
                    == expected, "\(hash)")
            #expect(hash.byteCount == length)
        }
    }

    @Test func `ten digits are the whole number with a leading zero`() throws {
        // RFC 4226 prints the numbers before truncation: 1284755224, 1094287082, 137359152.
        let hotp = try HOTP(digits: 10), secret = try countingSecret(20)
        #expect(
            (0..<3).map { hotp.code(at: $0, with: secret).text } == [
                "1284755224", "1094287082", "0137359152",
            ])
        #expect(try HOTP(digits: 7).code(at: 2, with: secret).text == "7359152")
    }

    @Test func `steps begin at the epoch, and each ends when the next begins`() throws {
        let totp = try TOTP(stepSeconds: 60, epoch: 1000)
        #expect(
            [999, 1000, 1059, 1060].map { totp.step(at: Instant(seconds: $0)) } == [nil, 0, 0, 1])
        #expect(
            [999, 1000, 1059, 1060].map { totp.secondsLeft(at: Instant(seconds: $0)) } == [
                nil, 60, 1, 60,
            ])
        #expect(totp.step(at: Instant(milliseconds: 1_059_999)) == 0)
        #expect(throws: OTPError(.time, "")) {
            try totp.code(at: Instant(seconds: 999), with: countingSecret(20))
        }
        #expect(try TOTP().step(at: Instant(milliseconds: -1)) == nil)
        let secret = try countingSecret(20)
        #expect(
            try totp.code(at: Instant(seconds: 1060), with: secret).text
                == HOTP().code(at: 1, with: secret).text)
    }

    @Test func `numbers out of range are rejected with the allowed range`() {
        #expect(throws: OTPError(.digits, "")) { try HOTP(digits: 5) }
        #expect(throws: OTPError(.digits, "")) { try HOTP(digits: 11) }
        #expect(throws: OTPError(.time, "")) { try TOTP(stepSeconds: 0) }
        #expect(throws: OTPError(.time, "")) { try TOTP(stepSeconds: 86_401) }
        #expect(throws: OTPError(.time, "")) { try TOTP(epoch: -1) }
        #expect(throws: OTPError(.window, "")) { try HOTPVerifier(lookAhead: -1) }
        #expect(throws: OTPError(.window, "")) { try HOTPVerifier(lookAhead: 101) }
        #expect(throws: OTPError(.window, "")) { try TOTPVerifier(skew: 11) }
        do { _ = try HOTP(digits: 5) } catch {
            #expect("\(error)" == "otp.digits: a code must have 6 to 10 digits, not 5")
        }
    }

    @Test func `error codes are stable`() {
        #expect(
            OTPError.Code.allCases.map(\.rawValue) == [
                "otp.secret", "otp.digits", "otp.time", "otp.window", "ocra.suite", "ocra.question",
                "ocra.input", "cap.mask", "cap.data",
                "cap.transaction", "signature.challenge", "signature.field",
            ])
    }

    @Test func `a typed code may contain separators and digits of any script, but nothing else`()
        throws
    {
        for text in ["755 224", " 755224 ", "755-224", "７５５２２４", "٧٥٥ ٢٢٤"] {
            #expect(try code(text).text == "755224" && code(text).matches(code("755224")))
        }
        for text in [
            "", " ", "-", "75522x", "755_224", "75522½", String(repeating: "1", count: 129),
            String(repeating: " ", count: 1024) + "1",
        ] {
            #expect(OneTimeCode(typed: text) == nil, "\(text)")
        }
        #expect(
            try !code("755224").matches(code("755225")) && !code("755224").matches(code("55224"))
                && !code("0755224").matches(code("755224")))
    }

    @Test func `neither secret nor code is printed`() throws {
        let secret = try countingSecret(20), code = try HOTP().code(at: 0, with: secret)
        let uri = try KeyURI(.totp(TOTP()), secret: secret, issuer: "Mien", account: "ann")
        var dumped = ""
        dump(secret, to: &dumped)
        dump(code, to: &dumped)
        dump(uri, to: &dumped)
        let all =
            "\(secret) \(code) \(uri) \(String(reflecting: secret)) \(String(reflecting: code)) \(dumped)"
        #expect(
            !all.contains("755224") && !all.contains(secret.base32) && !all.contains("49, 50")
                && all.contains("‹sensitive›"))
    }
}

@Suite struct SecretTests {
    @Test func `base32 follows RFC 4648`() throws {
        // "foobar" and its prefixes are too short for secrets, so the text is repeated.
        let text = "foobarfoobarfoobar"
        let expected = [
            "MZXW6YTBOJTG633CMFZGM33PMJQXE===", "MZXW6YTBOJTG633CMFZGM33PMJQXE",
            "mzxw 6ytb ojtg 633c mfzg m33p mjqx e",
        ]
        for spelling in expected {
            #expect(try OTPSecret(base32: spelling).bytes == Array(text.utf8), "\(spelling)")
        }
        #expect(try OTPSecret(base32: expected[0]).base32 == expected[1])
    }

    /// Codes at the time 1700000000, as Google Authenticator shows them.
    @Test(
        arguments: [
            ("JBSWY3DPEHPK3PXP", "324550"), ("JBSWY3DPEHPK3PXPJBSWY3DP", "150598"),
            // Leftover bits that are not zero.
            ("K7QZ2M5XWJ4TA6RNB3LUYD7CHF", "661487"),
            ("O52GWTLYJNDEKYSCOA2XG2SIGZ3HS2KSGJCDI4CMKN4DMNLRPBFZ", "947691"),
            // Hyphens, no-break spaces, thin spaces, tabs, dashes, and characters that nobody sees.
            ("JZLS-HDX6-FVHM-YZPU-C6O3-RYBG-4YTT-UUAP", "700502"),
            (
                "JZLS\u{A0}HDX6\u{A0}FVHM\u{A0}YZPU\u{A0}C6O3\u{A0}RYBG\u{A0}4YTT\u{A0}UUAP",
                "700502"
            ),
            (
                "jzls\u{202F}hdx6\u{2009}fvhm\tyzpu\u{2011}c6o3\u{2013}rybg\u{200B}4ytt\r\nuuap",
                "700502"
            ),
            ("\u{FEFF}JZLSHDX6FVHMYZPUC6O3RYBG4YTTUUAP====", "700502"),
            // Digits that the alphabet leaves out.
            ("0S2GWTLYJNDEKYSCOA2XG2S1GZ3HS2KSGJCDI4CMKN4DMNLRP8FZ", nil),
        ] as [(String, String?)])
    func `secrets are read in all forms that authenticator apps read`(text: String, code: String?)
        throws
    {
        let secret = try OTPSecret(base32: text)
        if let code {
            #expect(
                try TOTP().code(at: Instant(seconds: 1_700_000_000), with: secret).text == code)
        } else {
            let corrected = text.replacing("0", with: "O").replacing("1", with: "I")
                .replacing("8", with: "B")
            #expect(try secret == OTPSecret(base32: corrected))
        }
    }

    @Test(arguments: [
        "MZXW6YTBOJTG633C=FZGM33PMJQXE", "MZXW6YTBOJTG633CMFZGM33PMJQX9", "MZXW6YTBÖ", "", "====",
        " - ", "A", String(repeating: "A", count: 207), "otpauth://totp/a?secret=MZXW6YTBOJTG633C",
    ]) func `other characters and lengths are rejected`(text: String) throws {
        #expect(throws: OTPError(.secret, "")) { try OTPSecret(base32: text) }
    }

    @Test func `hexadecimal is accepted in either case, in pairs`() throws {
        let secret = try OTPSecret(hexadecimal: "3132 3334 3536 3738 393A 3b3c 3d3e 3f40")
        #expect(secret.bytes == Array(0x31...0x40))
        #expect(try OTPSecret(hexadecimal: "31:32-33\u{A0}34").bytes == [0x31, 0x32, 0x33, 0x34])
        for text in ["313", "zz" + String(repeating: "31", count: 16), ""] {
            #expect(throws: OTPError(.secret, "")) { try OTPSecret(hexadecimal: text) }
        }
        for count in [15, 129] {
            #expect(throws: OTPError(.secret, "")) {
                try OTPSecret(bytes: [UInt8](repeating: 1, count: count))
            }
        }
        #expect(try OTPSecret(bytes: [UInt8](repeating: 1, count: 128)).bytes.count == 128)
    }

    @Test func `a hexadecimal secret is told from a base32 one, also if it could be both`() {
        for text in ["3132333435363738", "31:32:33:34:AB:CD:EF:00", "deadbeef 23456789 deadbeef"] {
            #expect(OTPSecret.looksHexadecimal(text), "\(text)")
        }
        for text in [
            "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "JBSWY3DPEHPK3PXP", "ABCDEF", "313233343536373", "",
        ] {
            #expect(!OTPSecret.looksHexadecimal(text), "\(text)")
        }
    }

    @Test func `random secrets have the hash's length and survive encoding and decoding`()
        throws
    {
        var generator = TestSeed.generator(71)
        for hash in OTPHash.allCases {
            for _ in 0..<200 {
                let secret = OTPSecret.random(for: hash, using: &generator)
                #expect(secret.bytes.count == hash.byteCount)
                #expect(try OTPSecret(base32: secret.base32) == secret)
            }
        }
    }
}

@Suite struct KeyURITests {
    @Test(arguments: [
        (
            "otpauth://totp/Example:ada?secret=JZLSHDX6FVHMYZPUC6O3RYBG4YTTUUAP&issuer=Example",
            6, OTPHash.sha1, 30
        ),
        (
            "OTPAUTH://TOTP/ada?Secret=jzls%20hdx6+fvhm-yzpu%2Dc6o3rybg4yttuuap%3D%3D&algorithm=HmacSHA256&digits=8&period=60&image=x#y",
            8, .sha256, 60
        ),
        (
            "otpauth://totp/?issuer=E&amp;secret=JZLSHDX6FVHMYZPUC6O3RYBG4YTTUUAP&amp;digits=&amp;algorithm=sha-512",
            6, .sha512, 30
        ),
        (
            "otpauth://totp/ada?secret=JZLSHDX6FVHMYZPUC6O3RYBG4YTTUUAP&period=60.0&digits=8.00",
            8, .sha1, 60
        ),
    ]) func `a URI is read with its parameters`(
        text: String, digits: Int, hash: OTPHash, period: Int
    ) throws {
        let uri = try KeyURI(parsing: text)
        #expect(KeyURI.isMeant(by: text))
        #expect(try uri.secret == OTPSecret(base32: "JZLSHDX6FVHMYZPUC6O3RYBG4YTTUUAP"))
        #expect(
            try uri.kind
                == .totp(TOTP(digits: digits, hash: hash, stepSeconds: period)))
    }

    @Test func `a URI that is written is read`() throws {
        let secret = try countingSecret(20)
        for kind in [KeyURI.Kind.hotp(try HOTP(digits: 8), counter: 7), .totp(try TOTP())] {
            let uri = try KeyURI(kind, secret: secret, issuer: "A:B&c?d", account: "é")
            let read = try KeyURI(parsing: uri.text)
            #expect(read.kind == kind && read.secret == secret)
        }
    }

    @Test(arguments: [
        "otpauth://totp/a", "otpauth://totp/a?issuer=b",
        "otpauth://steam/a?secret=JBSWY3DPEHPK3PXP",
        "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&secret=JBSWY3DPEHPK3PXP",
        "otpauth://totp/a?secret=%zz", "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&digits=six",
        "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&digits=5",
        "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&algorithm=MD5",
        "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&period=0",
        "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&period=30.5",
        "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&period=30.",
        "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&period=30.0.0",
        "otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP&counter=-1",
        "otpauth-migration://offline?data=CjE",
        "otpauth:totp",
    ]) func `a malformed URI is rejected, and the error does not repeat it`(text: String) {
        let error = #expect(throws: OTPError.self) { try KeyURI(parsing: text) }
        #expect(error?.reason.contains("JBSW") == false)
    }

    @Test func `each kind has its own name and counter or period`() throws {
        let secret = try countingSecret(20)
        #expect(
            try KeyURI(
                .totp(TOTP(digits: 8, hash: .sha256, stepSeconds: 60)), secret: secret,
                issuer: "Example Bank", account: "ann@example.com"
            )
            .text
                == "otpauth://totp/Example%20Bank:ann%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example%20Bank&algorithm=SHA256"
                + "&digits=8&period=60")
        #expect(
            try KeyURI(.hotp(HOTP(), counter: 7), secret: secret, issuer: "A:B&c", account: "é")
                .text
                == "otpauth://hotp/A%3AB%26c:%C3%A9?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=A%3AB%26c&algorithm=SHA1&digits=6&counter=7"
        )
        #expect(throws: OTPError(.time, "")) {
            try KeyURI(.totp(TOTP(epoch: 1)), secret: secret, issuer: "a", account: "b")
        }
    }
}
