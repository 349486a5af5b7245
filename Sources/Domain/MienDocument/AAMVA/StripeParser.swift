internal import MienCore

/// Reads the tracks of a magnetic stripe, which some jurisdictions, such as British Columbia, write
/// into the barcode instead of the layout with subfiles.
///
/// Gives each value the identifier that the other layout has for it, and dates as `YYYYMMDD`.
///
/// Source: AAMVA DL/ID Card Design Standard, annex F.
struct StripeParser {
    let header: AAMVAHeader
    private(set) var elements: [AAMVAElement] = []

    /// - Returns: `nil` for text without a second track of a known issuer.
    init?(_ bytes: [UInt8]) {
        guard
            let start = bytes.indices.first(where: {
                bytes[$0] == UInt8(ascii: ";")
                    && Jurisdiction(issuerNumber: textOf(Array(bytes[($0 + 1)...].prefix(6))))
                        != nil
            })
        else { return nil }
        let issuer = textOf(Array(bytes[(start + 1)...].prefix(6)))
        header = AAMVAHeader(
            fileType: "", issuerNumber: issuer, version: 0, jurisdictionVersion: nil,
            announcedEntries: 0, entries: [])
        let second = bytes[(start + 7)...].prefix { $0 != Self.end }
        readFirst(bytes[..<start])
        guard readSecond(second) else { return nil }
        readThird(bytes[second.endIndex...].dropFirst())
    }

    private static let end = UInt8(ascii: "?"), separator = UInt8(ascii: "^")

    private mutating func add(_ id: AAMVAElementID, _ value: some Collection<UInt8>) {
        let bytes = value.trimmingSpaces
        guard !bytes.isEmpty else { return }
        elements.append(AAMVAElement(id: id, value: textOf(bytes), bytes: bytes, ending: []))
    }

    // MARK: Name and address

    /// State, city, name, and address; a separator follows a field that does not fill its place.
    private mutating func readFirst(_ track: ArraySlice<UInt8>) {
        guard let start = track.firstIndex(of: UInt8(ascii: "%")) else { return }
        var rest = track[(start + 1)...].prefix { $0 != Self.end }
        func next(_ limit: Int) -> ArraySlice<UInt8> {
            let field = rest.prefix(limit).prefix { $0 != Self.separator }
            rest = rest[field.endIndex...]
            if rest.first == Self.separator { rest.removeFirst() }
            return field
        }
        add(.state, rest.prefix(2))
        rest = rest.dropFirst(2)
        add(.city, next(13))
        let name = Self.parts(next(35))
        if name.count > 1 {
            for (id, part) in zip(
                [AAMVAElementID.familyName, .firstName, .middleName, .suffix], name)
            { add(id, part) }
        } else if let whole = name.first {
            add(.fullName, whole)
        }
        if let street = Self.parts(next(77)).first { add(.street, street) }
    }

    private static func parts(_ field: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        field.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
    }

    // MARK: Number and dates

    /// The number, the dates, and what does not fit of the number.
    private mutating func readSecond(_ track: ArraySlice<UInt8>) -> Bool {
        let separator = UInt8(ascii: "=")
        let head = track.prefix(13).prefix { $0 != separator }
        var rest = track[head.endIndex...]
        if rest.first == separator { rest.removeFirst() }
        let dates = rest.prefix(12), tail = rest.dropFirst(12).prefix { $0 != separator }
        let number = Array(head + tail)
        guard !number.isEmpty, decimal(number) != nil, dates.count == 12, decimal(dates) != nil
        else { return false }
        add(.number, self.number(number))
        add(.birth, dates.suffix(8))
        if let expiry = Self.expiry(Array(dates.prefix(4)), birth: Array(dates.suffix(8))) {
            add(.expiry, expiry)
        }
        return true
    }

    /// The number with its first letter, which the track writes as two digits. The issuer's
    /// published rule tells the two apart.
    private func number(_ digits: [UInt8]) -> [UInt8] {
        guard let code = Jurisdiction(issuerNumber: header.issuerNumber)?.code,
            NumberRule.accepts(digits, ofCardsFrom: code) == false,
            let letter = decimal(digits.prefix(2)), (1...26).contains(letter)
        else { return digits }
        let spelled = [UInt8(64 + letter)] + digits.dropFirst(2)
        return NumberRule.accepts(spelled, ofCardsFrom: code) == true ? spelled : digits
    }

    /// `YYMM` as `YYYYMMDD`: the day is unknown, or follows from the birth. Month 77 stands for a
    /// card that does not expire, 88 for the month of birth in the next year, 99 for the birthday.
    private static func expiry(_ text: [UInt8], birth: [UInt8]) -> [UInt8]? {
        guard let short = decimal(text[..<2]), let month = decimal(text[2...]) else { return nil }
        func year(_ years: Int) -> [UInt8] {
            Array(String((short >= 90 ? 1900 : 2000) + short + years).utf8)
        }
        switch month {
        case 77: return nil
        case 88: return year(1) + birth[4..<6] + [48, 48]
        case 99: return year(0) + birth[4...]
        default: return year(0) + text[2...] + [48, 48]
        }
    }

    // MARK: Description

    /// Fields of fixed widths: two versions come before the first, and others follow.
    private mutating func readThird(_ track: ArraySlice<UInt8>) {
        guard let start = track.firstIndex(where: { "%#+!".utf8.contains($0) }) else { return }
        var rest = track[(start + 1)...].prefix { $0 != Self.end }.dropFirst(2)
        let fields: [(AAMVAElementID, Int)] = [
            (.postalCode, 11), (.vehicleClass, 2), (.restrictions, 10), (.endorsements, 4),
            (.sex, 1), (.height, 3), (.pounds, 3), (.hair, 3), (.eyes, 3),
        ]
        guard rest.count >= 40 else { return }
        for (id, width) in fields {
            add(id, rest.prefix(width))
            rest = rest.dropFirst(width)
        }
    }
}
