import Crypto
import Foundation
import MienCore
import MienKeys
import MienTesting
import Testing

/// The known answers were computed with Python's hmac and hashlib, from docs/one-time-codes.md.
@Suite("Signing what is shown")
struct ShownTransactionTests {
    private let secret = try! OTPSecret(bytes: [UInt8](0..<32))
    private let challenge = "chl_x.B1CyH3G-YQKA_e729gwNQohotk8YBFgFskjS57x2qR0"
    private let data = ["amount": "120.50", "to": "CH93"]

    @Test("the data of a step is shown in order, and signed as it is shown: a known answer")
    func approval() throws {
        let shown = try ShownTransaction(data, challenge: challenge)
        #expect(shown.lines.map(\.name) == ["amount", "to"])
        #expect(shown.lines.map(\.value) == ["120.50", "CH93"])
        #expect(try shown.response(with: secret).text == "25027641")
    }

    @Test(
        "other data than the challenge's is refused, and so is data that cannot be shown",
        arguments: [
            (["amount": "9.50", "to": "CH93"], OTPError.Code.challenge),
            (["amount": "120.50"], .challenge),
            (["amount": "120.50", "to": "CH93", "x": ""], .challenge),
            ([:], .field), (["amount": "120.50\u{202e}", "to": "CH93"], .field),
            (["amount": "120.50\nto: DE", "to": "CH93"], .field), (["": "x"], .field),
        ])
    func otherData(data: [String: String], code: OTPError.Code) {
        let error = #expect(throws: OTPError.self) {
            try ShownTransaction(data, challenge: challenge)
        }
        #expect(error?.code == code)
    }

    @Test(
        "a malformed challenge is refused",
        arguments: [
            "", ".", "chl_x", "chl_x.", ".B1CyH3G-YQKA_e729gwNQohotk8YBFgFskjS57x2qR0", "a.b.c",
        ])
    func malformed(challenge: String) {
        #expect(throws: OTPError.self) { try ShownTransaction(data, challenge: challenge) }
    }

    @Test("no data of a step is shown under the text of a typed challenge")
    func otherKind() throws {
        let login = ["login": "shop"]
        let hash = Base64URL.encode(
            SHA256.hash(data: Array(JSONText.write(.object(login.mapValues { .string($0) })).utf8)))
        let payee = "mien/v1/dynamic-signature\n000861234562\naccount=MALLORY\npayee=JOHN.\(hash)"
        #expect(throws: OTPError.self) { try ShownTransaction(login, challenge: payee) }
        #expect(throws: Never.self) {
            try ShownTransaction(login, challenge: "chl_2m8Xw0GJ4n6nq0s9u3v5xA.\(hash)")
        }
    }

    @Test("typed values are signed in their canonical form, which is shown: a known answer")
    func dynamic() throws {
        let challenge = try DynamicChallenge("00069-١٢٣٤٥٦ 8")
        #expect(challenge.text == "000691234568" && challenge.template.number == 3)
        for account in ["CH93 0076 2011 6238 5295 7", "ch9300762011623852957"] {
            for amount in ["120.50", "120.5", "0120.500"] {
                let shown = try ShownTransaction(
                    challenge, [.account: account, .amount: amount, .currency: "chf"])
                #expect(shown.title == "Send money")
                #expect(
                    shown.lines.map(\.value) == ["CH9300762011623852957", "120.5", "CHF"])
                #expect(try shown.response(with: secret).text == "62473334")
            }
        }
    }

    @Test("each changed value, challenge, and template changes the response")
    func changes() throws {
        let values: [SignaturePrimitive: String] = [
            .account: "CH9300762011623852957", .amount: "120.5", .currency: "CHF",
        ]
        func response(_ challenge: String, _ values: [SignaturePrimitive: String]) throws -> String
        {
            try ShownTransaction(DynamicChallenge(challenge), values).response(with: secret).text
        }
        let right = try response("000691234568", values)
        for (primitive, value) in [
            (SignaturePrimitive.account, "CH9300762011623852958"), (.amount, "1205"),
            (.currency, "EUR"),
        ] {
            #expect(
                try response("000691234568", values.merging([primitive: value]) { $1 }) != right)
        }
        var generator = SeededGenerator(seed: 5)
        let other = try DynamicChallenge(for: SignatureTemplate(number: 3), using: &generator)
        #expect(try response(other.text, values) != right)
    }

    @Test("missing, unknown, and malformed fields are refused, without repeating a value")
    func fields() throws {
        let challenge = try DynamicChallenge("000691234568")
        for values: [SignaturePrimitive: String] in [
            [:], [.account: "CH93", .amount: "1"],
            [.account: "CH93", .amount: "1", .currency: "CHF", .phone: "5551234"],
            [.account: "CH93", .amount: "1,5", .currency: "CHF"],
            [.account: "secret-account!", .amount: "1", .currency: "CHF"],
        ] {
            let error = #expect(throws: OTPError.self) { try ShownTransaction(challenge, values) }
            #expect(error?.code == .field && error?.reason.contains("secret-account") == false)
        }
    }

    @Test("every digit that is mistyped, and every swap of two neighbors, is detected")
    func mistyped() throws {
        var generator = SeededGenerator(seed: 1)
        for template in SignatureTemplate.all {
            let text = try DynamicChallenge(for: template, using: &generator).text
            #expect(try DynamicChallenge(text).template == template)
            let digits = text.utf8.map { Int($0) - 0x30 }
            for index in digits.indices {
                for digit in 0..<10 where digit != digits[index] {
                    var wrong = digits
                    wrong[index] = digit
                    #expect(throws: OTPError.self) {
                        try DynamicChallenge(wrong.map(String.init).joined())
                    }
                }
                guard index > 0, digits[index] != digits[index - 1] else { continue }
                var swapped = digits
                swapped.swapAt(index, index - 1)
                #expect(throws: OTPError.self) {
                    try DynamicChallenge(swapped.map(String.init).joined())
                }
            }
        }
        for text in ["", "00069", "00069123456", "00069123456x", "0006912345688"] {
            #expect(throws: OTPError.self) { try DynamicChallenge(text) }
        }
    }

    @Test(
        "a primitive has one canonical form",
        arguments: [
            (SignaturePrimitive.amount, "007", "7" as String?), (.amount, "0.10", "0.1"),
            (.amount, "00.00", "0"), (.amount, ".5", nil), (.amount, "1.", nil),
            (.amount, "-1", nil), (.amount, "1.2345", nil), (.amount, "1234567890123", nil),
            (.payee, "  Ada   Lovelace ", "Ada Lovelace"), (.payee, " ", nil),
            (.payee, "Ad\u{e4}", nil), (.currency, "eur", "EUR"), (.currency, "EURO", nil),
            (.reference, "rf18-5390/07.a", "RF18-5390/07.A"), (.reference, "a b", nil),
            (.date, "2028-02-29", "2028-02-29"), (.date, "2027-02-29", nil),
            (.date, "2027-13-01", nil), (.date, "2027-1-01", nil), (.date, "1900-02-29", nil),
            (.phone, "+41 44 668-18-00", "+41446681800"), (.phone, "++41446681800", nil),
            (.phone, "4+1446681800", nil), (.phone, "123", nil), (.quantity, "0042", "42"),
            (.quantity, "1.0", nil), (.code, "0042", "0042"), (.code, "x", nil),
            (.account, "CH9", nil),
        ])
    func canonical(primitive: SignaturePrimitive, typed: String, value: String?) {
        #expect((try? primitive.canonical(typed)) == value)
        if let value { #expect((try? primitive.canonical(value)) == value, "twice is once") }
    }

    @Test("the page lists every template and primitive")
    func page() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/one-time-codes.md"), encoding: .utf8)
        for template in SignatureTemplate.all {
            let names = template.primitives.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            #expect(
                page.contains("| \(template.number) | \(template.title) | \(names) |"),
                "\(template.number)")
        }
        for primitive in SignaturePrimitive.allCases {
            #expect(page.contains("| `\(primitive.rawValue)` | \(primitive.rule) |"))
        }
    }
}
