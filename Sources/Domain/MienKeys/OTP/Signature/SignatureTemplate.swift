/// The fields that a kind of transaction has, in the order in which they are shown and signed.
///
/// A challenge names a template by its number, so that a device without a connection knows what to
/// ask its owner. Numbers are never reused.
public struct SignatureTemplate: Sendable, Hashable {
    public let number: Int
    /// The action that the owner approves, for the device to show.
    public let title: String
    public let primitives: [SignaturePrimitive]

    private init(_ number: Int, _ title: String, _ primitives: [SignaturePrimitive]) {
        (self.number, self.title, self.primitives) = (number, title, primitives)
    }

    /// All templates.
    public static let all = [
        SignatureTemplate(0, "Confirm that it is you", []),
        SignatureTemplate(1, "Confirm a code", [.code]),
        SignatureTemplate(2, "Send money", [.account, .amount]),
        SignatureTemplate(3, "Send money", [.account, .amount, .currency]),
        SignatureTemplate(4, "Send money", [.account, .payee, .amount, .currency]),
        SignatureTemplate(5, "Pay a bill", [.account, .amount, .currency, .reference]),
        SignatureTemplate(6, "Send money on a date", [.account, .amount, .currency, .date]),
        SignatureTemplate(7, "Send many payments", [.quantity, .amount, .currency]),
        SignatureTemplate(8, "Add a payee", [.account, .payee]),
        SignatureTemplate(9, "Change a phone number", [.phone]),
        SignatureTemplate(10, "Change a limit", [.amount, .currency, .date]),
        SignatureTemplate(11, "Order", [.reference, .quantity, .amount, .currency]),
    ]

    /// - Throws: ``OTPError`` `.challenge` for an unknown number.
    public init(number: Int) throws(OTPError) {
        guard let found = Self.all.first(where: { $0.number == number }) else {
            throw OTPError(
                .challenge,
                "there is no template \(number); templates are 0 to \(Self.all.count - 1)")
        }
        self = found
    }
}
