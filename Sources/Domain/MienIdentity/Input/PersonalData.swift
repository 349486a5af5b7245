public import MienCore

/// Personal data as a person typed it.
public struct PersonalDataInput: Sendable, Hashable, CustomReflectable {
    public var firstName, lastName, address: String
    /// Optional, and compared only if the reference has it, too.
    public var city, state: String?
    public var postalCode: String
    /// ISO 3166-1 alpha-2, in either case.
    public var country: String
    /// `yyyy-mm-dd`.
    public var dateOfBirth: String

    public init(
        firstName: String, lastName: String, address: String, city: String? = nil,
        state: String? = nil, postalCode: String, country: String, dateOfBirth: String
    ) {
        (self.firstName, self.lastName, self.address) = (firstName, lastName, address)
        (self.city, self.state, self.postalCode) = (city, state, postalCode)
        (self.country, self.dateOfBirth) = (country, dateOfBirth)
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PersonalDataInput: CustomStringConvertible {
    public var description: String { "‹personal data›" }
}

/// Personal data in the form in which it is compared.
///
/// Names and addresses ignore case, accents, punctuation, and common abbreviations.
public struct PersonalData: Sendable, Hashable, CustomReflectable, CustomStringConvertible {
    /// The maximum length of each text in UTF-8 bytes.
    public static let maxFieldBytes = 200

    public let country: Country
    public let dateOfBirth: CalendarDate
    let firstName, lastName: FoldedText
    let address: Address
    let city, state: FoldedText?
    let postalCode: String

    /// - Parameter supported: the countries that the deployment accepts.
    /// - Throws: ``IdentityError``, whose ``IdentityError/field`` names the first invalid input:
    ///   `informationNotProvided` for a text that is empty, too long, or not a name,
    ///   `unsupportedCountry`, or `invalidAge` for a date that the calendar does not have.
    public init(_ input: PersonalDataInput, supported: Set<Country> = Country.all)
        throws(IdentityError)
    {
        country = try Self.country(input.country, supported: supported)
        firstName = try Self.name(input.firstName, "firstName").map(Self.withoutTitles)
        lastName = try Self.name(input.lastName, "lastName").map(Self.withoutSuffixes)
        try Self.check(input.address, "address")
        address = Address(input.address, country: country)
        guard !address.words.isEmpty || !address.numbers.isEmpty else {
            throw Self.missing("address")
        }
        city = try Self.optional(input.city, "city")
        state = try Self.optional(input.state, "state").map(country.state)
        try Self.check(input.postalCode, "postalCode")
        guard let postalCode = country.postalCode(input.postalCode) else {
            throw IdentityError(
                .informationNotProvided, field: "postalCode",
                "postalCode is not a postal code of \(country.rawValue)")
        }
        self.postalCode = postalCode
        dateOfBirth = try Self.date(input.dateOfBirth)
    }

    /// - Throws: ``IdentityError`` `unsupportedCountry` for all other text.
    public static func country(
        _ text: String, supported: Set<Country> = Country.all
    ) throws(IdentityError) -> Country {
        guard text.utf8.count == 2, let country = Country(rawValue: text.uppercased()),
            supported.contains(country)
        else {
            throw IdentityError(
                .unsupportedCountry, field: "country",
                "country must be one of \(supported.sorted().map(\.rawValue).joined(separator: ", "))"
            )
        }
        return country
    }

    public var description: String { "‹personal data›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    private static func missing(_ field: String) -> IdentityError {
        IdentityError(.informationNotProvided, field: field, "\(field) is required")
    }

    private static func check(_ text: String, _ field: String) throws(IdentityError) {
        guard text.utf8.count <= maxFieldBytes else {
            throw IdentityError(
                .informationNotProvided, field: field,
                "\(field) has more than \(maxFieldBytes) bytes")
        }
        guard text.isStreamSafe, text.isPrintable else {
            throw IdentityError(
                .informationNotProvided, field: field,
                "\(field) contains control characters, or too many combining marks in a row")
        }
    }

    private static func name(_ text: String, _ field: String) throws(IdentityError) -> FoldedText {
        try check(text, field)
        let name = FoldedText(text)
        guard !name.isEmpty else { throw missing(field) }
        return name
    }

    private static func optional(_ text: String?, _ field: String) throws(IdentityError)
        -> FoldedText?
    {
        guard let text else { return nil }
        try check(text, field)
        let folded = FoldedText(text)
        return folded.isEmpty ? nil : folded
    }

    private static func date(_ text: String) throws(IdentityError) -> CalendarDate {
        guard !text.isEmpty else { throw missing("dateOfBirth") }
        guard let date = CalendarDate(text) else {
            throw IdentityError(
                .invalidAge, field: "dateOfBirth",
                "dateOfBirth must be a day of the calendar, written yyyy-mm-dd")
        }
        return date
    }

    private static let titles: Set<String> = [
        "mr", "mrs", "ms", "miss", "mx", "dr", "doktor", "doctor", "prof", "professor", "herr",
        "frau", "mme", "mlle", "sr", "sra", "srta", "sir", "dame", "rev", "ing", "dipl", "hc",
        "rer", "med", "jur", "habil",
    ]
    private static let suffixes: Set<String> = [
        "jr", "sr", "junior", "senior", "ii", "iii", "iv", "phd", "md", "dds", "esq", "msc", "mba",
    ]

    /// Titles come in rows: `Prof. Dr. med. Ada`. The last word is always a name.
    private static func withoutTitles(_ words: [String]) -> [String] {
        let first =
            words.dropLast().indices.first { place in
                // Nat is a name, too.
                !titles.contains(words[place])
                    && !(words[place] == "nat" && place > 0 && words[place - 1] == "rer")
            } ?? words.count - 1
        return Array(words.dropFirst(first))
    }

    private static func withoutSuffixes(_ words: [String]) -> [String] {
        let last = words.dropFirst().lastIndex { !suffixes.contains($0) } ?? 0
        return Array(words.prefix(last + 1))
    }
}

/// The ages that a person who verifies an identity can have.
public struct AgeRule: Sendable, Hashable {
    /// The age in years from which one is implausible.
    public static let implausibleYears = 121

    /// The minimum age in years.
    public let minimumYears: Int

    public init(minimumYears: Int = 0) { self.minimumYears = max(0, minimumYears) }

    /// - Returns: `invalidAge` for a date in the future or an age below the minimum, which may be a
    ///   typing mistake; `implausibleAge` from ``implausibleYears`` on; otherwise `nil`.
    public func fault(_ date: CalendarDate, today: CalendarDate) -> IdentityError? {
        let age = date.years(until: today)
        if date > today {
            return IdentityError(
                .invalidAge, field: "dateOfBirth", "dateOfBirth is in the future")
        }
        if age >= Self.implausibleYears {
            return IdentityError(
                .implausibleAge, field: "dateOfBirth",
                "dateOfBirth is \(Self.implausibleYears) or more years ago")
        }
        if age < minimumYears {
            return IdentityError(
                .invalidAge, field: "dateOfBirth",
                "the person must be at least \(minimumYears) years old")
        }
        return nil
    }
}
