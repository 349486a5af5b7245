/// The purpose of a CAP code: identification, a challenge, or a signature.
public enum CAPMode: Sendable, Hashable {
    /// Modes 1 and 3: with or without a challenge of up to 8 digits, over which the cryptogram is
    /// computed. Mode 1 with an amount is not supported.
    case challenge(String?)
    /// Mode 2: proves only the presence of the card and its PIN.
    case identify
    /// Mode 2 with transaction data signing: up to ten numbers of up to ten digits, such as account
    /// and amount.
    case sign([String])

    public static let maxNumbers = 10, maxDigits = 10, maxChallengeDigits = 8

    /// Returns the unpredictable number to send to the card: 4 bytes, two decimal digits each.
    public func unpredictableNumber() throws(OTPError) -> [UInt8] {
        guard case .challenge(let challenge?) = self else { return [0, 0, 0, 0] }
        guard Self.isNumber(challenge, upTo: Self.maxChallengeDigits) else {
            throw OTPError(
                .transaction, "a challenge must have 1 to \(Self.maxChallengeDigits) digits")
        }
        let zeros = String(repeating: "0", count: Self.maxChallengeDigits - challenge.utf8.count)
        return Hex.decode(zeros + challenge) ?? []
    }

    /// Returns the cryptogram that is shortened to the code: the card's own, or for ``sign(_:)``
    /// the DES-CBC-MAC of the numbers under it.
    ///
    /// The numbers are concatenated in decimal, with F between them and after an odd number of
    /// digits; ISO/IEC 9797-1 padding method 2.
    func cryptogram(from card: [UInt8]) throws(OTPError) -> [UInt8] {
        guard case .sign(let numbers) = self else { return card }
        try check()
        let joined = numbers.joined(separator: "F")
        var data = Hex.decode(joined.utf8.count % 2 == 0 ? joined : joined + "F") ?? []
        data += [0x80] + [UInt8](repeating: 0, count: (8 - (data.count + 1) % 8) % 8)
        return DES(key: card).mac(data)
    }

    /// - Throws: ``OTPError`` `.transaction` for numbers that cannot be signed.
    func check() throws(OTPError) {
        guard case .sign(let numbers) = self else { return }
        guard (1...Self.maxNumbers).contains(numbers.count),
            numbers.allSatisfy({ Self.isNumber($0, upTo: Self.maxDigits) })
        else {
            throw OTPError(
                .transaction,
                "a signature needs 1 to \(Self.maxNumbers) numbers of 1 to \(Self.maxDigits) digits"
            )
        }
    }

    private static func isNumber(_ text: String, upTo length: Int) -> Bool {
        (1...length).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
