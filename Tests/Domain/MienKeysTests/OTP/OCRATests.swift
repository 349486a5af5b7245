import MienCore
import MienKeys
import MienTesting
import Testing

@Suite struct OCRATests {
    /// The time of RFC 6287, appendix C: 25 March 2008, 12:06:30.
    static let time = Instant(seconds: 1_206_446_790), pin = Sensitive("1234")

    private func responses(
        _ suite: String, _ secret: Int, _ questions: [String], counters: [UInt64]? = nil,
        pin: Bool = false, time: Bool = false
    )
        throws
        -> [String]
    {
        let ocra = OCRA(try OCRASuite(suite)), secret = try countingSecret(secret)
        return try questions.enumerated().map { index, text in
            // The standard's longest questions are two concatenated ones.
            let half = text.index(text.startIndex, offsetBy: min(8, text.count))
            let question =
                try text.count == 16
                ? OCRAQuestion(String(text[..<half]), then: String(text[half...]), for: ocra.suite)
                : OCRAQuestion(text, for: ocra.suite)
            let input = OCRAInput(
                question: question, counter: counters?[index], pin: pin ? Self.pin : nil,
                time: time ? Self.time : nil)
            return try ocra.response(to: input, with: secret).text
        }
    }

    private static let repeated = (0..<10).map { String(repeating: "\($0)", count: 8) }

    @Test func `one-way responses match RFC 6287, C 1`() throws {
        #expect(
            try responses("OCRA-1:HOTP-SHA1-6:QN08", 20, Self.repeated) == [
                "237653", "243178", "653583", "740991", "608993", "388898", "816933", "224598",
                "750600", "294470",
            ])
        #expect(
            try responses(
                "OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1", 32, Array(repeating: "12345678", count: 10),
                counters: Array(0..<10), pin: true) == [
                    "65347737", "86775851", "78192410", "71565254", "10104329", "65983500",
                    "70069104", "91771096", "75011558", "08522129",
                ])
        #expect(
            try responses(
                "OCRA-1:HOTP-SHA256-8:QN08-PSHA1", 32, Array(Self.repeated[..<5]), pin: true) == [
                    "83238735", "01501458", "17957585", "86776967", "86807031",
                ])
        #expect(
            try responses("OCRA-1:HOTP-SHA512-8:C-QN08", 64, Self.repeated, counters: Array(0..<10))
                == [
                    "07016083", "63947962", "70123924", "25341727", "33203315", "34205738",
                    "44343969", "51946085", "20403879", "31409299",
                ])
        #expect(
            try responses(
                "OCRA-1:HOTP-SHA512-8:QN08-T1M", 64, Array(Self.repeated[..<5]), time: true) == [
                    "95209754", "55907591", "22048402", "24218844", "36209546",
                ])
    }

    @Test func `mutual responses match RFC 6287, C 2`() throws {
        let client = (0..<5).map { "CLI2222\($0)SRV1111\($0)" },
            server = (0..<5).map { "SRV1111\($0)CLI2222\($0)" }
        #expect(
            try responses("OCRA-1:HOTP-SHA256-8:QA08", 32, client) == [
                "28247970", "01984843", "65387857", "03351211", "83412541",
            ])
        #expect(
            try responses("OCRA-1:HOTP-SHA256-8:QA08", 32, server) == [
                "15510767", "90175646", "33777207", "95285278", "28934924",
            ])
        #expect(
            try responses("OCRA-1:HOTP-SHA512-8:QA08", 64, client) == [
                "79496648", "76831980", "12250499", "90856481", "12761449",
            ])
        #expect(
            try responses("OCRA-1:HOTP-SHA512-8:QA08-PSHA1", 64, server, pin: true) == [
                "18806276", "70020315", "01600026", "18951020", "32528969",
            ])
    }

    @Test func `signatures match RFC 6287, C 3`() throws {
        #expect(
            try responses("OCRA-1:HOTP-SHA256-8:QA08", 32, (0..<5).map { "SIG1\($0)000" }) == [
                "53095496", "04110475", "31331128", "76028668", "46554205",
            ])
        #expect(
            try responses(
                "OCRA-1:HOTP-SHA512-8:QA10-T1M", 64, (0..<5).map { "SIG1\($0)00000" }, time: true)
                == [
                    "77537423", "31970405", "10235557", "95213541", "65360607",
                ])
    }

    /// Computed independently with Python's hmac from the standard's text.
    @Test
    func
        `session, whole HMAC, odd hexadecimal, and long numbers match independent answers`()
        throws
    {
        let secret = try countingSecret(32)
        func response(
            _ suite: String, _ question: String, session: [UInt8]? = nil, time: Instant? = nil
        ) throws -> String {
            let suite = try OCRASuite(suite)
            return try OCRA(suite).response(
                to: OCRAInput(
                    question: OCRAQuestion(question, for: suite), session: session, time: time),
                with: secret
            ).text
        }
        #expect(
            try response("OCRA-1:HOTP-SHA256-8:QH8-S512", "aBc12", session: Array("session 1".utf8))
                == PythonAnswers.session)
        #expect(try response("OCRA-1:HOTP-SHA256-0:QN08", "12345678") == PythonAnswers.whole)
        #expect(
            try response(
                "OCRA-1:HOTP-SHA1-10:QN64-T48H", String(repeating: "9", count: 64), time: Self.time)
                == PythonAnswers.longNumber)
        #expect(
            try response("OCRA-1:HOTP-SHA512-4:QH64", String(repeating: "f", count: 63))
                == PythonAnswers.oddHex)
    }

    @Test func `the inputs must be exactly those that the suite requires`() throws {
        let secret = try countingSecret(32), bare = try OCRASuite("OCRA-1:HOTP-SHA1-6:QN08"),
            full = try OCRASuite("OCRA-1:HOTP-SHA1-6:C-QN08-PSHA1-S064-T1M")
        func input(
            _ suite: OCRASuite, counter: UInt64?, pin: Sensitive<String>?, session: [UInt8]?,
            time: Instant?
        ) throws -> OCRAInput {
            OCRAInput(
                question: try OCRAQuestion("1", for: suite), counter: counter, pin: pin,
                session: session, time: time)
        }
        func isTaken(
            _ suite: OCRASuite, counter: UInt64?, pin: Sensitive<String>?, session: [UInt8]?,
            time: Instant?
        ) throws -> Bool {
            let input = try input(suite, counter: counter, pin: pin, session: session, time: time)
            do {
                _ = try OCRA(suite).response(to: input, with: secret)
                return true
            } catch {
                #expect(error == OTPError(.input, "") || time != nil && suite == bare)
                return false
            }
        }
        for missing in 0..<16 {
            let counter: UInt64? = missing & 1 == 0 ? 7 : nil,
                pin = missing & 2 == 0 ? Self.pin : nil
            let session: [UInt8]? = missing & 4 == 0 ? [1] : nil,
                time = missing & 8 == 0 ? Self.time : nil
            #expect(
                try isTaken(full, counter: counter, pin: pin, session: session, time: time)
                    == (missing == 0))
            #expect(
                try isTaken(bare, counter: counter, pin: pin, session: session, time: time)
                    == (missing == 15))
        }
        #expect(throws: OTPError(.input, "")) {
            try OCRA(full).response(
                to: input(
                    full, counter: 1, pin: Self.pin, session: [UInt8](repeating: 1, count: 65),
                    time: Self.time), with: secret)
        }
        #expect(throws: OTPError(.time, "")) {
            try OCRA(full).response(
                to: input(
                    full, counter: 1, pin: Self.pin, session: [], time: Instant(milliseconds: -1)),
                with: secret)
        }
        // A question is valid only for its suite.
        let letters = try OCRASuite("OCRA-1:HOTP-SHA1-6:QA64")
        #expect(throws: OTPError(.question, "")) {
            try OCRA(bare).response(
                to: OCRAInput(question: OCRAQuestion("1", for: letters)), with: secret)
        }
    }

    @Test func `questions must have the suite's type and length`() throws {
        let numeric = try OCRASuite("OCRA-1:HOTP-SHA1-6:QN08"),
            letters = try OCRASuite("OCRA-1:HOTP-SHA1-6:QA08"),
            hexadecimal = try OCRASuite("OCRA-1:HOTP-SHA1-6:QH08")
        for (suite, wrong) in [
            (numeric, ["", "123456789", "1234567a", "1 2", "１２"]),
            (letters, ["", "abcdefghi", "ab cd", "ä", "a-b"]),
            (hexadecimal, ["", "123456789", "12g4"]),
        ] {
            for text in wrong {
                #expect(throws: OTPError(.question, ""), "\(suite) \(text)") {
                    try OCRAQuestion(text, for: suite)
                }
                #expect(throws: OTPError(.question, ""), "\(suite) \(text)") {
                    try OCRAQuestion("1", then: text, for: suite)
                }
            }
        }
        for (suite, right) in [
            (numeric, "00000001"), (letters, "aZ09zA9"), (hexadecimal, "aAfF09"),
        ] {
            #expect(try OCRAQuestion(right, then: right, for: suite).text == right + right)
        }
    }

    @Test func `every input changes the response`() throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA256-10:C-QA08-PSHA256-S064-T1M"),
            secret = try countingSecret(32), ocra = OCRA(suite)
        func response(
            _ question: String = "abc", _ counter: UInt64 = 1, _ pin: String = "1",
            _ session: [UInt8] = [1], _ time: Int64 = 60
        ) throws
            -> String
        {
            try ocra.response(
                to: OCRAInput(
                    question: OCRAQuestion(question, for: suite), counter: counter,
                    pin: Sensitive(pin), session: session,
                    time: Instant(seconds: time)),
                with: secret
            ).text
        }
        let all = try [
            response(), response("abd"), response("abc", 2), response("abc", 1, "2"),
            response("abc", 1, "1", [2]), response("abc", 1, "1", [1], 120),
            response("abc", 1, ""),
        ]
        #expect(Set(all).count == all.count)
        #expect(try response("abc", 1, "1", [1], 119) == all[0])
    }
}

@Suite struct OCRAVerifierTests {
    private func verifier(_ suite: String, next: UInt64 = 0, skew: Int = 1) throws -> OCRAVerifier {
        try OCRAVerifier(
            OCRA(OCRASuite(suite)), counter: HOTPVerifier(nextCounter: next, lookAhead: 3),
            skew: skew)
    }

    @Test func `with a counter each response is accepted once, and only ahead`() throws {
        let secret = try countingSecret(32),
            verifier = try verifier("OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1", next: 5),
            suite = verifier.ocra.suite
        let question = try OCRAQuestion("12345678", for: suite)
        for counter in UInt64(0)..<12 {
            var after = verifier
            let input = OCRAInput(question: question, counter: counter, pin: Sensitive("1234"))
            let response = try after.ocra.response(to: input, with: secret),
                asked = OCRAInput(question: question, pin: Sensitive("1234"))
            let isGood = (5...8).contains(counter)
            #expect(
                try after.verify(response, to: asked, with: secret)
                    == (isGood ? .accepted(at: counter) : .refused))
            #expect(after.counter.nextCounter == (isGood ? counter + 1 : 5))
            #expect(try after.verify(response, to: asked, with: secret) == .refused)
            let other = OCRAInput(
                question: try OCRAQuestion("12345679", for: suite), pin: Sensitive("1234"))
            var fresh = verifier
            #expect(try fresh.verify(response, to: other, with: secret) == .refused)
            #expect(
                try fresh.verify(
                    response, to: OCRAInput(question: question, pin: Sensitive("1235")),
                    with: secret) == .refused)
        }
        var same = verifier
        #expect(throws: OTPError(.input, "")) {
            try same.verify(
                code("12345678"),
                to: OCRAInput(question: question, counter: 5, pin: Sensitive("1234")), with: secret)
        }
    }

    @Test func `with time the OTP token's clock may differ by the agreed steps`() throws {
        let secret = try countingSecret(64), now: Int64 = 600_000
        for counts in [false, true] {
            let verifier = try verifier("OCRA-1:HOTP-SHA512-8:\(counts ? "C-" : "")QN08-T1M"),
                question = try OCRAQuestion("42", for: verifier.ocra.suite)
            for off in Int64(-4)...4 {
                var after = verifier
                let theirs = OCRAInput(
                    question: question, counter: counts ? 2 : nil,
                    time: Instant(seconds: now + off * 60))
                let response = try after.ocra.response(to: theirs, with: secret)
                let verdict = try after.verify(
                    response, to: OCRAInput(question: question, time: Instant(seconds: now)),
                    with: secret)
                #expect(verdict.isAccepted == (abs(off) <= 1))
                #expect(after.counter.nextCounter == (counts && verdict.isAccepted ? 3 : 0))
            }
        }
    }
}
