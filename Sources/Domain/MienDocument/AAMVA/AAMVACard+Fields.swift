public import MienCore

extension AAMVACard {
    /// The authority that issued the card, by its issuer number; otherwise `nil`.
    public var jurisdiction: Jurisdiction? { Jurisdiction(issuerNumber: header.issuerNumber) }

    /// The country (ISO 3166-1 alpha-2): of the issuer number, as the card states it, or of the
    /// address.
    public var country: String? {
        if let jurisdiction { return jurisdiction.country }
        switch self[.country] {
        case "USA", "US": return "US"
        case "CAN", "CDN", "CA": return "CA"
        default: return state.flatMap { Jurisdiction(code: $0) }?.country
        }
    }

    /// Whether the card is a driver license; otherwise it is an identity card.
    public var isDriverLicense: Bool { subfiles.contains { $0.type == "DL" } }

    public var number: String? { self[.number] }

    /// The family name and suffix; `nil` when the card states none.
    public var familyName: String? {
        self[.familyName].flatMap(Self.name) ?? fullName?.family
            ?? self[.oldFamilyName].flatMap(Self.name)
    }

    /// The first name and the middle names, in order. Cards separate those in one element by spaces
    /// or commas.
    public var givenNames: [String] {
        let names = [self[.firstName], self[.middleName]].compactMap { $0 }
        if !names.isEmpty { return names.flatMap(Self.words) }
        if let given = self[.givenNames] { return Self.words(given) }
        return fullName?.given ?? []
    }

    /// All words of a full name that does not say which of them is the family name; otherwise empty.
    ///
    /// The standard's first version separates the parts of the full name by commas, the family name
    /// first. Some states wrote spaces. Those of Pennsylvania's cards mean `FIRST MIDDLE FAMILY`
    /// (c0shea/IdParser, issues 15 and 30); what those of other states mean, no source says.
    public var unorderedNames: [String] {
        guard familyName == nil, givenNames.isEmpty else { return [] }
        return self[.fullName].map(Self.words) ?? []
    }

    /// The full name of old cards: `FAMILY,FIRST,MIDDLE,SUFFIX`, with `@` or `$` instead of commas
    /// in some states. `nil` for ``unorderedNames``.
    private var fullName: (family: String?, given: [String])? {
        guard let text = self[.fullName] else { return nil }
        let parts = text.split(omittingEmptySubsequences: false) { ",@$".contains($0) }
        if parts.count > 1 {
            // The fourth part is a suffix.
            return (
                Self.name(String(parts[0])),
                parts[1...].prefix(2).flatMap { Self.words(String($0)) }
            )
        }
        let words = Self.words(text)
        guard words.count == 1 || jurisdiction?.code == "PA" else { return nil }
        return words.last.map { ($0, Array(words.dropLast())) }
    }

    private static func name(_ text: String) -> String? {
        let name = text.trimmingCommas
        return isAbsent(name) ? nil : name
    }

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "," }.map(String.init).filter { !isAbsent($0) }
    }

    /// Whether the barcode says that the family name was shortened.
    public var isFamilyNameTruncated: Bool { self[.familyNameTruncated] == "T" }
    public var isFirstNameTruncated: Bool { self[.firstNameTruncated] == "T" }

    /// `nil` when the card does not state the whole date.
    public var birth: CalendarDate? { date(.birth).day }
    /// `nil` when the card does not state the whole date.
    public var expiry: CalendarDate? { date(.expiry).day }
    /// `nil` when the card does not state the whole date.
    public var issue: CalendarDate? { date(.issue).day }

    func date(_ id: AAMVAElementID) -> CardDate { self[id].map { CardDate($0) } ?? .absent }

    public var sex: Sex? {
        switch self[.sex] {
        case "1", "M": .male
        case "2", "F": .female
        case "9", "0", "X", "U": .unspecified
        default: nil
        }
    }

    /// The holder's height in centimeters: from `071 IN`, `180 CM`, or `511` (5 feet 11 inches, in
    /// version 1).
    public var heightCentimeters: Double? {
        guard let text = self[.height]?.uppercased() else { return nil }
        let digits = text.prefix { $0.isNumber || $0 == " " }.filter { $0 != " " }
        guard let number = decimal(Array(digits.utf8)) else { return nil }
        let unit = text.drop { $0.isNumber || $0 == " " }
        switch unit {
        case "CM": return Double(number)
        case "IN": return Double(number) * 2.54
        case "" where digits.utf8.count == 3:
            // Canadian cards without a unit mean centimeters.
            if country == "CA" { return Double(number) }
            return Double(number / 100 * 12 + number % 100) * 2.54
        default: return nil
        }
    }

    public var street: String? { self[.street] ?? self[.residenceStreet] }
    public var street2: String? {
        self[self[.street] == nil ? .residenceStreet2 : .street2]
    }
    public var city: String? { self[.city] ?? self[.residenceCity] }
    public var state: String? { self[.state] ?? self[.residenceState] }

    /// The postal code without trailing zeros of a missing extension: `33040-0504`, `06614-0123`,
    /// `83530`, `T4G 7A7`.
    public var postalCode: String? {
        guard let text = self[.postalCode] ?? self[.residencePostalCode] else { return nil }
        let digits = text.filter { $0 != "-" && $0 != " " }
        guard digits.utf8.count == 9, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return text
        }
        return digits.hasSuffix("0000")
            ? String(digits.prefix(5)) : digits.prefix(5) + "-" + digits.suffix(4)
    }
}

extension String {
    /// Without commas and spaces at the ends.
    fileprivate var trimmingCommas: String {
        var text = self[...]
        while let last = text.last, last == "," || last == " " { text.removeLast() }
        while let first = text.first, first == "," || first == " " { text.removeFirst() }
        return String(text)
    }
}
