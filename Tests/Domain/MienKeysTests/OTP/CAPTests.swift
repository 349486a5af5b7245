import Foundation
import MienCore
import MienKeys
import MienTesting
import Testing

@Suite struct CAPTests {
    /// Output of cards and readers that others have recorded.
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let card, mode, data, expectedOTP: String
        let ipb, psn: String?
        let cid, atc, ac, iad: String

        var testDescription: String { "\(card) \(mode) \(data)" }

        enum CodingKeys: String, CodingKey {
            case card, mode, data, expectedOTP = "expected_otp", ipb, psn, cid, atc, ac, iad
        }
    }

    static let own: [Vector] = [
        .init(
            card: "cap_be", mode: "m1", data: "", expectedOTP: "23790240",
            ipb: "0000FF000000000003FFFF", psn: nil, cid: "80", atc: "005A",
            ac: "513C1201B7DB02A0", iad: "06015603A400000700030000010002"),
        .init(
            card: "cap_be", mode: "m2", data: "1234", expectedOTP: "23719593",
            ipb: "0000FF000000000003FFFF", psn: nil, cid: "80", atc: "005A",
            ac: "513C1201B7DB02A0", iad: "06015603A400000700030000010002"),
        .init(
            card: "maestro_lu", mode: "m1", data: "", expectedOTP: "75176930639874",
            ipb: "0000FFFFFFFFFF00000000000000FF00003E", psn: nil,
            cid: "00", atc: "0002", ac: "22FBF1F8FAE37197", iad: "00910300380104"),
    ]

    private static let shared: [Vector] = {
        let repository = Repository.root
        let folder =
            ProcessInfo.processInfo.environment["MIEN_SHARED"].map { URL(filePath: $0) }
            ?? repository.deletingLastPathComponent().appending(path: "shared")
        guard let data = try? Data(contentsOf: folder.appending(path: "data/vectors/emv-cap.json"))
        else { return [] }
        return try! JSONDecoder().decode([Vector].self, from: data)
    }()

    private func check(_ vector: Vector) throws {
        // A Visa card without a mask of its own uses the one that readers for Visa contain.
        let mask = try CAPMask(
            hexadecimal: vector.ipb ?? "0000FFFFFF0000000000000000000020B938", layout: .card)
        // The recording does not state that this card's IAF has bit 7 set: the mask begins at a PSN
        // of 00, and does not give the code otherwise.
        let usesPSN = vector.psn != nil || vector.card == "cap_rabo1_nl"
        let data = try CAPTokenData(
            psn: usesPSN ? UInt8(vector.psn ?? "00", radix: 16) : nil,
            cid: #require(UInt8(vector.cid, radix: 16)),
            atc: #require(UInt16(vector.atc, radix: 16)), cryptogram: bytes(vector.ac),
            issuerData: bytes(vector.iad))
        let mode: CAPMode =
            vector.mode == "m1"
            ? .challenge(vector.data.isEmpty ? nil : vector.data)
            : vector.data.isEmpty ? .identify : .sign([vector.data])
        let token = try CAPToken(
            data.applying(mode), mask: mask, flags: usesPSN ? .withPSN : .withoutPSN)
        // Some readers pad with zeros.
        #expect([token.code.text, token.paddedCode.text].contains(vector.expectedOTP))
        #expect(Int(token.code.text) == Int(vector.expectedOTP))
    }

    @Test(arguments: own) func `cards produce the codes that their readers show`(vector: Vector)
        throws
    { try check(vector) }

    @Test(
        .enabled(
            if: !shared.isEmpty, "needs the recorded cards: ../shared/data/vectors, or MIEN_SHARED"),
        arguments: shared)
    func `recorded cards produce the codes that their readers show`(vector: Vector) throws {
        try check(vector)
    }

    private func bytes(_ text: String) throws -> [UInt8] {
        try stride(from: 0, to: text.count, by: 2).map {
            try #require(UInt8(text.dropFirst($0).prefix(2), radix: 16))
        }
    }

    private func data(
        psn: UInt8? = nil, cryptogram: [UInt8] = [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0],
        issuerData: [UInt8] = Array(1...8)
    )
        throws -> CAPTokenData
    {
        try CAPTokenData(
            psn: psn, cid: 0x80, atc: 0x01ab, cryptogram: cryptogram, issuerData: issuerData)
    }

    @Test
    func `the standard mask selects the low byte of ATC and two of AC, with or without the PSN`()
        throws
    {
        for flags in [CAPFlags.withoutPSN, .withPSN] {
            let token = try CAPToken(data(psn: 7), flags: flags)
            #expect(
                token.code.text == String(0xab1234) && token.paddedCode.text == "11211316"
                    && token.digits == 8)
        }
        #expect(CAPMask.standard.hexadecimal == "000000FFFFFF0000000000000000000000000000")
        #expect(CAPFlags(rawValue: 0x80).usesPSN == false && CAPFlags(rawValue: 0xc0).usesPSN)
    }

    @Test func `the PSN is used and required if IAF says so`() throws {
        let mask = try CAPMask(hexadecimal: "FF0000FFFFFF0000000000000000000000000000")
        #expect(
            try CAPToken(data(psn: 7), mask: mask, flags: .withPSN).code.text == String(0x07ab_1234)
        )
        #expect(
            try CAPToken(data(psn: 7), mask: mask, flags: .withoutPSN).code.text == String(0xab1234)
        )
        #expect(mask.bitCount(.withPSN) == 32 && mask.bitCount(.withoutPSN) == 24)
        #expect(throws: OTPError(.tokenData, "")) {
            try CAPToken(data(), mask: mask, flags: .withPSN)
        }
        // A card's mask begins with the data.
        let card = try CAPMask(hexadecimal: "FF0000FFFFFF", layout: .card)
        #expect(
            try CAPToken(data(psn: 7), mask: card, flags: .withPSN).code.text == String(0x07ab_1234)
        )
        #expect(
            try CAPToken(data(psn: 7), mask: card, flags: .withoutPSN).code.text
                == String(0x8012_3456 as UInt64))
    }

    @Test func `the mask as the guide prints it is rejected, and the error contains the right one`()
        throws
    {
        do {
            _ = try CAPMask(hexadecimal: "00 00 00 FF FF FF 00 00 00 00 00 00 00 00 00 00 00 00 00")
            Issue.record("19 bytes were accepted")
        } catch {
            #expect(
                error.code == .mask && error.reason.contains("19 bytes")
                    && error.reason.contains(CAPMask.standard.hexadecimal))
        }
    }

    @Test func `a mask covers all data and no more`() throws {
        for count in [0, 18, 21, 45] {
            #expect(throws: OTPError(.mask, "")) {
                try CAPMask([UInt8](repeating: 1, count: count))
            }
        }
        for count in [0, 45] {
            #expect(throws: OTPError(.mask, "")) {
                try CAPMask([UInt8](repeating: 1, count: count), layout: .card)
            }
        }
        #expect(throws: OTPError(.mask, "")) { try CAPMask(hexadecimal: "0g", layout: .card) }
        let long = try CAPMask([UInt8](repeating: 1, count: 20), layout: .card)
        #expect(throws: OTPError(.mask, "")) { try CAPToken(data(), mask: long) }
        #expect(try CAPToken(data(psn: 1), mask: long, flags: .withPSN).digits == 7)
        #expect(throws: OTPError(.tokenData, "")) {
            try CAPToken(data(issuerData: [1]), mask: .standard)
        }
        #expect(throws: OTPError(.tokenData, "")) { try data(cryptogram: [1]) }
        #expect(throws: OTPError(.tokenData, "")) {
            try data(issuerData: [UInt8](repeating: 0, count: 33))
        }
    }

    @Test(arguments: [
        (17...19, 6), (20...23, 7), (24...26, 8), (27...29, 9), (30...33, 10), (34...36, 11),
        (37...39, 12), (40...43, 13), (44...46, 14),
        (47...49, 15),
        (50...53, 16),
    ]) func `the digits for a number of bits match the guide's table 6`(
        bits: ClosedRange<Int>, digits: Int
    ) throws {
        for count in bits {
            #expect(CAPMask.digits(ofBits: count) == digits)
            let mask = try CAPMask(mask(ofBits: count))
            let ones = try CAPTokenData(
                psn: 0xff, cid: 0xff, atc: 0xffff, cryptogram: [UInt8](repeating: 0xff, count: 8),
                issuerData: [UInt8](repeating: 0xff, count: 8))
            let token = try CAPToken(ones, mask: mask, flags: .withPSN)
            #expect(
                token.digits == digits && token.code.text == String(UInt64(1) << UInt64(count) - 1)
                    && token.code.text.count == digits)
            let zeros = try CAPTokenData(
                psn: 0, cid: 0, atc: 0, cryptogram: [UInt8](repeating: 0, count: 8),
                issuerData: [UInt8](repeating: 0, count: 8))
            #expect(
                try CAPToken(zeros, mask: mask, flags: .withPSN).paddedCode.text
                    == String(repeating: "0", count: digits))
            #expect(try CAPToken(zeros, mask: mask, flags: .withPSN).code.text == "0")
        }
    }

    @Test func `a mask with fewer or more bits than the table is rejected`() throws {
        for count in [0, 16, 54, 160] {
            #expect(throws: OTPError(.mask, "")) {
                try CAPToken(data(psn: 1), mask: CAPMask(mask(ofBits: count)), flags: .withPSN)
            }
        }
    }

    /// Returns a mask that selects the last `count` bits.
    private func mask(ofBits count: Int) -> [UInt8] {
        (0..<20).map { byte in
            (0..<8).reduce(UInt8(0)) { value, bit in
                value << 1 | (160 - (byte * 8 + bit) <= count ? 1 : 0)
            }
        }
    }

    @Test func `only numbers can be signed`() throws {
        for numbers in [
            [], [""], ["12345678901"], ["1a"], ["1", ""], [" 1"], Array(repeating: "1", count: 11),
        ] {
            #expect(throws: OTPError(.transaction, ""), "\(numbers)") {
                try data().applying(.sign(numbers))
            }
        }
        for challenge in ["", "123456789", "12a"] {
            #expect(throws: OTPError(.transaction, "")) {
                try CAPMode.challenge(challenge).unpredictableNumber()
            }
        }
        #expect(
            try CAPMode.challenge("1234").unpredictableNumber() == [0, 0, 0x12, 0x34]
                && CAPMode.challenge("12345678").unpredictableNumber() == [0x12, 0x34, 0x56, 0x78])
        #expect(
            try CAPMode.identify.unpredictableNumber() == [0, 0, 0, 0]
                && CAPMode.challenge(nil).unpredictableNumber() == [0, 0, 0, 0])
        #expect(
            try data().applying(.identify) == data() && data().applying(.challenge("1")) == data())
    }

    /// Computed with `openssl enc -des-cbc -nopad -iv 0000000000000000 -K 0123456789ABCDEF`, last
    /// block, of 1000F3101234567F80…00, 12345680…00, and of two blocks.
    @Test(arguments: [
        (["1000", "3101234567"], DESAnswers.two), (["123456"], DESAnswers.one),
        (["1234567890", "12"], DESAnswers.seven),
        (["1234567890", "1234567890"], DESAnswers.long),
    ])
    func `transaction data is mixed in with DES in CBC mode`(
        numbers: [String], expected: String
    ) throws {
        let signed = try data(cryptogram: [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef])
            .applying(.sign(numbers))
        #expect(signed.cryptogram == (try bytes(expected)))
    }
}

@Suite struct SampleChallengeTests {
    /// The guide's table 7, from template 0 on.
    static let table = [
        "00007", "00024", "00048", "00069", "00082", "00105", "00122", "00146", "00167", "00180",
        "00200", "00228", "00244", "00263", "00285",
        "00302", "00325",
        "00341", "00360", "00387", "00409", "00421", "00445", "00466",
    ]

    @Test func `the guide's table 7 matches in both directions`() throws {
        for (template, text) in Self.table.enumerated() {
            #expect(
                try SampleChallenge(text).template == template
                    && SampleChallenge(template: template).text == text)
        }
    }

    @Test func `of all five-digit numbers exactly those of a template are accepted`()
        throws
    {
        var taken: [Int: String] = [:]
        for number in 0..<100_000 {
            let text = String("0000\(number)".suffix(5))
            guard let challenge = try? SampleChallenge(text) else { continue }
            #expect(challenge.text == text && taken[challenge.template] == nil)
            taken[challenge.template] = text
        }
        #expect(taken.count == 5000 && Set(taken.keys) == Set(0...4999))
    }

    @Test func `every mistyped digit and every swap of adjacent digits is detected`() throws {
        for template in stride(from: 0, to: 5000, by: 37) {
            let digits = Array(try SampleChallenge(template: template).text)
            for index in 0..<5 {
                for digit in "0123456789" where digit != digits[index] {
                    var wrong = digits
                    wrong[index] = digit
                    #expect(throws: OTPError(.challenge, "")) { try SampleChallenge(String(wrong)) }
                }
                guard index < 4, digits[index] != digits[index + 1] else { continue }
                var swapped = digits
                swapped.swapAt(index, index + 1)
                #expect(throws: OTPError(.challenge, "")) { try SampleChallenge(String(swapped)) }
            }
        }
    }

    @Test(arguments: ["", "0000", "000070", "0000x", "００００７", " 00007", "-0007"])
    func `anything but five digits is rejected`(text: String) {
        #expect(throws: OTPError(.challenge, "")) { try SampleChallenge(text) }
    }

    @Test
    func
        `an odd number is rejected even if its check digit matches, and so is an impossible template`()
        throws
    {
        let fitting = (0...9).map { "0001\($0)" }
        var reasons: [String] = []
        for text in fitting {
            let error = #expect(throws: OTPError.self) { try SampleChallenge(text) }
            reasons.append(error?.reason ?? "")
        }
        #expect(reasons.count == 10 && reasons.filter { $0.contains("even") }.count == 1)
        for template in [-1, 5000] {
            #expect(throws: OTPError(.challenge, "")) { try SampleChallenge(template: template) }
        }
    }
}
