import Foundation
import Testing

/// `mien otp …`: no model pack, no server.
@Suite struct OTPCommandTests {
    private static let base32 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
        hex32 = String(repeating: "31323334353637383930", count: 4).prefix(64)

    private func secretFile(
        _ home: TemporaryHome, _ text: String = base32 + "\n", mode: Int = 0o600,
        name: String = "token.txt"
    ) throws -> String {
        let file = try home.write(text.utf8, as: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    @Test func `hotp computes the standard's codes, from a file and from standard input`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false), file = try secretFile(home)
        let plain = try await home.mien("otp", "hotp", "--secret-file", file, "--counter", "7")
        #expect(plain.status == 0 && plain.out == "162583\n" && plain.err.isEmpty, "\(plain)")
        let json = try await home.mien(
            ["otp", "hotp", "--counter", "2", "--digits", "8", "--json"],
            input: Self.base32.lowercased())
        #expect(
            try json.status == 0 && json.json["code"] as? String == "37359152"
                && json.json["counter"] as? Int == 2)
        let hex = try await home.mien(
            ["otp", "hotp", "--counter", "0", "--hex"], input: String(Self.hex32.prefix(40)))
        #expect(hex.out == "755224\n")
    }

    @Test
    func
        `hotp exits with 0 for a right code and advances the counter, with 1 for a used or wrong one`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false), file = try secretFile(home)
        func check(_ code: String, from counter: Int, ahead: Int) async throws -> MienProgram.Result
        {
            try await home.mien(
                "otp", "hotp", "--secret-file", file, "--counter", "\(counter)", "--check", code,
                "--look-ahead", "\(ahead)", "--json")
        }
        let right = try await check("162 583", from: 5, ahead: 2)
        #expect(
            try right.status == 0 && right.json["valid"] as? Bool == true
                && right.json["accepted_at"] as? Int == 7
                && right.json["next_counter"] as? Int == 8)
        for (counter, ahead) in [(5, 1), (8, 10)] {
            let wrong = try await check("162583", from: counter, ahead: ahead)
            #expect(
                try wrong.status == 1 && wrong.json["valid"] as? Bool == false
                    && wrong.json["accepted_at"] == nil && wrong.err.isEmpty)
        }
    }

    @Test(arguments: [
        ("JBSWY3DPEHPK3PXP", "324550"), ("JZLS\u{A0}HDX6-FVHM YZPU C6O3RYBG4YTTUUAP", "700502"),
        (
            "otpauth://totp/Example:ada?secret=JZLSHDX6FVHMYZPUC6O3RYBG4YTTUUAP&issuer=Example",
            "700502"
        ),
    ])
    func `secrets are accepted as sites show them`(secret: String, code: String) async throws {
        let home = try TemporaryHome(hasPack: false)
        let plain = try await home.mien(
            ["otp", "totp", "--time", "1700000000"], input: secret)
        #expect(plain.status == 0 && plain.out == code + "\n", "\(plain)")
    }

    /// The first has a 9, which base32 lacks; the second could be either.
    @Test(arguments: [
        "3132333435363738393031323334353637383930", "3132333435363738313233343536373831323334",
    ])
    func `a secret that looks hexadecimal gets a hint`(secret: String) async throws {
        let home = try TemporaryHome(hasPack: false)
        let words = ["otp", "totp", "--time", "59"]
        let plain = try await home.mien(words, input: secret)
        #expect(plain.status == (secret.contains("9") ? 2 : 0), "\(plain)")
        #expect(plain.err.contains("add --hex") && !plain.err.contains(secret), "\(plain)")
        let hex = try await home.mien(words + ["--hex"], input: secret)
        #expect(hex.status == 0 && hex.err.isEmpty && hex.out != plain.out, "\(hex)")
    }

    @Test func `a URI's parameters count, unless options say otherwise`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let uri = "otpauth://totp/a?secret=\(Self.base32)&digits=8&period=60"
        func totp(_ more: String...) async throws -> String {
            try await home.mien(["otp", "totp", "--time", "59"] + more, input: uri).out
        }
        #expect(try await totp() == "84755224\n")
        #expect(try await totp("--step", "30") == "94287082\n")
        #expect(try await totp("--digits", "6") == "755224\n")
        let other = try await home.mien(["otp", "hotp", "--counter", "1", "--json"], input: uri)
        #expect(try other.status == 2 && other.error.code == "otp.secret")
        #expect(other.err.contains("mien otp totp") && !other.err.contains(Self.base32))
    }

    @Test func `totp computes and checks codes for a given time and for now`() async throws {
        let home = try TemporaryHome(hasPack: false), file = try secretFile(home)
        let then = try await home.mien(
            "otp", "totp", "--secret-file", file, "--time", "59", "--digits", "8", "--json")
        #expect(
            try then.json["code"] as? String == "94287082" && then.json["step"] as? Int == 1
                && then.json["seconds_left"] as? Int == 1)
        let now = try await home.mien("otp", "totp", "--secret-file", file, "--step", "86400")
        let check = try await home.mien(
            "otp", "totp", "--secret-file", file, "--step", "86400", "--check",
            now.out.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(now.status == 0 && check.status == 0 && check.out.hasPrefix("right, at "))
        let late = try await home.mien(
            "otp", "totp", "--secret-file", file, "--time", "120", "--digits", "8", "--check",
            "94287082")
        #expect(late.status == 1 && late.out == "not right\n")
    }

    @Test func `ocra computes the standard's responses, with counter and PIN, and with time`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false),
            file = try secretFile(home, String(Self.hex32)),
            pin = try secretFile(home, "1234\n", name: "pin.txt")
        let suite = "OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1"
        let arguments = [
            "otp", "ocra", "--hex", "--secret-file", file, "--suite", suite, "--question",
            "12345678", "--counter", "9",
        ]
        let response = try await home.mien(arguments + ["--pin-file", pin, "--json"])
        #expect(
            try response.status == 0 && response.json["code"] as? String == "08522129"
                && response.json["suite"] as? String == suite)
        #expect(
            try await home.mien(arguments + ["--pin-file", pin, "--check", "08522129"]).status == 0)
        #expect(
            try await home.mien(arguments + ["--pin-file", pin, "--check", "08522128"]).status == 1)
        let both = try await home.mien(
            "otp", "ocra", "--hex", "--secret-file", file, "--suite", "OCRA-1:HOTP-SHA256-8:QA08",
            "--question", "CLI22220", "--question", "SRV11110")
        #expect(both.out == "28247970\n")
        let withoutPIN = try await home.mien(arguments + ["--json"])
        #expect(
            try withoutPIN.status == 2 && withoutPIN.error.code == "secret.missing"
                && withoutPIN.err.contains("MIEN_OTP_PIN"))
    }

    @Test func `cap computes a card's code, signs data, and refuses a mask that is a byte short`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        let card = [
            "otp", "cap", "--cid", "80", "--atc", "005A", "--iad", "06015603A400000700030000010002",
            "--mask", "0000FF000000000003FFFF", "--card",
        ]
        #expect(try await home.mien(card, input: "513C1201B7DB02A0\n").out == "23790240\n")
        let signed = try await home.mien(
            card + ["--sign", "1234", "--json"], input: "513C1201B7DB02A0")
        #expect(
            try signed.json["code"] as? String == "23719593" && signed.json["digits"] as? Int == 8
                && signed.json["bits"] as? Int == 26
                && signed.json["padded_code"] as? String == "23719593")
        let short = try await home.mien(
            [
                "otp", "cap", "--cid", "80", "--atc", "005A", "--iad", "0102030405060708", "--mask",
                "00 00 00 FF FF FF 00 00 00 00 00 00 00 00 00 00 00 00 00", "--json",
            ],
            input: "513C1201B7DB02A0")
        #expect(
            try short.status == 2 && short.error.code == "cap.mask"
                && short.err.contains("000000FFFFFF0000000000000000000000000000"))
    }

    @Test func `check-challenge names the template or the reason`() async throws {
        let home = try TemporaryHome(hasPack: false)
        #expect(try await home.mien("otp", "check-challenge", "00105").out == "template 5\n")
        let json = try await home.mien("otp", "check-challenge", "00466", "--json")
        #expect(
            try json.status == 0 && json.json["template"] as? Int == 23
                && json.json["valid"] as? Bool == true)
        for wrong in ["00106", "00015", "1", "abcde"] {
            let result = try await home.mien("otp", "check-challenge", wrong, "--json")
            #expect(
                try result.status == 1 && result.json["valid"] as? Bool == false
                    && (result.json["reason"] as? String)?.isEmpty == false)
        }
    }

    @Test func `invalid input exits with 2, a specific code, and a message without the secret`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false), file = try secretFile(home)
        for (arguments, code) in [
            (["hotp", "--secret-file", file, "--counter", "0", "--digits", "5"], "otp.digits"),
            (
                [
                    "hotp", "--secret-file", file, "--counter", "0", "--look-ahead", "101",
                    "--check", "123456",
                ], "otp.window"
            ),
            (["hotp", "--secret-file", file, "--counter", "0", "--hex"], "otp.secret"),
            (["totp", "--secret-file", file, "--step", "0"], "otp.time"),
            (
                [
                    "ocra", "--secret-file", file, "--suite", "OCRA-1:HOTP-SHA1-6:QX08",
                    "--question", "1",
                ], "ocra.suite"
            ),
            (
                [
                    "ocra", "--secret-file", file, "--suite", "OCRA-1:HOTP-SHA1-6:QN08",
                    "--question", "x",
                ], "ocra.question"
            ),
            (
                [
                    "ocra", "--secret-file", file, "--suite", "OCRA-1:HOTP-SHA1-6:QN08",
                    "--question", "1", "--counter", "1",
                ], "ocra.input"
            ),
            (["hotp", "--counter", "0"], "secret.missing"),
            (["hotp", "--secret-file", file + ".none", "--counter", "0"], "file.not-found"),
            (["hotp", "--secret-file", home.files.path, "--counter", "0"], "file.not-regular"),
        ] {
            let result = try await home.mien(["otp"] + arguments + ["--json"])
            #expect(try result.status == 2 && result.error.code == code, "\(arguments) \(result)")
            #expect(!result.err.contains(Self.base32) && !result.out.contains(Self.base32))
        }
    }

    @Test(arguments: ["-1", "18446744073709551616", "x"])
    func `a counter out of range is called so, not missing`(counter: String) async throws {
        let home = try TemporaryHome(hasPack: false), file = try secretFile(home)
        for words in [["--counter", counter], ["--counter=\(counter)"]] {
            let result = try await home.mien(
                ["otp", "hotp", "--secret-file", file] + words + ["--json"])
            #expect(try result.status == 2 && result.error.code == "usage", "\(result)")
            #expect(
                result.err.contains("--counter must be 0 to 18446744073709551615, not “\(counter)”")
                    && !result.err.contains("Missing"), "\(result)")
        }
    }

    @Test func `a secret's file that others can read is refused`() async throws {
        let home = try TemporaryHome(hasPack: false), file = try secretFile(home, mode: 0o644)
        let result = try await home.mien(
            "otp", "hotp", "--secret-file", file, "--counter", "0", "--json")
        #expect(
            try result.status == 3 && result.error.code == "secret.mode"
                && result.err.contains("chmod 600"))
    }
}
