/// Published rules for the numbers of documents. Without one, a number is not checked.
enum NumberRule {
    /// Checks the number of a document with a machine-readable zone by the rule of its issuer.
    static func number(of zone: MachineReadableZone) -> DocumentCheck.Verdict {
        let number = Array(zone.number.utf8), isPassport = zone.format == .td3
        switch zone.issuer.text {
        // Germany, cards since 2010 and passports since 2007: digits and consonants that are not
        // mistaken for digits, nine in all. Source: Personalausweisverordnung, Passverordnung.
        case "D<<":
            return .init(
                number.count == 9
                    && number.allSatisfy { "0123456789CFGHJKLMNPRTVWXYZ".utf8.contains($0) })
        // Poland, cards: three letters and six digits, the first of which is a check digit. Source:
        // the ordinance on identity cards; weights 7, 3, 1, 9, 7, 3, 1, 7, 3.
        case "POL" where zone.format == .td1:
            let values = number.compactMap { MRZCheckDigit.value(of: $0) }
            return .init(
                matches(number, "A3N6")
                    && weightedSum(values, [7, 3, 1, 9, 7, 3, 1, 7, 3]).isMultiple(of: 10))
        default:
            guard isPassport, let forms = passports[zone.issuer.text] else {
                return .notChecked(.noRule)
            }
            return .init(forms.contains { matches(number, $0) })
        }
    }

    /// Checks the number of a driver license or identity card of the United States or Canada by the
    /// rule of its jurisdiction. Spaces and hyphens do not count.
    static func number(of card: AAMVACard) -> DocumentCheck.Verdict {
        guard let jurisdiction = card.jurisdiction, cards[jurisdiction.code] != nil else {
            return .notChecked(.noRule)
        }
        guard let number = card.number else { return .notChecked(.missing) }
        let plain = number.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        return accepts(plain, ofCardsFrom: jurisdiction.code).map { .init($0) }
            ?? .notChecked(.noRule)
    }

    /// Whether a number has a form of those on the jurisdiction's cards; `nil` without a rule.
    static func accepts(_ number: [UInt8], ofCardsFrom code: String) -> Bool? {
        cards[code].map { forms in forms.contains { matches(number, $0) } }
    }

    /// Passports. Sources: the issuers' own pages on their passports, and PRADO of the Council of the
    /// European Union.
    private static let passports = [
        "AUS": ["A1N7", "A2N7"], "CAN": ["A2N6", "A1N6A2"], "ESP": ["A3N6"],
        "FRA": ["N2A2N5"], "GBR": ["N9"], "IND": ["A1N7"], "JPN": ["A2N7"], "NLD": ["A2X6N1"],
        "POL": ["A2N7"], "USA": ["N9", "A1N8"],
    ]

    /// Driver licenses and identity cards. Source: the formats that the jurisdictions publish for
    /// the Commercial Driver's License Information System.
    private static let cards = [
        "AZ": ["A1N8", "N9"], "CA": ["A1N7"], "CT": ["N9"], "DC": ["N7", "N9"], "FL": ["A1N12"],
        "HI": ["A1N8", "N9"], "IL": ["A1N11", "A1N12"], "IN": ["N10", "N9", "A1N9"],
        "KY": ["A1N8", "A1N9", "N9"], "MI": ["A1N12", "A1N10"], "MN": ["A1N12"], "NJ": ["A1N14"],
        "NY": ["N9", "N8", "N16", "A1N7", "A1N18"], "ON": ["A1N14"], "PA": ["N8"],
        "TX": ["N8", "N7"], "WI": ["A1N13"],
    ]

    /// Whether text has a form: letters `A`, digits `N`, or either `X`, each with a count.
    static func matches(_ text: some Collection<UInt8>, _ form: String) -> Bool {
        var rest = text[...], parts = Array(form.utf8)[...]
        while let kind = parts.popFirst() {
            let digits = parts.prefix { (48...57).contains($0) }
            parts = parts.dropFirst(digits.count)
            let part = rest.prefix(decimal(digits) ?? 0)
            guard part.count == decimal(digits),
                part.allSatisfy({ byte in
                    let isDigit = (48...57).contains(byte), isLetter = (65...90).contains(byte)
                    return isDigit && kind != UInt8(ascii: "A")
                        || isLetter && kind != UInt8(ascii: "N")
                })
            else { return false }
            rest = rest.dropFirst(part.count)
        }
        return rest.isEmpty
    }

    static func weightedSum(_ values: [Int], _ weights: [Int]) -> Int {
        zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 }
    }
}
