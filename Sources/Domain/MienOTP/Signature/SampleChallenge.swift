/// A challenge that names the template of a dynamic signature: four digits, twice the template's
/// number, and a Verhoeff check digit over them.
///
/// The rule gives all 24 sample challenges of the programmer's guide (its table 7): template 5 is
/// `0010`, hence `00105`.
public struct SampleChallenge: Sendable, Hashable {
    public static let templates = 0...4999

    public let template: Int

    public init(template: Int) throws(OTPError) {
        guard Self.templates.contains(template) else {
            throw OTPError(
                .challenge,
                "a template has a number from \(Self.templates.lowerBound) to \(Self.templates.upperBound), not \(template)"
            )
        }
        self.template = template
    }

    /// - Parameter text: what somebody typed; spaces are not taken.
    public init(_ text: some StringProtocol) throws(OTPError) {
        let digits = text.utf8.map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.count == 5, digits.allSatisfy((0...9).contains) else {
            throw OTPError(
                .challenge, "a challenge has five digits: four for the template, one to check them")
        }
        guard Verhoeff.isValid(digits) else {
            throw OTPError(
                .challenge, "the last digit does not fit the others: one of them was mistyped")
        }
        guard digits[3] % 2 == 0 else {
            throw OTPError(
                .challenge, "the first four digits are twice a template's number, hence even")
        }
        template = digits[..<4].reduce(0) { $0 * 10 + $1 } / 2
    }

    public var text: String {
        let head = OneTimeCode.decimal(UInt64(template * 2), digits: 4).text
        return head + String(Verhoeff.checkDigit(of: head.utf8.map { Int($0 - UInt8(ascii: "0")) }))
    }
}
