/// A challenge that names the template of a dynamic signature: four digits with twice the
/// template's number, and a Verhoeff check digit.
///
/// This rule reproduces all 24 sample challenges of the programmer's guide (its table 7): template
/// 5 is `0010`, hence `00105`.
public struct SampleChallenge: Sendable, Hashable {
    public static let templates = 0...4999

    public let template: Int

    public init(template: Int) throws(OTPError) {
        guard Self.templates.contains(template) else {
            throw OTPError(
                .challenge,
                "a template number must be from \(Self.templates.lowerBound) to \(Self.templates.upperBound), not \(template)"
            )
        }
        self.template = template
    }

    /// - Parameter text: typed text; spaces are not accepted.
    public init(_ text: some StringProtocol) throws(OTPError) {
        let digits = text.utf8.map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.count == 5, digits.allSatisfy((0...9).contains) else {
            throw OTPError(
                .challenge,
                "a challenge must have five digits: four for the template and a check digit")
        }
        guard Verhoeff.isValid(digits) else {
            throw OTPError(
                .challenge, "the check digit does not match; a digit was mistyped")
        }
        guard digits[3] % 2 == 0 else {
            throw OTPError(
                .challenge,
                "the first four digits must be twice the template's number, so an even number")
        }
        template = digits[..<4].reduce(0) { $0 * 10 + $1 } / 2
    }

    public var text: String {
        let head = OneTimeCode.decimal(UInt64(template * 2), digits: 4).text
        return head + String(Verhoeff.checkDigit(of: head.utf8.map { Int($0 - UInt8(ascii: "0")) }))
    }
}
