internal import MienCore

/// A challenge to type on a device without a connection: the template of the transaction, and a
/// random number that makes its signature valid once.
///
/// Twelve digits: the five of ``SampleChallenge``, six random ones, and a Verhoeff check digit over
/// the first eleven.
public struct DynamicChallenge: Sendable, Hashable {
    private static let randomDigits = 6, length = 12

    public let template: SignatureTemplate
    /// Twelve digits.
    public let text: String

    /// Draws a challenge.
    public init(for template: SignatureTemplate, using generator: inout some RandomNumberGenerator)
        throws(OTPError)
    {
        let number = UInt64.random(in: 0..<1_000_000, using: &generator)
        let head =
            try SampleChallenge(template: template.number).text
            + OneTimeCode.decimal(number, digits: Self.randomDigits).text
        self.template = template
        text = head + String(Verhoeff.checkDigit(of: Self.digits(head)))
    }

    /// - Parameter typed: The twelve digits, as ``TypedCode``.
    /// - Throws: ``OTPError`` `.challenge` if they were mistyped or name no template.
    public init(_ typed: some StringProtocol) throws(OTPError) {
        let text = TypedCode.normal(typed)
        guard text.utf8.count == Self.length, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw OTPError(.challenge, "a challenge must have \(Self.length) digits") }
        guard Verhoeff.isValid(Self.digits(text)) else {
            throw OTPError(.challenge, "the check digit does not match; a digit was mistyped")
        }
        let head = try SampleChallenge(text.prefix(5))
        template = try SignatureTemplate(number: head.template)
        self.text = text
    }

    private static func digits(_ text: String) -> [Int] { text.utf8.map { Int($0) - 0x30 } }
}
