import MienKeys
import Testing

@Suite("Approval codes")
struct ApprovalCodeTests {
    @Test("a code is read however it is typed, and differs each time")
    func typed() throws {
        var generator = SystemRandomNumberGenerator()
        let code = ApprovalCode(using: &generator)
        #expect(code.text.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/) != nil)
        #expect(ApprovalCode(using: &generator) != code)
        let plain = code.text.replacing("-", with: "")
        for typed in [code.text, plain, plain.lowercased(), " \(plain) "] {
            #expect(ApprovalCode(typed: typed) == code)
        }
        #expect(ApprovalCode(typed: "OIL00-11111")?.text == "01100-11111")
        for wrong in ["", "7K3QF", "7K3QF-2M9XAA", "7K3QF-2M9XU", "7K3QF_2M9XA"] {
            #expect(ApprovalCode(typed: wrong) == nil, "\(wrong)")
        }
        #expect(ApprovalCode(typed: String(repeating: " ", count: 23) + plain) == nil)
    }
}
