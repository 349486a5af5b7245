public import MienCore

/// A country whose personal data can be verified, by its ISO 3166-1 alpha-2 code.
///
/// Each has a test of its postal codes and of the ways its addresses are abbreviated. A country
/// without one is not listed.
public enum Country: String, WireWord, Comparable {
    case at = "AT"
    case au = "AU"
    case ca = "CA"
    case ch = "CH"
    case de = "DE"
    case es = "ES"
    case fr = "FR"
    case gb = "GB"
    case ie = "IE"
    case it = "IT"
    case nl = "NL"
    case nz = "NZ"
    case se = "SE"
    case us = "US"

    /// All countries.
    public static let all = Set(allCases)

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    var words: AddressWords {
        switch self {
        case .au, .ca, .gb, .ie, .nz, .us: .english
        case .at, .ch, .de: .german
        case .es: .spanish
        case .fr: .french
        case .it: .italian
        case .nl: .dutch
        case .se: .swedish
        }
    }

    /// The pattern of a postal code without spaces and punctuation: `9` is a digit, `A` a letter,
    /// `*` either. Several are alternatives.
    private var postalPatterns: [String] {
        switch self {
        case .at, .au, .ch, .nz: ["9999"]
        case .de, .es, .fr, .it, .se: ["99999"]
        case .us: ["99999", "999999999"]
        case .ca: ["A9A9A9"]
        case .gb: ["A99AA", "A999AA", "AA99AA", "AA999AA", "A9A9AA", "AA9A9AA"]
        case .ie: ["A99****", "A9A****"]
        case .nl: ["9999AA"]
        }
    }

    /// The compared form of a postal code. Of a US ZIP+4 code, its first five digits.
    ///
    /// - Returns: `nil` if the country has no such code.
    func postalCode(_ text: String) -> String? {
        var code = text.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."): nil
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            default: byte
            }
        }
        // `D-10115` and `SE-111 22`: the country's code before the digits.
        switch self {
        case .at, .ch, .de, .es, .fr, .it, .nl, .se:
            let prefixes = [rawValue, String(rawValue.prefix(1))].map { Array($0.utf8) }
            if let prefix = prefixes.first(where: { code.starts(with: $0) }) {
                code.removeFirst(prefix.count)
            }
        case .au, .ca, .gb, .ie, .nz, .us: break
        }
        guard postalPatterns.contains(where: { Self.matches(code, $0) }) else { return nil }
        if self == .us { code = Array(code.prefix(5)) }
        return String(decoding: code, as: UTF8.self)
    }

    private static func matches(_ code: [UInt8], _ pattern: String) -> Bool {
        code.count == pattern.utf8.count
            && zip(code, pattern.utf8).allSatisfy { byte, kind in
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                switch kind {
                case UInt8(ascii: "9"): return isDigit
                case UInt8(ascii: "A"): return isLetter
                default: return isDigit || isLetter
                }
            }
    }

    /// The compared form of a state or province: its abbreviation, if the country has one.
    func state(_ folded: FoldedText) -> FoldedText {
        let names: [String: String]
        switch self {
        case .us: names = StateNames.unitedStates
        case .ca: names = StateNames.canada
        case .au: names = StateNames.australia
        default: return folded
        }
        return folded.map { [names[$0.joined()] ?? $0.joined()] }
    }
}

/// States by their names without spaces.
enum StateNames {
    static let unitedStates = table(
        """
        al alabama|ak alaska|az arizona|ar arkansas|ca california|co colorado|ct connecticut\
        |de delaware|dc districtofcolumbia|fl florida|ga georgia|hi hawaii|id idaho|il illinois\
        |in indiana|ia iowa|ks kansas|ky kentucky|la louisiana|me maine|md maryland\
        |ma massachusetts|mi michigan|mn minnesota|ms mississippi|mo missouri|mt montana\
        |ne nebraska|nv nevada|nh newhampshire|nj newjersey|nm newmexico|ny newyork\
        |nc northcarolina|nd northdakota|oh ohio|ok oklahoma|or oregon|pa pennsylvania\
        |ri rhodeisland|sc southcarolina|sd southdakota|tn tennessee|tx texas|ut utah|vt vermont\
        |va virginia|wa washington|wv westvirginia|wi wisconsin|wy wyoming|pr puertorico
        """)
    static let canada = table(
        """
        ab alberta|bc britishcolumbia|mb manitoba|nb newbrunswick|nl newfoundlandandlabrador\
        |ns novascotia|nt northwestterritories|nu nunavut|on ontario|pe princeedwardisland\
        |qc quebec|sk saskatchewan|yt yukon
        """)
    static let australia = table(
        """
        act australiancapitalterritory|nsw newsouthwales|nt northernterritory|qld queensland\
        |sa southaustralia|tas tasmania|vic victoria|wa westernaustralia
        """)

    private static func table(_ text: String) -> [String: String] {
        Dictionary(
            text.split(separator: "|").map { entry in
                let parts = entry.split(separator: " ")
                return (String(parts[1]), String(parts[0]))
            }, uniquingKeysWith: { first, _ in first })
    }
}
