/// A field of a transaction that a dynamic signature covers: our own list, because a vendor's is
/// not public (docs/one-time-codes.md).
///
/// Every value has one canonical form, so that a device where it is typed and a server that knows
/// it sign the same bytes.
public enum SignaturePrimitive: String, Sendable, Hashable, CaseIterable {
    case account, payee, amount, currency, reference, date, phone, quantity, code

    /// The canonical form that a value may have, for errors and documents.
    public var rule: String {
        switch self {
        case .account: "4 to 34 letters and digits, such as an IBAN; spaces do not count"
        case .payee: "1 to 70 printable ASCII characters"
        case .amount:
            "up to 12 digits and, after a point, up to 3 more; zeros without meaning do not count"
        case .currency: "3 letters (ISO 4217)"
        case .reference: "1 to 35 letters, digits, “-”, “/”, and “.”"
        case .date: "a day as YYYY-MM-DD"
        case .phone: "4 to 15 digits, with or without “+”; spaces and “-” do not count"
        case .quantity: "a whole number of up to 9 digits"
        case .code: "1 to 12 digits"
        }
    }

    /// Returns the one form in which a value is shown and signed.
    ///
    /// - Throws: ``OTPError`` `.field`. The value is not repeated.
    public func canonical(_ text: String) throws(OTPError) -> String {
        guard text.utf8.count <= 256, text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
            let value = form(text)
        else { throw OTPError(.field, "\(rawValue) must have \(rule)") }
        return value
    }

    private func form(_ text: String) -> String? {
        switch self {
        case .account:
            let value = text.filter { $0 != " " }.uppercased()
            return (4...34).contains(value.count) && value.allSatisfy(Self.isAlphanumeric)
                ? value : nil
        case .payee:
            let value = text.split(separator: " ").joined(separator: " ")
            return (1...70).contains(value.count) ? value : nil
        case .amount: return Self.amount(text)
        case .currency:
            let value = text.uppercased()
            return value.count == 3 && value.allSatisfy { "A"..."Z" ~= $0 } ? value : nil
        case .reference:
            let value = text.uppercased()
            return (1...35).contains(value.count)
                && value.allSatisfy { Self.isAlphanumeric($0) || "-/.".contains($0) } ? value : nil
        case .date: return Self.isDate(text) ? text : nil
        case .phone:
            let value = text.filter { $0 != " " && $0 != "-" }, digits = value.drop { $0 == "+" }
            return value.count - digits.count <= 1 && Self.isNumber(digits, 4...15) ? value : nil
        case .quantity: return Self.isNumber(text[...], 1...9) ? Self.whole(text[...]) : nil
        case .code: return Self.isNumber(text[...], 1...12) ? text : nil
        }
    }

    private static func amount(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, isNumber(parts[0], 1...12) else { return nil }
        guard parts.count == 2 else { return whole(parts[0]) }
        guard isNumber(parts[1], 1...3) else { return nil }
        var fraction = parts[1]
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return whole(parts[0]) + (fraction.isEmpty ? "" : "." + fraction)
    }

    private static func whole(_ digits: Substring) -> String {
        let rest = digits.drop { $0 == "0" }
        return rest.isEmpty ? "0" : String(rest)
    }

    private static func isNumber(_ text: Substring, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isAlphanumeric(_ character: Character) -> Bool {
        "A"..."Z" ~= character || "0"..."9" ~= character
    }

    private static func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, isNumber(parts[0], 4...4), isNumber(parts[1], 2...2),
            isNumber(parts[2], 2...2), let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }
}
