import MienCore
import MienKeys
import MienTesting
import Testing

/// Codes that a token computes as its own card.
@Suite struct CAPCodeTests {
    /// 00 01 … 0f.
    static let key = try! OTPSecret(bytes: Array(0..<16))

    /// Cryptograms that pyemv 1.5.0 computes: common session keys, and ISO/IEC 9797-1 MAC algorithm
    /// 3 over zero amounts, country, and currency, TVR 8000000000, date 010101, type 00, the number,
    /// AIP 1000, and ATC.
    @Test(
        arguments: [
            ("0123456789ABCDEFFEDCBA9876543210", 0x0001, nil, 0x1bd6_aa10_82bf_bdbf),
            ("0123456789ABCDEFFEDCBA9876543210", 0x01ab, "0", 0x1db3_f2e3_5776_6bde),
            ("0123456789ABCDEFFEDCBA9876543210", 0xffff, "12345678", 0x7ee2_3b31_7661_be0f),
            ("000102030405060708090A0B0C0D0E0F", 0x005a, "1234", 0xd851_d4af_4a48_2d96),
        ] as [(String, UInt16, String?, UInt64)])
    func `codes are cut from the cryptogram that a payment card computes`(
        key: String, atc: UInt16, challenge: String?, cryptogram: UInt64
    ) throws {
        let key = try OTPSecret(hexadecimal: key)
        // Three masks of 24 bits show all eight bytes.
        for first in [0, 3, 5] {
            var mask = [UInt8](repeating: 0, count: 20)
            mask.replaceSubrange(4 + first..<7 + first, with: [0xff, 0xff, 0xff])
            let code = try CAP(mask: CAPMask(mask)).code(.challenge(challenge), at: atc, with: key)
            let bits = cryptogram >> UInt64(8 * (5 - first)) & 0xff_ffff
            #expect(Int(code.text) == Int(bits) && code.text.utf8.count == 8)
        }
    }

    /// Computed with a program of its own, for `docs/one-time-codes.md`.
    @Test func `the documented token signs in, answers, and signs`() throws {
        let cap = try CAP(digits: 8)
        let transfer = try ShownTransaction(
            DynamicChallenge("000691234568"),
            [.account: "CH9300762011623852957", .amount: "120.50", .currency: "CHF"])
        for (atc, code, answer, numbers, signature) in [
            (1, "00128591", "00118421", "00091741", "00085023"),
            (2, "00192912", "00174382", "00131263", "00185990"),
        ] as [(UInt16, String, String, String, String)] {
            let challenge = try CAPQuestion(challenge: "12345678").mode,
                signing = try CAPQuestion(signing: ["1000", "3101234567"]).mode
            #expect(try cap.code(.identify, at: atc, with: Self.key).text == code)
            #expect(try cap.code(.challenge(nil), at: atc, with: Self.key).text == code)
            #expect(try cap.code(challenge, at: atc, with: Self.key).text == answer)
            #expect(try cap.code(signing, at: atc, with: Self.key).text == numbers)
            #expect(try transfer.response(of: cap, at: atc, with: Self.key).text == signature)
        }
    }

    @Test func `more digits show more of the cryptogram`() throws {
        for (digits, bits) in [(8, 24), (9, 29), (10, 33)] {
            let cap = try CAP(digits: digits)
            #expect(cap.digits == digits && cap.mask.bitCount(cap.flags) == bits)
            // The code at 1 begins with the low byte of ATC.
            let code = try cap.code(.identify, at: 0x0101, with: Self.key)
            #expect(
                code.text.utf8.count == digits
                    && Int(code.text).map { $0 >> (bits - 8) } == 1)
        }
        #expect(try CAP(digits: 8) == CAP())
        for digits in [0, 6, 7, 11] {
            #expect(throws: OTPError(.digits, "")) { try CAP(digits: digits) }
        }
    }

    @Test func `parity bits of a key do not matter, and its length does`() throws {
        let odd = try OTPSecret(bytes: Self.key.bytes.map { $0 ^ 1 }), cap = try CAP()
        #expect(
            try cap.code(.identify, at: 7, with: odd).text
                == cap.code(.identify, at: 7, with: Self.key).text)
        #expect(throws: OTPError(.secret, "")) {
            try cap.code(.identify, at: 7, with: countingSecret(20))
        }
        var generator = TestSeed.generator(16), seen: Set<[UInt8]> = []
        for _ in 0..<100 { seen.insert(OTPSecret.randomCAPKey(using: &generator).bytes) }
        #expect(seen.count == 100 && seen.allSatisfy { $0.count == CAP.keySize })
    }

    @Test func `a token's mask must leave enough of the cryptogram to guess`() throws {
        func mask(_ hexadecimal: String) throws -> CAPMask {
            try CAPMask(
                hexadecimal: hexadecimal + String(repeating: "0", count: 40 - hexadecimal.count))
        }
        #expect(throws: Never.self) { try CAP(mask: mask("000000FFFFFF")) }
        for bad in [
            "0000FFFFFF",  // 8 bits of AC
            "0000FFFFFFFE",  // 15 bits of AC
            "00000000FFFE",  // too few digits
            "0000FFFFFFFFFF",  // too many
            "000000000000000000000000FFFFFF",  // issuer data only
        ] {
            let mask = try mask(bad)
            #expect(throws: OTPError(.mask, ""), "\(bad)") { try CAP(mask: mask) }
        }
        #expect(throws: OTPError(.mask, "")) {
            try CAP(mask: CAPMask(hexadecimal: "0000FFFFFF", layout: .card))
        }
        #expect(throws: OTPError(.tokenData, "")) { try CAP(issuerData: [1]) }
    }

    @Test func `parameters survive their hexadecimal form`() throws {
        let cap = try CAP(
            mask: CAPMask(hexadecimal: "FF0000FFFFFF00000000000000000000000000" + "00"),
            flags: .withPSN, psn: 7, issuerData: Array(1...8))
        #expect(
            cap.parameters
                == CAP.Parameters(
                    mask: "FF0000FFFFFF0000000000000000000000000000", iaf: "40", psn: "07",
                    iad: "0102030405060708"))
        #expect(try CAP(cap.parameters) == cap && cap.digits == 10)
        let good = try CAP().parameters
        for (bad, code) in [
            (CAP.Parameters(mask: good.mask, iaf: "0", psn: "00", iad: good.iad), .tokenData),
            (CAP.Parameters(mask: good.mask, iaf: "00", psn: "0000", iad: good.iad), .tokenData),
            (CAP.Parameters(mask: good.mask, iaf: "00", psn: "00", iad: "00"), .tokenData),
            (CAP.Parameters(mask: "00", iaf: "00", psn: "00", iad: good.iad), .mask),
        ] as [(CAP.Parameters, OTPError.Code)] {
            #expect(throws: OTPError(code, "")) { try CAP(bad) }
        }
    }

    @Test func `no question gives the code of a sign-in or of a shown transaction`() throws {
        for zero in ["0", "00000000"] {
            #expect(throws: OTPError(.transaction, "")) { try CAPQuestion(challenge: zero) }
        }
        for challenge in ["", "123456789", "12a"] {
            #expect(throws: OTPError(.transaction, "")) { try CAPQuestion(challenge: challenge) }
        }
        #expect(throws: Never.self) {
            try CAPQuestion(signing: Array(repeating: "1", count: 7))
        }
        for numbers in [[], [""], ["1a"], Array(repeating: "1", count: 8)] {
            #expect(throws: OTPError(.transaction, "")) { try CAPQuestion(signing: numbers) }
        }
    }
}

@Suite struct CAPVerifierTests {
    private let cap = try! CAP(), key = CAPCodeTests.key

    private func code(_ atc: UInt16, _ mode: CAPMode = .identify) throws -> OneTimeCode {
        try cap.code(mode, at: atc, with: key)
    }

    /// Compares every story of up to three codes, from counters 1 to 6, with a list of usable
    /// counters.
    @Test func `in every short story a code is accepted once, only ahead, and within the window`()
        throws
    {
        let codes = try (1...6).map { try code($0) }
        var stories = 0
        func tell(_ verifier: CAPVerifier, next: UInt64, _ depth: Int) throws {
            stories += 1
            if depth == 3 { return }
            for counter in UInt64(1)...6 {
                var after = verifier
                let isGood = (next...next + 2).contains(counter)
                let verdict = try after.verify(codes[Int(counter) - 1], .identify, cap, with: key)
                if verdict != (isGood ? .accepted(at: counter) : .refused)
                    || after.nextCounter != (isGood ? counter + 1 : next)
                {
                    Issue.record("from \(next), the code at \(counter): \(verdict)")
                }
                try tell(after, next: isGood ? counter + 1 : next, depth + 1)
            }
        }
        try tell(CAPVerifier(lookAhead: 2), next: 1, 0)
        #expect(stories == 1 + 6 + 36 + 216)
    }

    @Test func `a code of one mode is none of another, and uses up its counter for all`() throws {
        let challenge = try CAPQuestion(challenge: "1").mode,
            numbers = try CAPQuestion(signing: ["1"]).mode
        let modes: [CAPMode] = [.identify, challenge, numbers]
        for (made, asked) in modes.flatMap({ made in modes.map { (made, $0) } }) {
            var verifier = try CAPVerifier(lookAhead: 0)
            #expect(
                try verifier.verify(code(1, made), asked, cap, with: key).isAccepted
                    == (made == asked))
        }
        var verifier = try CAPVerifier()
        #expect(try verifier.verify(code(3, numbers), numbers, cap, with: key) == .accepted(at: 3))
        #expect(try verifier.verify(code(3), .identify, cap, with: key) == .refused)
        #expect(try verifier.verify(code(4), .identify, cap, with: key) == .accepted(at: 4))
    }

    @Test func `a code without its leading zeros is accepted, and a longer one is not`() throws {
        var verifier = try CAPVerifier()
        let first = try code(1).text
        #expect(first.hasPrefix("00"))
        let long = try #require(OneTimeCode(typed: "0" + first)),
            short = try #require(OneTimeCode(typed: first.drop { $0 == "0" }))
        #expect(try verifier.verify(long, .identify, cap, with: key) == .refused)
        #expect(try verifier.verify(short, .identify, cap, with: key) == .accepted(at: 1))
    }

    @Test func `the last counter is used once, and nothing follows`() throws {
        var verifier = try CAPVerifier(nextCounter: 65_530)
        #expect(try verifier.verify(code(.max), .identify, cap, with: key) == .accepted(at: 65_535))
        #expect(verifier.nextCounter == 65_536)
        for atc: UInt16 in [.max, 0, 1, 2] {
            #expect(try verifier.verify(code(atc), .identify, cap, with: key) == .refused)
        }
        #expect(throws: OTPError(.window, "")) { try CAPVerifier(lookAhead: 101) }
    }

    @Test func `counter 0, which no card has, is refused`() throws {
        var verifier = try CAPVerifier(nextCounter: 0)
        #expect(verifier.nextCounter == 1)
        #expect(try verifier.verify(code(0), .identify, cap, with: key) == .refused)
    }
}
