import MienCore
import Testing

@Suite struct TypedCodeTests {
    @Test(arguments: [
        "12345678", "1234 5678", "1234-5678", " 1234–5678\n", "1234\u{2011}5678", "1234.5678",
        "１２３４５６７８", "١٢٣٤٥٦٧٨", "۱۲۳۴۵۶۷۸", "१२३४५६७८", "১২৩৪ ৫৬৭৮", "๑๒๓๔๕๖๗๘",
        "\u{200F}12345678\u{202C}", "1234\u{A0}5678", "1234−5678",
    ])
    func `digits of every script and separators are read`(text: String) {
        #expect(TypedCode.normal(text) == "12345678")
    }

    @Test func `wide letters are read as letters`() {
        #expect(TypedCode.normal("７Ｋ３ＱＦ－２ｍ９ｘａ") == "7K3QF2m9xa")
    }

    @Test func `everything else stays, so that a wrong code remains wrong`() {
        #expect(TypedCode.normal("a1b2-Ⅷ½²c_") == "a1b2Ⅷ½²c_")
    }
}
