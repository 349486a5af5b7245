import MienKeys
import MienTesting
import Testing

@Suite struct OCRASuiteTests {
    @Test func `every suite that the standard allows is parsed with its values`() throws {
        var count = 0
        for hash in OTPHash.allCases {
            for digits in [0] + Array(4...10) {
                for counter in [false, true] {
                    for format in OCRASuite.QuestionFormat.allCases {
                        for length in [4, 9, 10, 64] {
                            let text =
                                "OCRA-1:HOTP-\(hash.rawValue)-\(digits):\(counter ? "C-" : "")Q\(format.rawValue)\(length < 10 ? "0" : "")\(length)"
                            let suite = try OCRASuite(text)
                            #expect(
                                suite.text == text && suite.hash == hash
                                    && suite.digits == (digits == 0 ? nil : digits)
                                    && suite.hasCounter == counter
                                    && suite.questionFormat == format
                                    && suite.questionLength == length && suite.pinHash == nil
                                    && suite.sessionLength == nil && suite.timeStep == nil)
                            count += 1
                        }
                    }
                }
            }
        }
        #expect(count == 3 * 8 * 2 * 3 * 4)
    }

    @Test func `PIN, session, and time are parsed, each present or absent`() throws {
        let pins: [(String, OTPHash?)] = [
            ("", nil), ("-PSHA1", .sha1), ("-PSHA256", .sha256), ("-PSHA512", .sha512),
        ]
        let sessions: [(String, Int?)] = [
            ("", nil), ("-S001", 1), ("-S064", 64), ("-S128", 128), ("-S256", 256), ("-S512", 512),
            ("-S999", 999),
        ]
        var times: [(String, Int?)] = [("", nil)]
        for count in 1...59 { times += [("-T\(count)S", count), ("-T\(count)M", count * 60)] }
        for count in 1...48 { times.append(("-T\(count)H", count * 3600)) }
        for pin in pins {
            for session in sessions {
                for time in times {
                    let suite = try OCRASuite(
                        "OCRA-1:HOTP-SHA256-6:C-QA10" + pin.0 + session.0 + time.0)
                    #expect(
                        suite.pinHash == pin.1 && suite.sessionLength == session.1
                            && suite.timeStep?.seconds == time.1)
                }
            }
        }
    }

    @Test func `letters alone mean the standard's defaults`() throws {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:C-Q-P-S-T")
        #expect(
            suite.questionFormat == .numeric && suite.questionLength == 8 && suite.pinHash == .sha1
                && suite.sessionLength == 64
                && suite.timeStep?.seconds == 60)
    }

    @Test(arguments: [
        ("", "three parts"), ("OCRA-1", "three parts"), ("OCRA-1:HOTP-SHA1-6", "three parts"),
        ("OCRA-1:HOTP-SHA1-6:QN08:", "three parts"),
        ("OCRA-2:HOTP-SHA1-6:QN08", "“OCRA-2”"), ("ocra-1:HOTP-SHA1-6:QN08", "“ocra-1”"),
        (" OCRA-1:HOTP-SHA1-6:QN08", "OCRA-1"),
        ("OCRA-1:TOTP-SHA1-6:QN08", "“TOTP-SHA1-6”"), ("OCRA-1:HOTP-SHA1:QN08", "HOTP-SHA256-8"),
        ("OCRA-1:HOTP-SHA1-6-6:QN08", "HOTP-SHA256-8"),
        ("OCRA-1:HOTP-MD5-6:QN08", "“MD5” is not SHA1, SHA256, or SHA512"),
        ("OCRA-1:HOTP-SHA384-6:QN08", "SHA384"),
        ("OCRA-1:HOTP-sha1-6:QN08", "“sha1”"),
        ("OCRA-1:HOTP-SHA1-3:QN08", "“3” digits are not supported; use 4 to 10, or 0"),
        ("OCRA-1:HOTP-SHA1-11:QN08", "4 to 10"), ("OCRA-1:HOTP-SHA1-06:QN08", "4 to 10"),
        ("OCRA-1:HOTP-SHA1-:QN08", "4 to 10"), ("OCRA-1:HOTP-SHA1-+6:QN08", "4 to 10"),
        ("OCRA-1:HOTP-SHA1-00:QN08", "4 to 10"),
        ("OCRA-1:HOTP-SHA1-6:", "no question"), ("OCRA-1:HOTP-SHA1-6:C", "no question"),
        ("OCRA-1:HOTP-SHA1-6:PSHA1-QN08", "no question"),
        ("OCRA-1:HOTP-SHA1-6:CQN08", "no question"),
        ("OCRA-1:HOTP-SHA1-6:QX08", "QN (numeric), QA (alphanumeric), or QH"),
        ("OCRA-1:HOTP-SHA1-6:QN", "04 to 64"), ("OCRA-1:HOTP-SHA1-6:QN03", "04 to 64"),
        ("OCRA-1:HOTP-SHA1-6:QN65", "04 to 64"),
        ("OCRA-1:HOTP-SHA1-6:QN008", "04 to 64"), ("OCRA-1:HOTP-SHA1-6:QN0８", "04 to 64"),
        ("OCRA-1:HOTP-SHA1-6:Qn08", "QN"),
        ("OCRA-1:HOTP-SHA1-6:QN08-PMD5", "“MD5”"), ("OCRA-1:HOTP-SHA1-6:QN08-S64", "three digits"),
        ("OCRA-1:HOTP-SHA1-6:QN08-S000", "001 to 999"),
        ("OCRA-1:HOTP-SHA1-6:QN08-S1000", "001 to 999"), ("OCRA-1:HOTP-SHA1-6:QN08-T0H", "1 to 48"),
        ("OCRA-1:HOTP-SHA1-6:QN08-T49H", "1 to 48"),
        ("OCRA-1:HOTP-SHA1-6:QN08-T60M", "1 to 59"), ("OCRA-1:HOTP-SHA1-6:QN08-T0S", "1 to 59"),
        ("OCRA-1:HOTP-SHA1-6:QN08-T01M", "1 to 59"),
        ("OCRA-1:HOTP-SHA1-6:QN08-T1D", "end in S (seconds)"),
        ("OCRA-1:HOTP-SHA1-6:QN08-TM", "1 to 59"),
        ("OCRA-1:HOTP-SHA1-6:QN08-T1M-S064", "“S064” is not allowed there"),
        ("OCRA-1:HOTP-SHA1-6:QN08-QN08", "not allowed"),
        ("OCRA-1:HOTP-SHA1-6:QN08-C", "“C” is not allowed"),
        ("OCRA-1:HOTP-SHA1-6:C-C-QN08", "no question"), ("OCRA-1:HOTP-SHA1-6:QN08-", "not allowed"),
        ("OCRA-1:HOTP-SHA1-6:QN08-PSHA1-PSHA1", "not allowed"),
        ("OCRA-1:HOTP-SHA1-6:QN08\n", "04 to 64"), (String(repeating: "x", count: 65), "65"),
    ]) func `anything else is rejected with what is allowed there`(text: String, words: String) {
        do {
            _ = try OCRASuite(text)
            Issue.record("\(text) was accepted")
        } catch {
            #expect(error.code == .suite)
            #expect(error.reason.contains(words), "\(error.reason)")
        }
    }

    @Test func `a suite with any character changed is different or rejected`() throws {
        let text = "OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1-S064-T1M", suite = try OCRASuite(text)
        var generator = TestSeed.generator(73), taken = 0
        for _ in 0..<5000 {
            var bytes = Array(text.utf8)
            bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
                in: 32...126, using: &generator)
            let changed = String(decoding: bytes, as: UTF8.self)
            guard changed != text, let other = try? OCRASuite(changed) else { continue }
            #expect(other != suite && other.text == changed)
            taken += 1
        }
        #expect(taken > 0)
    }
}
