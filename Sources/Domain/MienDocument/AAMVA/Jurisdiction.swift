/// An authority that issues driver licenses and identity cards in North America.
public struct Jurisdiction: Sendable, Hashable {
    /// The postal abbreviation, such as `FL`.
    public let code: String
    /// `US`, `CA`, or `MX` (ISO 3166-1 alpha-2).
    public let country: String

    /// The authority with an issuer identification number, `nil` for an unknown one.
    ///
    /// Source: AAMVA, "Issuer Identification Numbers".
    public init?(issuerNumber: String) {
        guard let code = Self.codes[issuerNumber] else { return nil }
        self.init(code: code)
    }

    /// The authority with a postal abbreviation, `nil` for an unknown one.
    init?(code: String) {
        guard Self.codes.values.contains(code) else { return nil }
        self.code = code
        country = Self.canada.contains(code) ? "CA" : Self.mexico.contains(code) ? "MX" : "US"
    }

    /// The countries whose cards are read. Cards of Mexico have other barcodes.
    public static let countries: Set<String> = ["US", "CA"]

    private static let canada: Set<String> = [
        "AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT",
    ]
    private static let mexico: Set<String> = ["CU", "HL"]

    /// The issuer identification numbers that are known.
    public static var knownNumbers: [String] { codes.keys.sorted() }

    private static let codes: [String: String] = {
        let first = """
            VA NY MA MD NC SC CT LA MT NM FL DE ON NS CA TX NL NB IA GU CO AR KS OH VT PA AZ - BC OR MO \
            WI MI AL ND IL NJ IN MN NH UT ME SD DC SK WA KY HI MB NV ID MS RI TN NE GA CU HL OK AK WY WV VI
            """
        let second = "PE AS QC YT MP PR AB NU NT"
        var codes: [String: String] = [:]
        for (start, list) in [(636_000, first), (604_426, second)] {
            for (index, code) in list.split(separator: " ").enumerated() where code != "-" {
                codes[String(start + index)] = String(code)
            }
        }
        return codes
    }()
}
